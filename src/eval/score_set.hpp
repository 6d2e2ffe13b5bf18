#pragma once
// Which scores of a conformal calibration decide the bounds of a row, and what each of them counts. Rows of one unit
// count once together (Lee, Barber and Willett 2023, "Distribution-free inference with hierarchical data").

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "nomu/eval/calibration.hpp"

namespace nomu {

/// Some scores of a calibration.
struct ScoreSet {
  std::vector<std::size_t> scores;  ///< indices into `Calibration::scores`, ascending
  std::vector<double> masses = {};  ///< of each score, 1 for all scores of a unit; empty: 1 each
  std::size_t units = 0;
  CalibrationUnit unit = CalibrationUnit::rows;

  /// Bounds are the wider of those by units and those by rows.
  [[nodiscard]] bool rows_too() const { return unit == CalibrationUnit::new_inputs && !masses.empty(); }
};

[[nodiscard]] ScoreSet all_scores(const Calibration& calibration);
[[nodiscard]] ScoreSet stratum_scores(const Calibration& calibration, std::size_t stratum);

/// Whether there are enough units for a level.
[[nodiscard]] bool supports(const ScoreSet& set, double level);

/// The conformal quantile of the scores. Throws ConfigError naming the number of units needed.
[[nodiscard]] double score_at(const Calibration& calibration, const ScoreSet& set, double level);

/// The ends of the CV+ bounds, from what each score of the set gives as lower and upper end. Nested in the level: where
/// the ends cross, they are those of the lowest level at which they do not.
[[nodiscard]] std::pair<double, double> cross_ends(const ScoreSet& set, std::vector<double> lows,
                                                   std::vector<double> highs, double level);

/// The sets of scores that decide the bounds of a level: one for all rows, or one for each stratum.
class LevelSets {
 public:
  /// Throws ConfigError when not even all scores support the level.
  LevelSets(const Calibration& calibration, double level);

  [[nodiscard]] const ScoreSet& of(const std::string& stratum) const;
  /// The set with the largest quantile, for rows of which no stratum is known.
  [[nodiscard]] const ScoreSet& widest() const { return sets_[widest_]; }
  [[nodiscard]] double score(const ScoreSet& set) const {
    return scores_[static_cast<std::size_t>(&set - sets_.data())];
  }
  /// The strata that share the bounds of all rows, because they have too few.
  [[nodiscard]] std::vector<std::string> pooled() const;

 private:
  const Calibration* calibration_;
  std::vector<ScoreSet> sets_;  // of all scores, then of each stratum; empty where it has too few
  std::vector<double> scores_;
  std::size_t widest_ = 0;
};

}  // namespace nomu
