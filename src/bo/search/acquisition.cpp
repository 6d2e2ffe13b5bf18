#include "nomu/bo/acquisition.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr double log_root_two_pi = 0.9189385332046727;

/// log((phi + z Phi) / phi) for z below -1, that is log(1 - |z| Mills' ratio), without cancellation for large |z|.
double log_tail(double z) {
  if (z > -20.0) {
    const double mills =
        std::sqrt(std::numbers::pi / 2.0) * std::exp(0.5 * z * z) * std::erfc(-z / std::numbers::sqrt2);
    return std::log1p(z * mills);
  }
  // z^-2 (1 - 3 / z^2 + 15 / z^4 - 105 / z^6 ...): here, eight terms reach double precision.
  const double square = z * z;
  double sum = 1.0;
  double term = 1.0;
  for (int k = 1; k <= 8; ++k) {
    term *= -(2.0 * k + 1.0) / square;
    sum += term;
  }
  return std::log(sum) - std::log(square);
}

}  // namespace

double log_improvement(double z) {
  if (std::isnan(z)) return z;
  const double log_density = -0.5 * z * z - log_root_two_pi;
  if (z < -1.0) return log_density + log_tail(z);
  return std::log(std::exp(log_density) + z * 0.5 * std::erfc(-z / std::numbers::sqrt2));
}

double acquisition(AcquisitionKind kind, double mean, double sigma, double c, double best) {
  constexpr double least = 1e-12;  // avoids a division by 0
  const double scale = std::max(c * sigma, least);
  switch (kind) {
    case AcquisitionKind::upper_bound: return mean + c * sigma;
    case AcquisitionKind::expected_improvement: return scale * std::exp(log_improvement((mean - best) / scale));
    case AcquisitionKind::log_expected_improvement: return std::log(scale) + log_improvement((mean - best) / scale);
    case AcquisitionKind::mean: return mean;
    case AcquisitionKind::sigma: break;
  }
  return sigma;
}

double mean_width_c(std::span<const float> sigmas, double mean_width) {
  double sum = 0.0;
  for (const float sigma : sigmas) sum += static_cast<double>(sigma);
  if (sigmas.empty() || !std::isfinite(sum) || sum <= 0.0) {
    throw DataError("bo/acquisition", "the mean width cannot be scaled: no sigma is positive, or one is not finite");
  }
  return mean_width / (2.0 * sum / static_cast<double>(sigmas.size()));
}

DynamicC DynamicC::as_published() { return {.doublings = 16, .published = true}; }

double DynamicC::delta(std::int64_t taken, std::int64_t steps) const {
  // In the paper's equation, i includes the point that is being chosen; the published runs do not count it.
  const double done = static_cast<double>(taken) + (published ? 0.0 : 1.0);
  const double share = std::min(1.0, done / static_cast<double>(std::max<std::int64_t>(steps, 1)));
  return delta_start * std::pow(delta_end / delta_start, share);
}

double nearest_distance(std::span<const double> x, std::span<const double> points) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i + x.size() <= points.size(); i += x.size()) {
    double sum = 0.0;
    for (std::size_t j = 0; j < x.size(); ++j) sum += (x[j] - points[i + j]) * (x[j] - points[i + j]);
    least = std::min(least, sum);
  }
  return std::sqrt(least);
}

bool DynamicC::too_close(std::span<const double> x, std::span<const double> known, double delta) const {
  const double distance = nearest_distance(x, known);
  return published ? distance < delta : distance <= delta;
}

Fields fields_of(DynamicC& spec) {
  Fields fields("bo/acquisition");
  fields.add("delta_start", spec.delta_start, Range::positive(), "distance that counts as too close at the first step");
  fields.add("delta_end", spec.delta_end, Range::positive(), "distance that counts as too close at the last step");
  // A thousand doublings exceed any double.
  fields.add("doublings", spec.doublings, Range::between(0.0, 1000.0), "largest number of doublings of c; 0: never");
  fields.add("published", spec.published, "as in the paper's tables");
  return fields;
}

}  // namespace nomu
