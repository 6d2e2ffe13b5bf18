#include "models/ensembles/greedy_ensemble.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/network/mixture.hpp"

namespace nomu {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Mean of row_score(prediction row, target) over rows, or over all pairs of row and target.
template <class RowScore>
double average(std::size_t rows, std::span<const float> targets, bool all_pairs, const RowScore& row_score) {
  RunningMoments scores;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = all_pairs ? 0 : i; j < (all_pairs ? rows : i + 1); ++j)
      scores.add(row_score(i, static_cast<double>(targets[j])));
  }
  return std::isfinite(scores.mean) ? scores.mean : infinity;
}

double squared_error(std::span<const float> prediction, std::span<const float> targets, bool all_pairs) {
  return average(prediction.size(), targets, all_pairs, [&](std::size_t i, double target) {
    const double error = target - static_cast<double>(prediction[i]);
    return error * error;
  });
}

/// NLL of the ensemble so far with one more network, without the constant.
double nll_with(std::span<const RunningMoments> ensemble, std::span<const float> prediction,
                std::span<const float> targets, bool all_pairs) {
  return average(prediction.size(), targets, all_pairs, [&](std::size_t i, double target) {
    RunningMoments row = ensemble[i];
    row.add(static_cast<double>(prediction[i]));
    const double sigma = std::sqrt(std::max(0.0, row.variance())) + 1e-20;
    const double z = (target - row.mean) / sigma;
    return 0.5 * z * z + std::log(sigma);
  });
}

struct Best {
  std::size_t candidate = 0;
  double score = infinity;
};

template <class Score>
Best least(std::size_t candidates, const Score& score) {
  Best best;
  for (std::size_t c = 0; c < candidates; ++c) {
    const double value = score(c);
    if (value < best.score) best = {c, value};
  }
  return best;
}

}  // namespace

std::vector<std::size_t> pick_ensemble(const Tensor<float>& predictions, std::span<const float> targets,
                                       const GreedySpec& spec) {
  const std::size_t candidates = predictions.rows();
  std::vector<std::size_t> picks(candidates, 0);
  std::vector<RunningMoments> ensemble(targets.size());
  const auto take = [&](std::size_t candidate) {
    ++picks[candidate];
    for (std::size_t i = 0; i < targets.size(); ++i) ensemble[i].add(static_cast<double>(predictions(0, candidate, i)));
  };
  const auto different = [&] { return candidates - static_cast<std::size_t>(std::ranges::count(picks, 0U)); };
  take(least(candidates, [&](std::size_t c) {
         return squared_error(predictions.row(0, c), targets, spec.published_score);
       }).candidate);
  double best_score = infinity;
  for (std::size_t taken = 1; taken < spec.most_picks && different() < spec.networks; ++taken) {
    const Best best = least(candidates, [&](std::size_t c) {
      return nll_with(ensemble, predictions.row(0, c), targets, spec.published_score);
    });
    if (!(best.score < best_score)) break;
    best_score = best.score;
    take(best.candidate);
  }
  return picks;
}

}  // namespace nomu
