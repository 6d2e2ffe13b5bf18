#pragma once
// Which scores of a conformal calibration decide the bounds of a row, and how much each of them counts. Rows of one
// unit count once together (Lee, Barber and Willett 2023, "Distribution-free inference with hierarchical data").

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

/// Whether there are enough units for a level.
[[nodiscard]] bool supports(const ScoreSet& set, double level);

/// The conformal quantile of the scores. Throws ConfigError naming the number of units needed.
[[nodiscard]] double score_at(const Calibration& calibration, const ScoreSet& set, double level);

/// The ends of the CV+ bounds, from what each score of the set gives as lower and upper end. Nested in the level: where
/// the ends cross, they are those of the lowest level at which they do not.
[[nodiscard]] std::pair<double, double> cross_ends(const ScoreSet& set, std::vector<double> lows,
                                                   std::vector<double> highs, double level);

/// The sets of scores that decide the bounds of a level: one for all rows, or, with strata, one for each name with
/// enough units and one for the rare names together.
///
/// A name is rare if it would have too few units without one of them. That unit may be the new row's: by this rule the
/// new row sees the same names as rare that every calibration row does, so that rows of rare names are exchangeable and
/// the claim about them together is exact. A name with just enough units is therefore rare and still has its own set.
class LevelSets {
 public:
  /// Throws ConfigError when not even all scores support the level.
  LevelSets(const Calibration& calibration, double level);

  [[nodiscard]] const ScoreSet& of(const std::string& stratum) const;
  [[nodiscard]] const ScoreSet& of(std::size_t stratum) const;
  /// What the bounds of a stratum rest on.
  [[nodiscard]] StratumClaim::Basis basis(std::size_t stratum) const;
  /// The set with the largest quantile, for rows whose name is unknown.
  [[nodiscard]] const ScoreSet& widest() const { return sets_[widest_]; }
  [[nodiscard]] double score(const ScoreSet& set) const {
    return scores_[static_cast<std::size_t>(&set - sets_.data())];
  }

 private:
  void add(const Calibration& calibration, ScoreSet set, double level);

  const Calibration* calibration_;
  std::vector<ScoreSet> sets_;  // of all scores, then of each stratum, then of the rare ones; empty where too few
  std::vector<double> scores_;
  std::size_t widest_ = 0;
};

}  // namespace nomu
