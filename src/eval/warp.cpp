#include "nomu/eval/warp.hpp"

#include <algorithm>
#include <cmath>

namespace nomu {
namespace {

constexpr double skewed = 1.3;  ///< least ratio of the distances of the upper and lower decile from the median
constexpr double wild = 30.0;   ///< quartile ranges from the median beyond which a target is an outlier
constexpr double heavy = 3.5;   ///< least ratio of the ranges of 95 % and 50 % of the targets; a normal one's is 2.9

/// The value below which a share of the ascending numbers lies.
double quantile(std::span<const double> sorted, double share) {
  return sorted[static_cast<std::size_t>(std::lround(share * static_cast<double>(sorted.size() - 1)))];
}

}  // namespace

double Warp::apply(double y) const { return active() ? std::asinh((y - centre) / scale) : y; }

double Warp::invert(double z) const { return active() ? std::fma(scale, std::sinh(z), centre) : z; }

std::vector<double> Warp::apply(std::span<const double> y) const {
  std::vector<double> z(y.size());
  std::ranges::transform(y, z.begin(), [this](double value) { return apply(value); });
  return z;
}

double Warp::slope(double z) const { return active() ? scale * std::cosh(z) : 1.0; }

PredictedRows unwarped(PredictedRows rows, const Warp& warp) {
  if (!warp.active()) return rows;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const double noise = rows.sigma_noise.empty() ? 0.0 : rows.sigma_noise[i];
    const double total = std::hypot(rows.sigma_model[i], noise);
    const double z = rows.mean[i];
    // The mean of sinh of a normal variable; heavy noise would let it run away from every quantile.
    rows.mean[i] = std::fma(warp.scale, std::sinh(z) * std::exp(0.5 * std::min(noise * noise, 1.0)), warp.centre);
    const double factor = total > 0.0 ? 0.5 * (warp.invert(z + total) - warp.invert(z - total)) / total : 0.0;
    rows.sigma_model[i] *= factor;
    if (!rows.sigma_noise.empty()) rows.sigma_noise[i] *= factor;
    if (!rows.sigma_below.empty()) rows.sigma_below[i] *= factor;
  }
  return rows;
}

Bounds unwarped(Bounds bounds, const Warp& warp) {
  for (double& lower : bounds.lower) lower = warp.invert(lower);
  for (double& upper : bounds.upper) upper = warp.invert(upper);
  return bounds;
}

std::vector<Warp> possible_warps(std::span<const double> targets) {
  std::vector<Warp> warps{{}};
  std::vector<double> sorted(targets.begin(), targets.end());
  std::ranges::sort(sorted);
  const double median = quantile(sorted, 0.5);
  const double upper = quantile(sorted, 0.9) - median;
  const double lower = median - quantile(sorted, 0.1);
  if (sorted.front() >= 0.0 && upper > skewed * lower) {
    // Nearly a logarithm, and one that leaves the smaller half of the targets nearly linear.
    const double typical = median > 0.0 ? median : quantile(sorted, 0.9);
    if (typical > 0.0) {
      warps.push_back({.centre = 0.0, .scale = 0.1 * typical});
      warps.push_back({.centre = 0.0, .scale = typical});
    }
  }
  const double spread = quantile(sorted, 0.75) - quantile(sorted, 0.25);
  const double tails = quantile(sorted, 0.975) - quantile(sorted, 0.025);
  if (spread > 0.0 && tails > heavy * spread) warps.push_back({.centre = median, .scale = spread});
  // A single wrong number must not outweigh all others; those stay nearly linear.
  const double farthest = std::max(sorted.back() - median, median - sorted.front());
  if (warps.size() == 1 && spread > 0.0 && farthest > wild * spread)
    warps.push_back({.centre = median, .scale = 3.0 * spread});
  return warps;
}

}  // namespace nomu
