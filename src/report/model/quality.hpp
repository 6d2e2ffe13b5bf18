#pragma once
/// How well the bounds of a report's subject hold on rows with known targets: the numbers behind its plots and tables.

#include <optional>
#include <string>
#include <vector>

#include "nomu/eval/metrics.hpp"
#include "nomu/eval/statistics.hpp"
#include "nomu/report/report.hpp"

namespace nomu {

/// Scores of the bounds at the subject's level on fresh rows.
struct BoundsQuality {
  double coverage = 0.0;
  double mean_width = 0.0;
  double interval_score = 0.0;
  Interval chance = {};  ///< contains the coverage in 19 of 20 samples of this size if the level is right
};

struct ReportQuality {
  std::optional<MetricsReport> metrics = {};
  std::string fault = {};                    ///< why there are no metrics
  std::optional<BoundsQuality> bounds = {};  ///< only for fresh rows and a calibration that claims the level
};

/// Scores the subject's rows, which must not be empty.
[[nodiscard]] ReportQuality measure_quality(const ReportSubject& subject);

/// The range that contains the covered share of `rows` in 19 of 20 samples if `level` is right. For split conformal
/// bounds this allows for the calibration rows being a sample too.
[[nodiscard]] Interval chance_interval(const Calibration& calibration, std::size_t rows, double level);

/// Bounds at these of the subject's rows, for drawing: at the level if the rows are fresh; otherwise mean -+ calibrated
/// sigma, because bounds learned from rows cover those rows by construction.
[[nodiscard]] Bounds drawn_bounds(const ReportSubject& subject, std::span<const std::size_t> rows);

}  // namespace nomu
