#pragma once
/// The plots of a report, by chapter. Each function returns those the subject has data for.

#include <vector>

#include "nomu/report/report.hpp"

namespace nomu {

/// What the model predicts: bands over one input, heat maps over two, and with more inputs the mean along the most
/// important ones.
[[nodiscard]] std::vector<NamedPlot> model_figures(const ReportSubject& subject);

/// `model_figures` for more than two inputs, or inputs that are names.
[[nodiscard]] std::vector<NamedPlot> input_figures(const ReportSubject& subject);

/// How good the predictions are on rows with known targets; empty without such rows.
[[nodiscard]] std::vector<NamedPlot> quality_figures(const ReportSubject& subject);

/// The course of the fit; empty if no loss was recorded.
[[nodiscard]] std::vector<NamedPlot> fit_figures(const ReportSubject& subject);

}  // namespace nomu
