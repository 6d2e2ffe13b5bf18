#include "paper/kinds/kind.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "nomu/core/error.hpp"
#include "paper/kinds/kinds.hpp"

namespace nomu {
namespace {

constexpr std::string_view where = "paper/experiment";

/// The test inputs of all runs, padded with zeros to the longest, [M][q][d].
Tensor<float> test_inputs(std::span<const RunData* const> data) {
  const std::size_t cols = data[0]->test.cols();
  std::size_t longest = 0;
  for (const RunData* run : data) longest = std::max(longest, run->test.rows());
  Tensor<float> x(data.size(), longest, cols);
  for (std::size_t m = 0; m < data.size(); ++m) {
    std::ranges::transform(data[m]->test.inputs, x.member(m).begin(), [](double v) { return static_cast<float>(v); });
  }
  return x;
}

std::vector<double> front_rows(const Tensor<float>& values, std::size_t member, std::size_t rows) {
  const std::span<const float> front = values.member(member).first(rows);
  return {front.begin(), front.end()};
}

}  // namespace

const std::vector<ExperimentKind>& experiment_kinds() {
  static const std::vector<ExperimentKind> kinds{toy_kind(), testbed_kind(), uci_kind(), solar_kind(), bo_kind()};
  return kinds;
}

std::optional<Estimate> mean_estimate(const std::string& metric, std::span<const ResultRow* const> rows) {
  std::vector<double> values;
  for (const ResultRow* row : rows) values.push_back(row->value(metric));
  if (values.empty()) return std::nullopt;
  return Estimate{.value = mean(values), .interval = normal_interval(values)};
}

const ExperimentKind& find_kind(const ExperimentSpec& spec) {
  std::vector<std::string> names;
  for (const ExperimentKind& kind : experiment_kinds()) {
    if (kind.name == spec.kind) return kind;
    names.push_back(kind.name);
  }
  const std::string near = nearest(spec.kind, names);
  throw ConfigError(where, fmt::format("experiment '{}' has the unknown kind '{}'; {}", spec.name, spec.kind,
                                       near.empty() ? fmt::format("there are {}", fmt::join(names, ", "))
                                                    : fmt::format("did you mean '{}'?", near)));
}

std::vector<Measured> fit_and_measure(
    const Piece& piece, std::span<const RunData* const> data, std::size_t values, Engine& engine,
    const Progress& progress,
    const std::function<std::vector<double>(std::span<const double> mean, std::span<const double> sigma,
                                            std::span<const double> target)>& measure) {
  std::vector<DataSet> train;
  std::vector<std::uint64_t> seeds;
  for (std::size_t m = 0; m < data.size(); ++m) {
    train.push_back(data[m]->train);
    seeds.push_back(piece.runs[m].fit_seed());
  }
  const auto fitted = fit(piece.spec, pack(train, seeds), engine, progress);
  const Prediction prediction = fitted->predict(test_inputs(data));
  std::vector<Measured> all;
  for (std::size_t m = 0; m < data.size(); ++m) {
    const DataSet& test = data[m]->test;
    Measured one;
    try {
      one.values = measure(front_rows(prediction.mean, m, test.rows()),
                           front_rows(prediction.sigma_model, m, test.rows()), test.targets);
    } catch (const DataError&) {
      one.status = RunStatus::degenerate;
      one.values.assign(values, std::numeric_limits<double>::quiet_NaN());
    }
    if (fitted->reports()[m].diverged) one.status = RunStatus::diverged;
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace nomu
