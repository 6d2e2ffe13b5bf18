// How pending and failed points change the acquisition.

#include <algorithm>
#include <cmath>

#include "nomu/bo/proposal.hpp"

namespace nomu {
namespace {

/// The fraction of sigma that remains once the pending points have results: 0 at these points, 1 far away. One
/// observation affects a distance of about a fifth of the typical distance in the cube.
double remaining_sigma(std::span<const double> x, std::span<const double> pending) {
  const double width = 0.2 * std::sqrt(static_cast<double>(x.size()));
  double left = 1.0;
  for (std::size_t i = 0; i + x.size() <= pending.size(); i += x.size()) {
    double square = 0.0;
    for (std::size_t j = 0; j < x.size(); ++j) square += (x[j] - pending[i + j]) * (x[j] - pending[i + j]);
    left *= 1.0 - std::exp(-square / (2.0 * width * width));
  }
  return left;
}

}  // namespace

double weighted_acquisition(AcquisitionKind kind, const RunKnowledge& run, double c, std::span<const double> inputs,
                            double mean, double sigma, double success) {
  const double left = run.pending.empty() ? 1.0 : remaining_sigma(inputs, run.pending);
  const double value = acquisition(kind, mean, sigma * left, c, run.best);
  // A failure is worth as much as the worst result. The probability of success is squared because there is no data
  // where everything fails, so that the large sigma there would outweigh the probability itself.
  double worth = success * success;
  if (kind == AcquisitionKind::mean) worth *= left;  // nothing else keeps the search away from pending points
  switch (kind) {
    case AcquisitionKind::log_expected_improvement: return value + std::log(std::max(worth, 1e-300));
    case AcquisitionKind::expected_improvement:
    case AcquisitionKind::sigma: return worth * value;
    case AcquisitionKind::upper_bound:
    case AcquisitionKind::mean: break;
  }
  return worth * value + (1.0 - worth) * std::min(run.worst, value);
}

}  // namespace nomu
