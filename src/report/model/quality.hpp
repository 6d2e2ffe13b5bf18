#pragma once
/// How the bounds of a report's subject fare on rows with known targets: the numbers behind its pictures and tables.

#include <optional>
#include <string>
#include <vector>

#include "nomu/eval/metrics.hpp"
#include "nomu/eval/statistics.hpp"
#include "nomu/report/report.hpp"

namespace nomu {

/// Bounds of the subject's level on fresh rows.
struct BoundsQuality {
  double coverage = 0.0;
  double mean_width = 0.0;
  double interval_score = 0.0;
  Interval chance = {};  ///< where the coverage falls in 19 of 20 samples of as many rows when the level is right
};

struct ReportQuality {
  std::optional<MetricsReport> metrics = {};
  std::string fault = {};                    ///< why there are no metrics
  std::optional<BoundsQuality> bounds = {};  ///< fresh rows and a calibration that claims the level only
};

/// Of the subject's rows; it must have some.
[[nodiscard]] ReportQuality measure_quality(const ReportSubject& subject);

/// Where a share of `rows` falls in 19 of 20 samples when `level` is right. For split conformal bounds this counts that
/// their calibration rows were a sample too.
[[nodiscard]] Interval chance_interval(const Calibration& calibration, std::size_t rows, double level);

/// Bounds at the subject's rows, drawn only: of the level where they are fresh, mean -+ calibrated sigma otherwise,
/// because bounds that rows have set cover those rows by construction.
[[nodiscard]] Bounds drawn_bounds(const ReportSubject& subject, std::span<const std::size_t> rows);

}  // namespace nomu
