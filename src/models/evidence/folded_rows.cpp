#include "models/evidence/folded_rows.hpp"

#include <algorithm>

#include "engine/backend.hpp"
#include "models/network/ensemble.hpp"
#include "models/network/network_plan.hpp"
#include "models/network/per_member.hpp"
#include "nomu/core/random.hpp"

namespace nomu {

Cohort training_cohort(std::span<const FoldedRows> members, std::span<const std::vector<double>> targets,
                       std::size_t candidates, std::int64_t threads) {
  const std::size_t folds = members.front().folds.size();
  std::size_t longest = 0;
  Cohort all;
  for (const FoldedRows& member : members) {
    for (std::size_t f = 0; f < folds; ++f) {
      longest = std::max(longest, member.folds[f].train.size());
      const std::uint64_t seed = derived_seed(member.seed, f);
      for (std::size_t c = 0; c < candidates; ++c) all.seeds.push_back(candidates == 1 ? seed : derived_seed(seed, c));
    }
  }
  all.x = Tensor<float>(all.seeds.size(), longest, members.front().rows.cols());
  all.y = all.row_weight = Tensor<float>(all.seeds.size(), longest, 1);
  per_member(members.size() * folds, threads, "rows", {}, [&](std::size_t part) {
    const FoldedRows& member = members[part / folds];
    const std::vector<std::size_t>& train = member.folds[part % folds].train;
    DataSet rows = subset(member.rows, train);
    for (std::size_t k = 0; k < train.size(); ++k) rows.targets[k] = targets[part / folds][train[k]];
    const Cohort own = pack({&rows, 1}, {&member.seed, 1});
    for (std::size_t c = 0; c < candidates; ++c) {
      std::ranges::copy(own.x.flat(), all.x.member(part * candidates + c).begin());
      std::ranges::copy(own.y.flat(), all.y.member(part * candidates + c).begin());
      std::ranges::copy(own.row_weight.flat(), all.row_weight.member(part * candidates + c).begin());
    }
  });
  return all;
}

UnseenOutputs::UnseenOutputs(std::span<const FoldedRows> members, std::size_t candidates,
                             const engine::Networks& networks, const Tensor<float>& parameters, Engine& engine)
    : width_(engine::output_count(networks)) {
  const std::size_t folds = members.front().folds.size();
  std::size_t longest = 0;
  for (const FoldedRows& member : members) {
    for (const Split& fold : member.folds) longest = std::max(longest, fold.test.size());
  }
  const std::size_t parts = members.size() * folds;
  const std::int64_t threads = engine.info().threads;
  Tensor<float> x(parts, longest, networks.inputs);
  per_member(parts, threads, "rows", {}, [&](std::size_t part) {
    const FoldedRows& member = members[part / folds];
    const std::vector<std::size_t>& test = member.folds[part % folds].test;
    for (std::size_t k = 0; k < test.size(); ++k) {
      std::ranges::transform(member.rows.row(test[k]), x.row(part, k).begin(),
                             [](double value) { return static_cast<float>(value); });
    }
  });
  const Tensor<float> outputs =
      engine::backend(engine).predict(networks, parameters, repeat_rows(x, parts, candidates), {}, {});
  for (const FoldedRows& member : members) {
    rows_.push_back(member.rows.rows());
    all_.emplace_back(candidates * rows_.back() * width_);
  }
  // Every row is tested in one fold, so that no two parts write to the same place.
  per_member(parts, threads, "rows", {}, [&](std::size_t part) {
    const std::size_t m = part / folds;
    const std::vector<std::size_t>& test = members[m].folds[part % folds].test;
    for (std::size_t c = 0; c < candidates; ++c) {
      for (std::size_t k = 0; k < test.size(); ++k) {
        for (std::size_t o = 0; o < width_; ++o)
          all_[m][(c * rows_[m] + test[k]) * width_ + o] = static_cast<double>(outputs(part * candidates + c, k, o));
      }
    }
  });
}

DataSet with_steps(const DataSet& plain, std::span<const Step> steps) {
  DataSet wide = plain;
  wide.inputs = embedded(plain.inputs, plain.cols(), steps);
  wide.input_names.resize(plain.cols() + steps.size());
  wide.features.clear();
  return wide;
}

double batch_share(const Cohort& cohort, std::size_t network, std::int64_t batch_size) {
  const double rows = weight_of(cohort, network);
  return batch_size == 0 ? 1.0 : std::min(1.0, static_cast<double>(batch_size) / rows);
}

}  // namespace nomu
