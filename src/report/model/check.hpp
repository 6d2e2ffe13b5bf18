#pragma once
/// Checks on the subject of a report, made before anything is drawn or written.

#include "nomu/report/report.hpp"

namespace nomu {

/// Throws DataError when sizes do not match or a number is not finite, ConfigError when the calibration does not
/// support the level or a function is missing.
void check_subject(const ReportSubject& subject);

}  // namespace nomu
