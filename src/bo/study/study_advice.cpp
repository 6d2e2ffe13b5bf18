// What the results of a study suggest to do otherwise.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bo/study/study_parts.hpp"
#include "bo/surrogate/learned.hpp"
#include "nomu/bo/insight.hpp"
#include "nomu/core/counted.hpp"
#include "nomu/eval/statistics.hpp"

namespace nomu {
namespace {

constexpr std::size_t enough_for_noise = 20;  ///< fewer results leave the noise of the model to its prior
/// Of the variance of the results. Where they say nothing about noise its prior leaves 1e-4; Branin with a noise of 6 %
/// of its deviation had 3e-4 to 2e-3 in five of six draws of 20 and 50 random results, and 6e-5 in one.
constexpr double much_noise = 2e-4;
constexpr std::size_t enough_for_quartiles = 8;
constexpr double far_away = 1000.0;  ///< interquartile ranges from the median

std::optional<std::string> advice_on_noise(const Learned& learned) {
  const double noise = learned.process.kernel().noise;
  const double share = noise / (1.0 + noise);
  if (share < much_noise) return {};
  return fmt::format(
      "the model explains {:.2g} % of the variance of the results as noise; if the same point may give different "
      "results, use a study with noisy = true, whose best point is the best by the model",
      100.0 * share);
}

}  // namespace

std::optional<std::string> advice_on_penalties(std::span<const double> results, Direction direction) {
  if (results.size() < enough_for_quartiles) return {};
  const double median = quantile(results, 0.5);
  const double range = quantile(results, 0.75) - quantile(results, 0.25);
  const double sign = direction == Direction::maximize ? -1.0 : 1.0;
  std::size_t count = 0;
  double worst = median;
  for (const double result : results) {
    if (!(range > 0.0) || sign * (result - median) <= far_away * range) continue;
    ++count;
    if (sign * result > sign * worst) worst = result;
  }
  if (count == 0) return {};
  return fmt::format(
      "{}, {} for example, {} more than a thousand interquartile ranges worse than the median; if that stands for a "
      "failure, tell it as failed, with a reason, so that no model has to explain the number",
      counted(count, "result"), worst, count == 1 ? "is" : "are");
}

std::vector<std::string> Study::advice() const {
  const auto lock = parts_->lock();
  const History history = parts_->store.snapshot(spec()).history;
  std::vector<std::string> all;
  if (!spec().noisy && history.values.size() >= enough_for_noise) {
    const std::shared_ptr<const Learned> learned = parts_->suggester.learned(history);
    std::optional<std::string> noise = learned ? advice_on_noise(*learned) : std::nullopt;
    if (noise) all.push_back(std::move(*noise));
  }
  if (std::optional<std::string> penalties = advice_on_penalties(history.values, spec().direction))
    all.push_back(std::move(*penalties));
  return all;
}

}  // namespace nomu
