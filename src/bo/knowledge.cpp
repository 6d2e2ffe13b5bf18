// How pending and failed points change the acquisition.

#include <algorithm>
#include <cmath>

#include "nomu/bo/proposal.hpp"

namespace nomu {
namespace {

/// Squared distances of x [d] to every one of `points` [n][d], in order.
template <class F>
void each_square(std::span<const double> x, std::span<const double> points, const F& use) {
  for (std::size_t i = 0; i + x.size() <= points.size(); i += x.size()) {
    double sum = 0.0;
    for (std::size_t j = 0; j < x.size(); ++j) sum += (x[j] - points[i + j]) * (x[j] - points[i + j]);
    use(sum);
  }
}

/// What is left of sigma once the pending points are data: nothing at them, all of it far away. A fifth of the cube's
/// typical distance is about how far one observation is felt.
double remaining_sigma(std::span<const double> x, std::span<const double> pending) {
  const double width = 0.2 * std::sqrt(static_cast<double>(x.size()));
  double left = 1.0;
  each_square(x, pending, [&](double square) { left *= 1.0 - std::exp(-square / (2.0 * width * width)); });
  return left;
}

}  // namespace

double failure_share(std::span<const double> x, std::span<const double> finished, std::span<const double> failed) {
  if (failed.empty()) return 0.0;
  double nearest_square = std::numeric_limits<double>::infinity();
  const auto nearer = [&](double square) { nearest_square = std::min(nearest_square, square); };
  each_square(x, finished, nearer);
  each_square(x, failed, nearer);
  // Inverse distance weighting relative to the nearest point; in many dimensions distances differ little, so the power
  // grows with them.
  const double power = 0.5 * (4.0 + static_cast<double>(x.size()));
  const double offset = std::max(nearest_square, 1e-18);
  const auto weight = [&](double square) { return std::pow(offset / std::max(square, 1e-18), power); };
  double bad = 0.0;
  double good = 0.0;
  each_square(x, failed, [&](double square) { bad += weight(square); });
  each_square(x, finished, [&](double square) { good += weight(square); });
  constexpr double caution = 16.0;  // the border towards failures is looked at from the side of the successes
  return caution * bad / (caution * bad + good);
}

double weighed_acquisition(AcquisitionKind kind, const RunKnowledge& run, double c, std::span<const double> inputs,
                           double mean, double sigma) {
  if (!run.pending.empty()) sigma *= remaining_sigma(inputs, run.pending);
  const double value = acquisition(kind, mean, sigma, c, run.best);
  if (run.failed.empty()) return value;
  // A failure is worth as much as the worst result and tells nothing. The fourth power of the chance of success, not
  // the chance itself: where all fail there is no data, so sigma is large there and would outweigh it.
  const double success = std::pow(1.0 - failure_share(inputs, run.finished, run.failed), 4);
  switch (kind) {
    case AcquisitionKind::log_expected_improvement: return value + std::log(std::max(success, 1e-300));
    case AcquisitionKind::expected_improvement:
    case AcquisitionKind::sigma: return success * value;
    case AcquisitionKind::upper_bound:
    case AcquisitionKind::mean: break;
  }
  return success * value + (1.0 - success) * std::min(run.worst, value);
}

}  // namespace nomu
