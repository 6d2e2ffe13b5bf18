#include "models/network/learned_readout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "engine/math.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr std::size_t units = 4;
constexpr long steps = 1500;
constexpr double learning_rate = 0.05;

/// Logarithms of sigma_min, of the units' heights and slopes, and of the factor on the noise: all stay positive.
using Parameters = std::array<double, 2 + 2 * units>;
constexpr std::size_t height_at = 1;
constexpr std::size_t slope_at = 1 + units;
constexpr std::size_t noise_at = 1 + 2 * units;

Readout readout_of(const Parameters& p) {
  Readout readout{.kind = Readout::Kind::network, .sigma_min = std::exp(p[0])};
  for (std::size_t k = 0; k < units; ++k)
    readout.weights.insert(readout.weights.end(), {std::exp(p[height_at + k]), std::exp(p[slope_at + k])});
  return readout;
}

/// Mean NLL of the rows without its constant, and its derivatives.
double nll_of(const Parameters& p, const ReadoutRows& rows, Parameters& gradient) {
  gradient.fill(0.0);
  double total = 0.0;
  const double least = std::exp(p[0]);
  for (std::size_t i = 0; i < rows.raw.size(); ++i) {
    const double raw = std::max(0.0, rows.raw[i]);
    double sigma = least;
    std::array<double, units> reached{};
    for (std::size_t k = 0; k < units; ++k) {
      reached[k] = std::tanh(std::exp(p[slope_at + k]) * raw);
      sigma += std::exp(p[height_at + k]) * reached[k];
    }
    const double noise = rows.noise.empty() ? 0.0 : std::exp(p[noise_at]) * rows.noise[i];
    const double variance = sigma * sigma + noise * noise;
    const double error = rows.targets[i] - rows.mean[i];
    total += 0.5 * (std::log(variance) + error * error / variance);
    const double by_variance = 0.5 * (1.0 - error * error / variance) / variance;
    const double by_sigma = 2.0 * by_variance * sigma;
    gradient[0] += by_sigma * least;
    gradient[noise_at] += 2.0 * by_variance * noise * noise;
    for (std::size_t k = 0; k < units; ++k) {
      const double height = std::exp(p[height_at + k]);
      const double slope = std::exp(p[slope_at + k]);
      gradient[height_at + k] += by_sigma * height * reached[k];
      gradient[slope_at + k] += by_sigma * height * (1.0 - reached[k] * reached[k]) * slope * raw;
    }
  }
  const auto n = static_cast<double>(rows.raw.size());
  for (double& value : gradient) value /= n;
  return total / n;
}

/// Units that saturate at different raw outputs, of heights that together reach the typical error.
Parameters start_for(const ReadoutRows& rows) {
  double squares = 0.0;
  double largest = 0.0;
  for (std::size_t i = 0; i < rows.raw.size(); ++i) {
    squares += std::pow(rows.targets[i] - rows.mean[i], 2);
    largest = std::max(largest, rows.raw[i]);
  }
  if (!(squares > 0.0))
    throw DataError("models/readout", "every target is exactly at its mean: there is no error to learn a readout from");
  const double typical = std::sqrt(squares / static_cast<double>(rows.raw.size()));
  const double reach = largest > 0.0 ? largest : 1.0;
  Parameters p{};
  p[0] = std::log(0.1 * typical);
  for (std::size_t k = 0; k < units; ++k) {
    p[height_at + k] = std::log(typical / static_cast<double>(units));
    p[slope_at + k] = std::log(std::pow(4.0, static_cast<double>(k)) / reach);
  }
  return p;
}

}  // namespace

Readout learned_readout(const ReadoutRows& rows) {
  if (rows.raw.empty() || rows.mean.size() != rows.raw.size() || rows.targets.size() != rows.raw.size() ||
      (!rows.noise.empty() && rows.noise.size() != rows.raw.size())) {
    throw DataError("models/readout", fmt::format("a readout needs as many means and targets as raw outputs, got {}, "
                                                  "{} and {}",
                                                  rows.mean.size(), rows.targets.size(), rows.raw.size()));
  }
  Parameters p = start_for(rows);
  Parameters first{};
  Parameters second{};
  Parameters gradient{};
  Parameters best = p;
  double smallest = std::numeric_limits<double>::infinity();
  for (long step = 1; step <= steps; ++step) {
    const double value = nll_of(p, rows, gradient);
    if (value < smallest) {
      smallest = value;
      best = p;
    }
    // The rate falls to nothing, so that the last steps settle.
    const double rate = learning_rate * (1.0 - static_cast<double>(step - 1) / static_cast<double>(steps));
    const engine::AdamStep<double> adam{engine::adam_rate(rate, 0.9, 0.999, step), 0.9, 0.999, 1e-12};
    for (std::size_t k = 0; k < p.size(); ++k) engine::adam(adam, gradient[k], p[k], first[k], second[k]);
  }
  if (!std::isfinite(smallest))
    throw DataError("models/readout", "raw outputs, means and targets must be finite numbers");
  return readout_of(best);
}

}  // namespace nomu
