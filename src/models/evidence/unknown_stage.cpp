#include "models/evidence/unknown_stage.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "models/evidence/rows/inner_folds.hpp"

namespace nomu {
namespace {

constexpr std::size_t most_rows = 2000;  ///< of a member; more hardly change a mean square

/// The blocks with an input for names that training did not have. An input that training rows use, because rare names
/// share it, has taught its networks what it means.
std::vector<InputBlock> untaught_blocks(const DataSet& rows) {
  std::vector<InputBlock> untaught;
  for (const InputBlock& block : input_blocks(rows)) {
    if (!block.names || !block.unknown) continue;
    bool used = false;
    for (std::size_t i = 0; i < rows.rows() && !used; ++i) used = rows.row(i)[block.first + block.other] != 0.0;
    if (!used) untaught.push_back(block);
  }
  return untaught;
}

/// Some unseen rows of a member, which remain in the folds they belong to.
FoldedRows some_unseen(const FoldedRows& member) {
  FoldedRows some = member;
  const std::size_t step = (member.plain.rows() + most_rows - 1) / most_rows;
  for (Split& fold : some.folds) std::erase_if(fold.test, [&](std::size_t i) { return i % step != 0; });
  return some;
}

void forget_names(FoldedRows& member, const InputBlock& block) {
  DataSet& rows = member.rows;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const auto own = std::span(rows.inputs).subspan(i * rows.cols() + block.first, block.size);
    std::ranges::fill(own, 0.0);
    own[block.other] = 1.0;
  }
}

/// The mean square by which the mixture's errors at unseen rows exceed `usual`, at least 0.
double increase(const FoldedRows& member, std::size_t m, const Chosen& chosen, std::span<const Trend> trends,
                const std::vector<double>& usual, const UnseenOutputs& outputs) {
  double sum = 0.0;
  double total = 0.0;
  for (std::size_t f = 0; f < member.folds.size(); ++f) {
    for (const std::size_t i : member.folds[f].test) {
      double predicted = trends[m * member.folds.size() + f].at(member.rows.row(i));
      for (std::size_t k = 0; k < chosen.weights.size(); ++k) predicted += chosen.weights[k] * outputs.at(m, k, i, 0);
      const double weight = weight_at(member.rows, i);
      sum += weight * (std::pow(member.rows.targets[i] - predicted, 2) - std::pow(usual[i], 2));
      total += weight;
    }
  }
  return total > 0.0 && std::isfinite(sum) ? std::max(sum / total, 0.0) : 0.0;
}

}  // namespace

Tensor<float> variance_of_unknown_names(std::span<const FoldedRows> members, std::span<const Chosen> chosen,
                                        std::span<const Trend> trends, std::span<const std::vector<double>> errors,
                                        const engine::Networks& networks, const Tensor<float>& front, Engine& engine) {
  Tensor<float> variance(members.size(), 1, members.front().plain.cols());
  std::vector<std::vector<InputBlock>> blocks;
  std::size_t most = 0;
  for (const FoldedRows& member : members) {
    blocks.push_back(untaught_blocks(member.plain));
    most = std::max(most, blocks.back().size());
  }
  for (std::size_t b = 0; b < most; ++b) {
    std::vector<FoldedRows> forgetful;
    for (std::size_t m = 0; m < members.size(); ++m) {
      forgetful.push_back(some_unseen(members[m]));
      if (b < blocks[m].size()) forget_names(forgetful.back(), blocks[m][b]);
    }
    const UnseenOutputs outputs(forgetful, chosen.front().weights.size(), networks, front, engine);
    for (std::size_t m = 0; m < members.size(); ++m) {
      if (b >= blocks[m].size()) continue;
      const InputBlock& block = blocks[m][b];
      variance(m, 0, block.first + block.other) =
          static_cast<float>(increase(forgetful[m], m, chosen[m], trends, errors[m], outputs));
    }
  }
  const bool any = std::ranges::any_of(variance.flat(), [](float value) { return value > 0.0F; });
  return any ? variance : Tensor<float>();
}

}  // namespace nomu
