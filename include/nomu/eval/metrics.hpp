#pragma once
/// Scores of bounds and predictive distributions on the rows of one data set: the paper's NLL, CP, MW and AUC, and
/// other common scores. Spans are [q] each: means, standard deviations and targets in the units of the target.

#include <cstddef>
#include <span>
#include <vector>

#include "nomu/core/prediction.hpp"
#include "nomu/eval/bounds.hpp"

namespace nomu {

/// Whether a likelihood includes ln(2 pi) / 2: the paper's synthetic tables leave it out, its UCI tables include it.
enum class NllConstant { left_out, included };

/// Signed (y - mean) / sigma. This and all functions below throw DataError when sizes differ, there are no rows or a
/// number is not finite; those that divide by sigma also when a sigma is 0, naming the row.
[[nodiscard]] std::vector<double> standardised_residuals(std::span<const double> mean, std::span<const double> sigma,
                                                         std::span<const double> target);

/// Mean negative log Gaussian likelihood.
[[nodiscard]] double nll(std::span<const double> mean, std::span<const double> sigma, std::span<const double> target,
                         NllConstant constant);

/// The smallest NLL over all factors c on sigma, and the minimiser c = sqrt(mean z^2).
struct MinimalNll {
  double value = 0.0;
  double c = 0.0;
};
/// In closed form: mean(ln sigma) + ln(mean z^2) / 2 + 1/2. Throws DataError when every target equals its mean.
[[nodiscard]] MinimalNll minimal_nll(std::span<const double> mean, std::span<const double> sigma,
                                     std::span<const double> target, NllConstant constant);

/// Coverage probability CP: the share of targets with lower <= y <= upper.
[[nodiscard]] double coverage(std::span<const double> lower, std::span<const double> upper,
                              std::span<const double> target);
[[nodiscard]] double coverage(const Bounds& bounds, std::span<const double> target);
/// CP of mean -+ c sigma. Throws ConfigError for a c that is negative or not finite.
[[nodiscard]] double coverage(std::span<const double> mean, std::span<const double> sigma,
                              std::span<const double> target, double c);

/// Mean width MW: the mean of abs(upper - lower) over all rows, covered or not.
[[nodiscard]] double mean_width(std::span<const double> lower, std::span<const double> upper);
[[nodiscard]] double mean_width(const Bounds& bounds);
/// MW of mean -+ c sigma; c as above.
[[nodiscard]] double mean_width(std::span<const double> sigma, double c);

/// One point of the MW-CP curve.
struct CurvePoint {
  double c = 0.0;
  double coverage = 0.0;
  double mean_width = 0.0;
};

/// The exact curve from c = 0 to the first c with CP = 1. CP jumps at every c = abs(z_i) while MW grows steadily, so
/// each jump gives two points with the same c, before and after it. A row may have sigma 0 if its target equals the
/// mean; otherwise no c covers it, and DataError is thrown.
[[nodiscard]] std::vector<CurvePoint> mw_cp_curve(std::span<const double> mean, std::span<const double> sigma,
                                                  std::span<const double> target);

/// The paper's AUC, the integral of MW over CP along the exact curve, in closed form: 2 mean(sigma) mean(abs(z)).
[[nodiscard]] double auc(std::span<const double> mean, std::span<const double> sigma, std::span<const double> target);

/// Mean continuous ranked probability score of Gaussian predictions; abs(y - mean) where sigma is 0.
[[nodiscard]] double crps(std::span<const double> mean, std::span<const double> sigma, std::span<const double> target);

/// Mean interval score of central bounds of `level`: the width, plus 2 / (1 - level) times the distance by which the
/// target is missed. Throws ConfigError when the level is not inside (0, 1).
[[nodiscard]] double interval_score(std::span<const double> lower, std::span<const double> upper,
                                    std::span<const double> target, double level);
[[nodiscard]] double interval_score(const Bounds& bounds, std::span<const double> target, double level);

[[nodiscard]] double rmse(std::span<const double> mean, std::span<const double> target);

/// The area between the diagonal and the share of rows whose predicted level Phi(z_i) is at most p, over p in [0, 1],
/// integrated exactly: 0 when all Gaussian quantiles are right, at most 1/2.
[[nodiscard]] double miscalibration_area(std::span<const double> mean, std::span<const double> sigma,
                                         std::span<const double> target);

/// Square root of the mean predictive variance.
[[nodiscard]] double sharpness(std::span<const double> sigma);

/// All scores that need neither a level nor bounds.
struct MetricsReport {
  std::size_t rows = 0;
  double rmse = 0.0;
  double nll = 0.0;      ///< constant included
  double min_nll = 0.0;  ///< constant left out, as in the paper's tables
  double best_c = 0.0;   ///< the factor that attains `min_nll`
  double auc = 0.0;
  double full_coverage_c = 0.0;  ///< the paper's c*: the smallest factor that covers every row
  double crps = 0.0;
  double miscalibration_area = 0.0;
  double sharpness = 0.0;
};
[[nodiscard]] MetricsReport measure(std::span<const double> mean, std::span<const double> sigma,
                                    std::span<const double> target);

/// The same for one member of a prediction with its calibrated sigma; where that is asymmetric, with the average of the
/// two sides.
[[nodiscard]] MetricsReport measure(const Prediction& prediction, std::size_t member, std::span<const double> target,
                                    const Calibration& calibration = {});

}  // namespace nomu
