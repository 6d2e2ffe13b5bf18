#include "eval/score_set.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "eval/row_checks.hpp"

namespace nomu {
namespace {

constexpr double rounding_slack = 1e-9;  ///< as in `conformal_rank`

/// What the scores up to a quantile must weigh. Throws ConfigError when all of them do not.
double needed_mass(const ScoreSet& set, double level) {
  (void)conformal_rank(set.units, level, set.unit);
  return level * static_cast<double>(set.units + 1) - rounding_slack;
}

/// Values in the order in which their masses add up, and the sums.
struct Stack {
  std::vector<double> values;
  std::vector<double> sums;

  Stack(const std::vector<double>& given, const std::vector<double>& masses, bool descending) {
    std::vector<std::size_t> order(given.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(
        order, [&](std::size_t a, std::size_t b) { return descending ? given[a] > given[b] : given[a] < given[b]; });
    double sum = 0.0;
    for (const std::size_t i : order) {
      values.push_back(given[i]);
      sums.push_back(sum += masses.empty() ? 1.0 : masses[i]);
    }
  }

  [[nodiscard]] std::size_t reach(double mass) const {
    const auto place = static_cast<std::size_t>(std::ranges::lower_bound(sums, mass) - sums.begin());
    return std::min(place, sums.size() - 1);
  }
};

double nth_smallest(std::vector<double>& values, std::size_t n) {
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(n - 1);
  std::ranges::nth_element(values, place);
  return *place;
}

std::pair<double, double> weighed_ends(const std::vector<double>& lows, const std::vector<double>& highs,
                                       const std::vector<double>& masses, double needed) {
  const Stack low(lows, masses, true);
  const Stack high(highs, masses, false);
  std::size_t i = low.reach(needed);
  std::size_t j = high.reach(needed);
  // The least of the lows never exceeds the greatest of the highs, so this ends.
  while (low.values[i] > high.values[j]) {
    const bool move_low = low.sums[i] <= high.sums[j];
    const bool move_high = high.sums[j] <= low.sums[i];
    const std::size_t before = i + j;
    if (move_low && i + 1 < low.values.size()) ++i;
    if (move_high && j + 1 < high.values.size()) ++j;
    if (i + j == before) break;  // only where a warp from a damaged file turns the order around
  }
  return {low.values[i], high.values[j]};
}

/// The rows of a unit that are among `scores` share its mass.
ScoreSet set_of(const Calibration& calibration, std::vector<std::size_t> scores) {
  ScoreSet set{.scores = std::move(scores), .unit = calibration.unit};
  set.units = set.scores.size();
  if (calibration.score_units.empty()) return set;
  std::map<std::size_t, double> rows;
  for (const std::size_t i : set.scores) ++rows[calibration.score_units[i]];
  set.units = rows.size();
  for (const std::size_t i : set.scores) set.masses.push_back(1.0 / rows.at(calibration.score_units[i]));
  return set;
}

}  // namespace

ScoreSet all_scores(const Calibration& calibration) {
  std::vector<std::size_t> scores(calibration.scores.size());
  std::iota(scores.begin(), scores.end(), std::size_t{0});
  return set_of(calibration, std::move(scores));
}

bool supports(const ScoreSet& set, double level) {
  return level * static_cast<double>(set.units + 1) <= static_cast<double>(set.units) + rounding_slack;
}

double score_at(const Calibration& calibration, const ScoreSet& set, double level) {
  const double needed = needed_mass(set, level);
  const std::size_t by_rows =
      set.scores.size() >= set.units && supports({.scores = {}, .units = set.scores.size()}, level)
          ? conformal_rank(set.scores.size(), level) - 1
          : 0;
  if (set.masses.empty()) return calibration.scores[set.scores[by_rows]];
  double sum = 0.0;
  std::size_t place = 0;
  for (; place + 1 < set.scores.size(); ++place) {
    sum += set.masses[place];
    if (sum >= needed) break;
  }
  if (set.rows_too()) place = std::max(place, by_rows);
  return calibration.scores[set.scores[place]];
}

std::pair<double, double> cross_ends(const ScoreSet& set, std::vector<double> lows, std::vector<double> highs,
                                     double level) {
  const double needed = needed_mass(set, level);
  if (!set.masses.empty()) {
    std::pair<double, double> ends = weighed_ends(lows, highs, set.masses, needed);
    if (!set.rows_too()) return ends;
    ScoreSet rows{.scores = set.scores, .units = set.scores.size()};
    const auto [lower, upper] = cross_ends(rows, std::move(lows), std::move(highs), level);
    return {std::min(ends.first, lower), std::max(ends.second, upper)};
  }
  // floor((n + 1) alpha) and ceil((n + 1) (1 - alpha)) add up to n + 1.
  const std::size_t n = lows.size();
  const std::size_t rank = conformal_rank(n, level, set.unit);
  const double lower = nth_smallest(lows, n + 1 - rank);
  const double upper = nth_smallest(highs, rank);
  return lower <= upper ? std::pair(lower, upper) : weighed_ends(lows, highs, {}, needed);
}

LevelSets::LevelSets(const Calibration& calibration, double level) : calibration_(&calibration) {
  sets_.push_back(all_scores(calibration));
  scores_.push_back(score_at(calibration, sets_[0], level));
  if (calibration.strata.empty()) return;
  std::vector<std::vector<std::size_t>> own(calibration.strata.size());
  for (std::size_t i = 0; i < calibration.scores.size(); ++i) own[calibration.score_strata[i]].push_back(i);
  std::vector<std::size_t> rare;
  for (std::vector<std::size_t>& scores : own) {
    ScoreSet set = set_of(calibration, std::move(scores));
    if (set.units == 0 || !supports({.scores = {}, .units = set.units - 1}, level))
      rare.insert(rare.end(), set.scores.begin(), set.scores.end());
    add(calibration, std::move(set), level);
  }
  std::ranges::sort(rare);
  add(calibration, set_of(calibration, std::move(rare)), level);
}

void LevelSets::add(const Calibration& calibration, ScoreSet set, double level) {
  const bool enough = set.units > 0 && supports(set, level);
  scores_.push_back(enough ? score_at(calibration, set, level) : 0.0);
  sets_.push_back(enough ? std::move(set) : ScoreSet{});
  if (scores_.back() > scores_[widest_]) widest_ = scores_.size() - 1;
}

StratumClaim::Basis LevelSets::basis(std::size_t stratum) const {
  if (!sets_[1 + stratum].scores.empty()) return StratumClaim::Basis::own;
  return sets_.back().scores.empty() ? StratumClaim::Basis::nothing : StratumClaim::Basis::rare_together;
}

const ScoreSet& LevelSets::of(std::size_t stratum) const {
  switch (basis(stratum)) {
    case StratumClaim::Basis::own: return sets_[1 + stratum];
    case StratumClaim::Basis::rare_together: return sets_.back();
    case StratumClaim::Basis::nothing: break;
  }
  return widest();
}

const ScoreSet& LevelSets::of(const std::string& stratum) const {
  const auto found = std::ranges::lower_bound(calibration_->strata, stratum);
  if (found == calibration_->strata.end() || *found != stratum) return widest();
  return of(static_cast<std::size_t>(found - calibration_->strata.begin()));
}

}  // namespace nomu
