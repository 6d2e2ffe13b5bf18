#include "models/evidence/folded_rows.hpp"

#include <algorithm>

#include "engine/backend.hpp"
#include "models/network/ensemble.hpp"
#include "models/network/network_plan.hpp"
#include "nomu/core/random.hpp"

namespace nomu {

Cohort training_cohort(std::span<const FoldedRows> members, std::span<const std::vector<double>> targets,
                       std::size_t candidates) {
  std::vector<DataSet> sets;
  std::vector<std::uint64_t> seeds;
  for (std::size_t m = 0; m < members.size(); ++m) {
    for (std::size_t f = 0; f < members[m].folds.size(); ++f) {
      const std::vector<std::size_t>& train = members[m].folds[f].train;
      sets.push_back(subset(members[m].rows, train));
      for (std::size_t k = 0; k < train.size(); ++k) sets.back().targets[k] = targets[m][train[k]];
      seeds.push_back(derived_seed(members[m].seed, f));
    }
  }
  return repeat_members(pack(sets, seeds), candidates);
}

UnseenOutputs::UnseenOutputs(std::span<const FoldedRows> members, std::size_t candidates,
                             const engine::Networks& networks, const Tensor<float>& parameters, Engine& engine)
    : width_(engine::output_count(networks)) {
  const std::size_t folds = members.front().folds.size();
  std::size_t longest = 0;
  for (const FoldedRows& member : members) {
    for (const Split& fold : member.folds) longest = std::max(longest, fold.test.size());
  }
  const std::size_t d = networks.inputs;
  Tensor<float> x(members.size() * folds, longest, d);
  for (std::size_t m = 0; m < members.size(); ++m) {
    for (std::size_t f = 0; f < folds; ++f) {
      const std::vector<std::size_t>& test = members[m].folds[f].test;
      for (std::size_t k = 0; k < test.size(); ++k) {
        std::ranges::transform(members[m].rows.row(test[k]), x.row(m * folds + f, k).begin(),
                               [](double value) { return static_cast<float>(value); });
      }
    }
  }
  const Tensor<float> outputs =
      engine::backend(engine).predict(networks, parameters, repeat_rows(x, members.size() * folds, candidates), {}, {});
  for (std::size_t m = 0; m < members.size(); ++m) {
    rows_.push_back(members[m].rows.rows());
    all_.emplace_back(candidates * rows_[m] * width_);
    for (std::size_t f = 0; f < folds; ++f) {
      const std::vector<std::size_t>& test = members[m].folds[f].test;
      for (std::size_t c = 0; c < candidates; ++c) {
        const std::size_t network = (m * folds + f) * candidates + c;
        for (std::size_t k = 0; k < test.size(); ++k) {
          for (std::size_t o = 0; o < width_; ++o)
            all_[m][(c * rows_[m] + test[k]) * width_ + o] = static_cast<double>(outputs(network, k, o));
        }
      }
    }
  }
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
