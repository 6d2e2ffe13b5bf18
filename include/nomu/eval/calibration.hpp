#pragma once
/// Turns predicted standard deviations into bounds that hold, by learning factors or residuals from rows the model has
/// not seen. Every calibration states what it guarantees, and refuses levels it cannot support.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nomu/core/prediction.hpp"

namespace nomu {

/// What a model predicted for the rows of one data set, in the units of the target.
struct PredictedRows {
  std::vector<double> mean;              ///< [q]
  std::vector<double> sigma_model;       ///< [q], not negative
  std::vector<double> sigma_noise = {};  ///< [q]; empty: no data noise is modelled
  std::vector<double> sigma_below = {};  ///< [q], `sigma_model` below the mean; empty: symmetric

  [[nodiscard]] std::size_t rows() const { return mean.size(); }
};

/// One member of a prediction, in double precision. Throws DataError when there is no such member or the shapes do not
/// match.
[[nodiscard]] PredictedRows predicted_rows(const Prediction& prediction, std::size_t member = 0);

enum class CalibrationKind {
  none,             ///< nothing was calibrated: no level may be claimed
  nll,              ///< one factor c, by maximum Gaussian likelihood
  separate,         ///< one factor each for model and noise, by maximum Gaussian likelihood
  coverage,         ///< the smallest c that covers a share of the rows: one level only
  width,            ///< the c that gives a mean width: no level
  conformal,        ///< split conformal, on residuals over sigma
  cross_conformal,  ///< jackknife+ or CV+ from out-of-fold predictions; see `cross_bounds`
  isotonic,         ///< quantiles recalibrated by an increasing map
};

/// "nll", "cross_conformal", ...
[[nodiscard]] std::string_view to_text(CalibrationKind kind);

/// Which new rows a calibration makes its claim about, and therefore what it counts.
enum class CalibrationUnit {
  rows,          ///< new rows like the calibration rows
  new_inputs,    ///< rows with inputs that no row had; rows with equal inputs count once together
  known_inputs,  ///< rows that repeat the inputs of calibration rows
  new_groups,    ///< rows of new groups; the rows of a group count once together
  later_rows,    ///< later rows, as far as they are like the latest ones
};

/// "rows", "new_inputs", ...
[[nodiscard]] std::string_view to_text(CalibrationUnit unit);

/// What is known about the rows of a calibration besides their predictions.
struct CalibrationRows {
  CalibrationUnit unit = CalibrationUnit::rows;
  std::vector<std::size_t> units = {};   ///< [q], rows of the same unit have the same number; empty: each row is one
  std::vector<std::string> strata = {};  ///< [q], names within each of which coverage is wanted; empty: none
};

/// Plain data that archives can store. The calibrated standard deviation is sqrt((c_model sigma_model)^2 + (c_noise
/// sigma_noise)^2), so c_model^2 and c_noise^2 are the paper's c1 and c2; a single c is stored in both.
struct Calibration {
  CalibrationKind kind = CalibrationKind::none;
  double c_model = 1.0;
  double c_noise = 1.0;
  double level = 0.0;                         ///< coverage: the level it was made for; otherwise 0
  std::size_t rows = 0;                       ///< rows it was learned from
  std::vector<double> scores = {};            ///< conformal kinds: abs(y - mean) / calibrated sigma, ascending
  std::vector<std::size_t> score_folds = {};  ///< cross_conformal: the fold (0, 1, ...) of each score's row
  std::vector<double> knots =
      {};  ///< isotonic: (y - mean) / calibrated sigma, ascending; knot i has level (i+1)/(rows+1)
  CalibrationUnit unit = CalibrationUnit::rows;
  std::size_t units = 0;                       ///< number of units; 0: one per row
  std::vector<std::size_t> score_units = {};   ///< conformal kinds: the unit of each score's row; empty: one per row
  std::vector<std::string> strata = {};        ///< conformal kinds: names with a coverage of their own, sorted
  std::vector<std::size_t> score_strata = {};  ///< the stratum of each score's row; empty: none

  friend bool operator==(const Calibration&, const Calibration&) = default;
};

/// Throws DataError when a calibration read from an archive is not valid: unordered scores, wrong counts, ...
void check_calibration(const Calibration& calibration);

/// Number of units that the calibration was learned from: rows, distinct inputs or groups.
[[nodiscard]] std::size_t unit_count(const Calibration& calibration);

/// The calibration with these units attached, for kinds that prove nothing and only state what they measured.
[[nodiscard]] Calibration with_units(Calibration calibration, const CalibrationRows& known);

/// One c by likelihood: the root mean square of (y - mean) / sigma, which minimises the Gaussian NLL. Needs no level.
/// This and the functions below throw DataError when sizes do not match, a number is not finite, or a sigma is 0.
[[nodiscard]] Calibration calibrate_nll(const PredictedRows& rows, std::span<const double> targets);

/// c_model and c_noise by likelihood; either may become 0. Throws ConfigError when no noise is modelled.
[[nodiscard]] Calibration calibrate_separate(const PredictedRows& rows, std::span<const double> targets);

/// The smallest c with at least `level` of the targets inside mean -+ c sigma.
[[nodiscard]] Calibration calibrate_coverage(const PredictedRows& rows, std::span<const double> targets, double level);

/// The c that makes mean -+ c sigma `mean_width` wide on average. Throws ConfigError unless the width is positive.
[[nodiscard]] Calibration calibrate_width(const PredictedRows& rows, double mean_width);

/// Split conformal. The rows must not have been used for fitting, nor for the c_model and c_noise of `base` when those
/// differ (a single c cancels). Rows of the same unit count once together (hierarchical conformal: Lee, Barber and
/// Willett 2023); for `new_inputs` the bounds are the wider of those by units and those by rows. Strata get scores of
/// their own (Mondrian); see `stratum_claims`.
[[nodiscard]] Calibration calibrate_conformal(const PredictedRows& rows, std::span<const double> targets,
                                              const Calibration& base = {}, const CalibrationRows& known = {});

/// CV+ (one row per fold: jackknife+). Row i was predicted by the model fitted without fold `folds[i]`; folds are
/// numbered 0, 1, ... without gaps. Throws ConfigError when there are fewer than two. Units and strata as above; a unit
/// must lie in one fold.
[[nodiscard]] Calibration calibrate_cross_conformal(const PredictedRows& out_of_fold, std::span<const double> targets,
                                                    std::span<const std::size_t> folds, const Calibration& base = {},
                                                    const CalibrationRows& known = {});

/// Recalibrates quantiles as Kuleshov et al. (2018) do. The increasing map is the empirical distribution of the
/// predicted levels of the targets, stored as standardised residuals so that it neither saturates in the tails nor
/// depends on sigma's scale.
[[nodiscard]] Calibration calibrate_isotonic(const PredictedRows& rows, std::span<const double> targets,
                                             const Calibration& base = {});

/// Calibrated standard deviations above and below the mean, [q] each; equal where the prediction is symmetric.
struct CalibratedSigma {
  std::vector<double> above;
  std::vector<double> below;
};
[[nodiscard]] CalibratedSigma calibrated_sigma(const Calibration& calibration, const PredictedRows& rows);

/// One calibrated standard deviation per row, [q]: the average of the two sides where they differ.
[[nodiscard]] std::vector<double> central_sigma(const Calibration& calibration, const PredictedRows& rows);

/// A central interval in calibrated standard deviations: mean - below sigma to mean + above sigma. Isotonic intervals
/// need not be centred; `below` or `above` is negative where the mean lies outside the interval.
struct Multipliers {
  double below = 0.0;
  double above = 0.0;
};

/// Throws ConfigError when the level is not inside (0, 1) or the calibration does not support it: uncalibrated, made
/// for another level or for none, or with too few rows (the message says how many are needed).
[[nodiscard]] Multipliers multipliers(const Calibration& calibration, double level);

/// Half the width of the interval at `level` for a symmetric prediction. Throws ConfigError as `multipliers` does.
[[nodiscard]] double half_width(const Calibration& calibration, double sigma_model, double sigma_noise, double level);

/// The rank, from 1, of the score that a level needs among n ascending scores: ceil((n + 1) level). Throws ConfigError
/// naming the number of rows, or of other units, needed when it exceeds n.
[[nodiscard]] std::size_t conformal_rank(std::size_t rows, double level, CalibrationUnit unit = CalibrationUnit::rows);

/// The coverage that is proven for the new rows that the calibration's unit names; 0 if none is, as for later rows.
/// With strata, what is proven for every stratum with a coverage in `stratum_claims`. For CV+ this is 1 - 2 alpha
/// less the allowance for K folds of Barber et al. (2021), Theorem 4. Throws ConfigError as `multipliers` does, except
/// that it accepts cross_conformal.
[[nodiscard]] double guaranteed_coverage(const Calibration& calibration, double level);

/// The same as a sentence. Ignores the level for a calibration of kind width, which has none.
[[nodiscard]] std::string guarantee(const Calibration& calibration, double level);

/// What bounds of a level promise for the rows of one stratum.
struct StratumClaim {
  enum class Basis {
    own,            ///< the scores of the stratum itself: the promise holds within it
    rare_together,  ///< the scores of all rare strata: the promise holds for them together, not for each one
    nothing,        ///< too few scores even then: the widest bounds of any stratum, without a promise
  };
  std::string name;
  std::size_t rows = 0;   ///< number of calibration rows
  std::size_t units = 0;  ///< number of calibration units; one per row if rows are counted
  Basis basis = Basis::nothing;
  double coverage = 0.0;  ///< as `guaranteed_coverage`; 0: none
};

/// "own", "rare_together", "nothing"
[[nodiscard]] std::string_view to_text(StratumClaim::Basis basis);

/// In the order of the names; empty without strata. Throws ConfigError as `multipliers` does, except that it accepts
/// cross_conformal.
[[nodiscard]] std::vector<StratumClaim> stratum_claims(const Calibration& calibration, double level);

/// A share as printed in messages and reports: "95 %", "99.999 %".
[[nodiscard]] std::string percent(double share);

}  // namespace nomu
