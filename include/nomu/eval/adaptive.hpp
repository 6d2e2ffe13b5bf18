#pragma once
/// Bounds for rows that arrive one after another and may drift: each result moves the bounds of the rows after it, so
/// that the share of rows within them approaches the level whatever the rows do. Adaptive conformal inference (Gibbs
/// and Candes 2021) in the form of quantile tracking (Angelopoulos, Candes and Tibshirani 2023).

#include <cstddef>
#include <span>
#include <string>

namespace nomu {

/// How quickly bounds follow the results.
struct AdaptiveSpec {
  double level = 0.95;
  double step = 0.2;     ///< change of the width after each result, in mean absolute errors
  double memory = 0.05;  ///< weight of the newest result in the running mean error and mean absolute error
};

/// What a model predicts for one row: calibrated standard deviations on either side of the mean.
struct PredictedRow {
  double mean = 0.0;
  double sigma_above = 1.0;
  double sigma_below = 1.0;
};

struct AdaptiveInterval {
  double lower = 0.0;
  double upper = 0.0;
};

class AdaptiveBounds {
 public:
  /// Starts from the errors of rows that the model has not seen, (y - mean) / sigma each, the earliest first. Throws
  /// ConfigError for a level outside (0, 1) and other impossible settings, DataError if there are no errors or one is
  /// not finite.
  explicit AdaptiveBounds(std::span<const double> errors, const AdaptiveSpec& spec = {});

  /// Bounds of the next row; they depend only on results given before.
  [[nodiscard]] AdaptiveInterval interval(const PredictedRow& row) const;

  /// The result of a row. Throws DataError if it or the prediction is not finite, or a sigma is not positive.
  void update(double target, const PredictedRow& row);

  /// Results so far, and how many of them were not within the bounds given before.
  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t missed() const { return missed_; }

  /// How far the share of rows within their bounds can be from the level at most, proven for these rows without any
  /// assumption about them; it falls like 1 over their number. 1 before the first result.
  [[nodiscard]] double allowance() const;

  /// The same as a sentence.
  [[nodiscard]] std::string guarantee() const;

 private:
  /// The error of a result in mean absolute errors from the mean error.
  [[nodiscard]] double score_of(double error) const;

  AdaptiveSpec spec_;
  double mean_ = 0.0;      // of recent errors
  double spread_ = 1.0;    // their mean absolute distance from it
  double reach_ = 0.0;     // half width in spreads
  double farthest_ = 0.0;  // largest score or first reach
  std::size_t rows_ = 0;
  std::size_t missed_ = 0;
};

}  // namespace nomu
