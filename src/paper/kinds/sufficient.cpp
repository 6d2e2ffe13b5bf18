#include "paper/kinds/sufficient.hpp"

#include <cmath>

#include "nomu/eval/metrics.hpp"

namespace nomu {

const std::vector<std::string>& sufficient_names() {
  static const std::vector<std::string> names{"auc", "min_nll", "rmse", "log_sigma", "z_squared"};
  return names;
}

std::vector<double> sufficient_values(std::span<const double> mean, std::span<const double> sigma,
                                      std::span<const double> target) {
  const MinimalNll least = minimal_nll(mean, sigma, target, NllConstant::left_out);
  double log_sigma = 0.0;
  for (const double one : sigma) log_sigma += std::log(one);
  return {auc(mean, sigma, target), least.value, rmse(mean, target), log_sigma / static_cast<double>(sigma.size()),
          least.c * least.c};
}

std::vector<Measured> measure_sufficient(const ExperimentSpec& /*spec*/, const Piece& piece,
                                         std::span<const RunData* const> data, Engine& engine,
                                         const Progress& progress) {
  return fit_and_measure(piece, data, sufficient_names().size(), engine, progress, sufficient_values);
}

}  // namespace nomu
