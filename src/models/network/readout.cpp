#include "nomu/models/readout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/network/learned_readout.hpp"
#include "nomu/core/error.hpp"
#include "nomu/eval/metrics.hpp"

namespace nomu {
namespace {

struct Interval {
  double low, high;

  /// Point i of `count`, geometrically spaced.
  [[nodiscard]] double at(std::size_t i, std::size_t count) const {
    return low * std::pow(high / low, static_cast<double>(i) / static_cast<double>(count - 1));
  }
  /// The part within one grid step of `centre`.
  [[nodiscard]] Interval around(double centre, std::size_t count, const Interval& limits) const {
    const double step = std::pow(high / low, 1.0 / static_cast<double>(count - 1));
    return {std::max(limits.low, centre / step), std::min(limits.high, centre * step)};
  }
};

constexpr Interval all_minima{0.005, 0.8};
constexpr Interval all_maxima{0.8, 10.0};
constexpr std::size_t minima_count = 13;
constexpr std::size_t maxima_count = 9;

/// Best factors for a given readout.
ReadoutFit with_factors(const Readout& readout, const ReadoutRows& rows) {
  PredictedRows predicted{.mean = {rows.mean.begin(), rows.mean.end()},
                          .sigma_model = {},
                          .sigma_noise = {rows.noise.begin(), rows.noise.end()}};
  predicted.sigma_model.reserve(rows.raw.size());
  for (const double raw : rows.raw) predicted.sigma_model.push_back(readout(raw));
  ReadoutFit fit{.readout = readout, .calibration = {}, .nll = 0.0};
  fit.calibration =
      rows.noise.empty() ? calibrate_nll(predicted, rows.targets) : calibrate_separate(predicted, rows.targets);
  fit.nll = nll(rows.mean, calibrated_sigma(fit.calibration, predicted).above, rows.targets, NllConstant::included);
  return fit;
}

ReadoutFit best_on_grid(Readout::Kind kind, const ReadoutRows& rows, const Interval& minima, const Interval& maxima) {
  ReadoutFit best{.readout = {}, .calibration = {}, .nll = std::numeric_limits<double>::infinity()};
  for (std::size_t i = 0; i < minima_count; ++i) {
    for (std::size_t j = 0; j < maxima_count; ++j) {
      const Readout readout{
          .kind = kind, .sigma_min = minima.at(i, minima_count), .sigma_max = maxima.at(j, maxima_count)};
      ReadoutFit fit = with_factors(readout, rows);
      if (fit.nll < best.nll) best = std::move(fit);
    }
  }
  return best;
}

}  // namespace

double Readout::operator()(double raw) const {
  switch (kind) {
    case Kind::exponential: return sigma_max * -std::expm1(-(std::max(0.0, raw) + sigma_min) / sigma_max);
    case Kind::linearised: return sigma_min + std::max(0.0, raw - sigma_min) - std::max(0.0, raw - sigma_max);
    case Kind::network: {
      double sigma = sigma_min;
      for (std::size_t k = 0; k + 1 < weights.size(); k += 2)
        sigma += weights[k] * std::tanh(weights[k + 1] * std::max(0.0, raw));
      return sigma;
    }
    case Kind::identity: break;
  }
  return std::max(0.0, raw);
}

double slope_of(const Readout& readout, double raw) {
  switch (readout.kind) {
    case Readout::Kind::exponential: return raw > 0.0 ? std::exp(-(raw + readout.sigma_min) / readout.sigma_max) : 0.0;
    case Readout::Kind::linearised: return raw > readout.sigma_min && raw < readout.sigma_max ? 1.0 : 0.0;
    case Readout::Kind::network: {
      double slope = 0.0;
      for (std::size_t k = 0; raw > 0.0 && k + 1 < readout.weights.size(); k += 2) {
        const double reached = std::tanh(readout.weights[k + 1] * raw);
        slope += readout.weights[k] * readout.weights[k + 1] * (1.0 - reached * reached);
      }
      return slope;
    }
    case Readout::Kind::identity: break;
  }
  return raw > 0.0 ? 1.0 : 0.0;
}

void check(const Readout& readout) {
  constexpr const char* where = "models/readout";
  const std::size_t count = readout.weights.size();
  if (readout.kind != Readout::Kind::network) {
    if (count == 0) return;
    throw ConfigError(where, fmt::format("readout.weights has {} numbers, but only readout.kind = network has weights; "
                                         "leave them out",
                                         count));
  }
  if (count == 0 || count % 2 != 0) {
    throw ConfigError(where, fmt::format("readout.kind = network needs readout.weights, the height and the slope of "
                                         "each unit, got {} numbers; fit_readout learns them from rows that the fit "
                                         "has not seen",
                                         count));
  }
}

Fields fields_of(Readout& readout) {
  Fields f("models/readout");
  f.add_choice("kind", readout.kind, {"exponential", "linearised", "identity", "network"},
               "map from the raw output to sigma");
  f.add("sigma_min", readout.sigma_min, Range::at_least(0.0), "approximately the smallest sigma");
  f.add("sigma_max", readout.sigma_max, Range::positive(), "approximately the largest sigma");
  f.add("weights", readout.weights, Range::at_least(0.0),
        "of kind = network: height and slope of each unit in turn, as fit_readout learns them");
  f.added_later("weights", std::vector<double>{});
  return f;
}

ReadoutFit fit_readout(Readout::Kind kind, const ReadoutRows& rows) {
  if (kind == Readout::Kind::identity) return with_factors({.kind = kind}, rows);
  if (kind == Readout::Kind::network) return with_factors(learned_readout(rows), rows);
  Interval minima = all_minima;
  Interval maxima = all_maxima;
  ReadoutFit best = best_on_grid(kind, rows, minima, maxima);
  for (int refinement = 0; refinement < 2; ++refinement) {
    minima = minima.around(best.readout.sigma_min, minima_count, all_minima);
    maxima = maxima.around(best.readout.sigma_max, maxima_count, all_maxima);
    ReadoutFit finer = best_on_grid(kind, rows, minima, maxima);
    if (finer.nll < best.nll) best = std::move(finer);
  }
  return best;
}

}  // namespace nomu
