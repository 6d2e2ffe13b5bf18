#include "paper/run/run_data.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <future>

#include "core/cores.hpp"

namespace nomu {
namespace {

/// The most doubles that are kept: 512 MiB.
constexpr std::size_t most_numbers = std::size_t{1} << 26U;

std::size_t numbers_in(const RunData& data) {
  std::size_t count = 0;
  for (const DataSet* part : {&data.train, &data.validation, &data.test}) {
    count += part->inputs.size() + part->targets.size();
  }
  return count;
}

}  // namespace

RunDataSource::Drawn RunDataSource::draw(std::span<const ExperimentRun> runs) {
  Drawn drawn(runs.size());
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto found = kept_.find(runs[i].key.data);
    if (found != kept_.end()) {
      drawn[i] = found->second;
    } else {
      missing.push_back(i);
    }
  }
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t k = next++; k < missing.size(); k = next++) {
      drawn[missing[k]] = std::make_shared<const RunData>(kind_.draw(spec_, runs[missing[k]]));
    }
  };
  const std::size_t threads = std::min<std::size_t>(missing.size(), usable_cores());
  std::vector<std::future<void>> workers;
  for (std::size_t t = 0; t < threads; ++t) workers.push_back(std::async(std::launch::async, work));
  for (std::future<void>& worker : workers) worker.wait();
  for (std::future<void>& worker : workers) worker.get();
  if (numbers_ > most_numbers) {
    kept_.clear();
    numbers_ = 0;
  }
  for (const std::size_t i : missing) {
    if (kept_.try_emplace(runs[i].key.data, drawn[i]).second) numbers_ += numbers_in(*drawn[i]);
  }
  return drawn;
}

std::vector<const RunData*> RunDataSource::pointers(const Drawn& drawn) {
  std::vector<const RunData*> all;
  for (const auto& one : drawn) all.push_back(one.get());
  return all;
}

}  // namespace nomu
