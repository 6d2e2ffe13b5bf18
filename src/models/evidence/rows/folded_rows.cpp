#include "models/evidence/rows/folded_rows.hpp"

#include <algorithm>
#include <utility>

#include "core/team.hpp"
#include "engine/backend.hpp"
#include "models/network/ensemble.hpp"
#include "nomu/core/random.hpp"

namespace nomu {
namespace {

void narrow_row(std::span<const double> from, std::span<float> to) {
  std::ranges::transform(from, to.begin(), [](double value) { return static_cast<float>(value); });
}

}  // namespace

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
  side_by_side(all.seeds.size(), threads, [&](std::size_t network) {
    const std::size_t part = network / candidates;
    const FoldedRows& member = members[part / folds];
    const std::vector<std::size_t>& train = member.folds[part % folds].train;
    for (std::size_t k = 0; k < train.size(); ++k) {
      narrow_row(member.rows.row(train[k]), all.x.row(network, k));
      all.y(network, k, 0) = static_cast<float>(targets[part / folds][train[k]]);
      const std::vector<double>& weights = member.rows.row_weight;
      all.row_weight(network, k, 0) = weights.empty() ? 1.0F : static_cast<float>(weights[train[k]]);
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
    rows_.push_back(member.rows.rows());
    all_.emplace_back(candidates * rows_.back() * width_);
  }
  const std::int64_t threads = engine.info().threads;
  Tensor<float> x(members.size() * folds, longest, networks.inputs);
  side_by_side(members.size() * folds, threads, [&](std::size_t part) {
    const FoldedRows& member = members[part / folds];
    const std::vector<std::size_t>& test = member.folds[part % folds].test;
    for (std::size_t k = 0; k < test.size(); ++k) narrow_row(member.rows.row(test[k]), x.row(part, k));
  });
  const Tensor<float> outputs = engine::backend(engine).predict(
      networks, parameters, rows_for(engine, std::move(x), members.size() * folds, candidates), {}, {});
  side_by_side(members.size() * folds, threads, [&](std::size_t part) {
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

DataSet with_steps(const DataSet& plain, std::span<const Step> steps, std::int64_t threads) {
  DataSet wide = plain;
  wide.inputs = embedded(plain.inputs, plain.cols(), steps, threads);
  wide.input_names.resize(plain.cols() + steps.size());
  wide.features.clear();
  return wide;
}

double batch_share(const Cohort& cohort, std::size_t network, std::int64_t batch_size) {
  if (batch_size == 0) return 1.0;
  const std::span<const float> weights = cohort.row_weight.member(network);
  const auto rows = std::ranges::count_if(weights, [](float weight) { return weight > 0.0F; });
  return std::min(1.0, static_cast<double>(batch_size) / static_cast<double>(rows));
}

}  // namespace nomu
