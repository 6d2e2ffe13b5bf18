#include "bo/search/network_score.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "nomu/core/random.hpp"
#include "nomu/data/cohort.hpp"

namespace nomu {
namespace {

/// Mean log density of targets scaled to [-1,1] under networks that have not seen them, in folds. Minus infinity if one
/// diverged.
double network_score(const OptimizeSpec& spec, std::size_t inputs, const std::vector<double>& x,
                     const std::vector<double>& targets, std::uint64_t seed, Engine& engine, const Progress& progress) {
  constexpr std::size_t folds = 4;
  const std::size_t n = targets.size();
  const std::vector<std::size_t> order = Random(seed).permutation(n);
  std::vector<DataSet> parts;
  std::vector<std::uint64_t> seeds;
  for (std::size_t fold = 0; fold < folds; ++fold) {
    std::vector<double> part_x;
    std::vector<double> part_y;
    for (std::size_t k = 0; k < n; ++k) {
      if (k % folds == fold) continue;
      const auto row = x.begin() + static_cast<std::ptrdiff_t>(order[k] * inputs);
      part_x.insert(part_x.end(), row, row + static_cast<std::ptrdiff_t>(inputs));
      part_y.push_back(targets[order[k]]);
    }
    parts.push_back(make_dataset(part_x, inputs, part_y));
    seeds.push_back(derived_seed(seed, fold));
  }
  const std::unique_ptr<FittedCohort> model = fit(method_of(spec, inputs), pack(parts, seeds), engine, progress);
  Tensor<float> all(1, n, inputs);
  std::transform(x.begin(), x.end(), all.flat().begin(), [](double v) { return static_cast<float>(v); });
  const Prediction prediction = model->predict(all);
  double squares = 0.0;
  double logs = 0.0;
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t fold = k % folds;
    if (model->reports()[fold].diverged) return -std::numeric_limits<double>::infinity();
    const double error = targets[order[k]] - static_cast<double>(prediction.mean(fold, order[k], 0));
    const double sigma = std::max(static_cast<double>(prediction.sigma_model(fold, order[k], 0)), 1e-6);
    squares += error * error / (sigma * sigma);
    logs += std::log(sigma);
  }
  const auto count = static_cast<double>(n);
  const double factor = std::sqrt(squares / count);
  return -logs / count - std::log(factor) - 0.5 - 0.5 * std::log(2.0 * std::numbers::pi);
}

}  // namespace

bool networks_predict_better(const OptimizeSpec& spec, const Space& space, const ScoredResults& results,
                             const LearnSpec& explained, std::uint64_t seed, Engine& engine, const Progress& progress) {
  const std::shared_ptr<const Learned> learned = learn(space, results.points, results.values, explained);
  if (!learned) return false;
  const auto [low, high] = std::minmax_element(results.values.begin(), results.values.end());
  const double half = 0.5 * (*high - *low);
  if (!std::isfinite(half) || half <= 0.0) return false;  // networks know nothing of results as large, or as small
  std::vector<double> targets;
  std::vector<double> inputs;
  for (std::size_t i = 0; i < results.values.size(); ++i) {
    targets.push_back((results.values[i] - *low) / half - 1.0);
    const std::vector<double> row = space.to_inputs(results.points[i]);
    inputs.insert(inputs.end(), row.begin(), row.end());
  }
  const auto count = static_cast<double>(results.values.size());
  // Densities of the results themselves, whatever the scale of a model.
  const double networks = network_score(spec, space.inputs(), inputs, targets, seed, engine, progress) - std::log(half);
  const double process = learned->process.left_out_score() + learned->warp.log_jacobian(results.values) / count;
  return networks > process;
}

}  // namespace nomu
