#pragma once
/// Refusals of a report: what `report_plots` and `render_report` ask of their subject.

#include "nomu/report/report.hpp"

namespace nomu {

/// Throws DataError where sizes do not fit or a number is not finite, ConfigError where the calibration does not
/// support the level or a function is missing.
void check_subject(const ReportSubject& subject);

}  // namespace nomu
