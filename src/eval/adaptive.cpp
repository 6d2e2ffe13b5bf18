#include "nomu/eval/adaptive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "eval/row_checks.hpp"
#include "nomu/core/error.hpp"
#include "nomu/eval/calibration.hpp"

namespace nomu {
namespace {

constexpr std::string_view where = "eval/adaptive";

double side(const PredictedRow& row, double error) { return error < 0.0 ? row.sigma_below : row.sigma_above; }

void check_spec(const AdaptiveSpec& spec) {
  require_level(where, spec.level);
  if (!(spec.step > 0.0 && std::isfinite(spec.step)))
    throw ConfigError(where, fmt::format("the step must be positive, got {}", spec.step));
  if (!(spec.memory >= 0.0 && spec.memory < 1.0))
    throw ConfigError(where, fmt::format("the weight of the newest result must be in [0, 1), got {}", spec.memory));
}

}  // namespace

AdaptiveBounds::AdaptiveBounds(std::span<const double> errors, const AdaptiveSpec& spec) : spec_(spec) {
  check_spec(spec);
  require_finite(where, "error", errors);
  const auto n = static_cast<double>(errors.size());
  double sum = 0.0;
  for (const double error : errors) sum += std::abs(error);
  spread_ = sum > 0.0 ? sum / n : 1.0;
  std::vector<double> scores;
  // Replays the past errors, starting from the mean and spread of all of them, so that the first bounds continue them.
  for (const double error : errors) {
    scores.push_back(score_of(error));
    const double distance = std::abs(error - mean_);
    mean_ += spec_.memory * (error - mean_);
    spread_ += spec_.memory * (distance - spread_);
  }
  std::ranges::sort(scores);
  const double rank = std::ceil((n + 1.0) * spec_.level - 1e-9);
  reach_ = scores[static_cast<std::size_t>(std::clamp(rank, 1.0, n)) - 1];
  farthest_ = reach_;
}

double AdaptiveBounds::score_of(double error) const {
  const double distance = std::abs(error - mean_);
  return spread_ > 0.0 ? distance / spread_ : distance;
}

AdaptiveInterval AdaptiveBounds::interval(const PredictedRow& row) const {
  const double width = std::max(0.0, reach_) * (spread_ > 0.0 ? spread_ : 1.0);
  const double low = mean_ - width;
  const double high = mean_ + width;
  return {.lower = row.mean + low * side(row, low), .upper = row.mean + high * side(row, high)};
}

void AdaptiveBounds::update(double target, const PredictedRow& row) {
  const double residual = target - row.mean;
  const double sigma = side(row, residual);
  const double error = residual / sigma;
  if (!(std::isfinite(residual) && std::isfinite(sigma) && sigma > 0.0 && std::isfinite(error))) {
    throw DataError(where, fmt::format("a result of {} for a mean of {} and a sigma of {}; all three, and the error in "
                                       "units of sigma, must be finite, and sigma positive",
                                       target, row.mean, sigma));
  }
  const double score = score_of(error);
  const bool miss = score > std::max(0.0, reach_);
  ++rows_;
  missed_ += miss ? 1 : 0;
  // The reach moves by step (miss - alpha), in total by step (missed - alpha rows). It stays between -step and the
  // farthest score plus step, so the share of misses is as near to alpha as `allowance` says. While there are more
  // misses than alpha allows, the reach does not shrink, so that the bounds can catch up with a drift; this changes the
  // proof only by how far the reach moves after the last such row.
  const double alpha = 1.0 - spec_.level;
  const bool behind = static_cast<double>(missed_) > alpha * static_cast<double>(rows_);
  reach_ += spec_.step * ((miss ? 1.0 : 0.0) - (behind ? 0.0 : alpha));
  farthest_ = std::max(farthest_, score);
  const double distance = std::abs(error - mean_);
  mean_ += spec_.memory * (error - mean_);
  spread_ += spec_.memory * (distance - spread_);
}

double AdaptiveBounds::allowance() const {
  if (rows_ == 0) return 1.0;
  return std::min(1.0, (farthest_ + 2.0 * spec_.step) / (spec_.step * static_cast<double>(rows_)));
}

std::string AdaptiveBounds::guarantee() const {
  std::string promise =
      fmt::format("as results come in, the share of rows within their bounds approaches {}, whatever the rows do",
                  percent(spec_.level));
  if (rows_ == 0) return promise;
  return fmt::format("{}; so far {} of {} ({}), proven to be within {} of it", promise, rows_ - missed_, rows_,
                     percent(static_cast<double>(rows_ - missed_) / static_cast<double>(rows_)), percent(allowance()));
}

}  // namespace nomu
