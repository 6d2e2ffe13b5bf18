#pragma once
/// The text and tables of a report, chapter by chapter, as finished HTML.

#include <string>

#include "nomu/report/report.hpp"
#include "report/model/quality.hpp"

namespace nomu {

/// What the bands mean and what the calibration guarantees.
[[nodiscard]] std::string meaning_text(const ReportSubject& subject);

/// The scores on the subject's rows, each with a hint on how to read it.
[[nodiscard]] std::string quality_table(const ReportSubject& subject, const ReportQuality& quality);

/// The desiderata and their verdicts.
[[nodiscard]] std::string findings_table(const ReportSubject& subject);

/// Input columns by importance, where there are more than two.
[[nodiscard]] std::string importance_table(const ReportSubject& subject);

/// Epochs, losses, restarts.
[[nodiscard]] std::string fit_text(const ReportSubject& subject);

[[nodiscard]] std::string data_table(const ReportSubject& subject);
[[nodiscard]] std::string settings_table(const ReportSubject& subject);
[[nodiscard]] std::string provenance_table(const ReportSubject& subject);

}  // namespace nomu
