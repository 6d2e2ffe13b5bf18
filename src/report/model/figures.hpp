#pragma once
/// The pictures of a report, by chapter. Each function returns those the subject has the data for.

#include <vector>

#include "nomu/report/report.hpp"

namespace nomu {

/// What the model says: bands over one input, heat maps over two, and over more the mean along the most important ones.
[[nodiscard]] std::vector<NamedPlot> model_figures(const ReportSubject& subject);

/// The part of `model_figures` for more than two inputs, or inputs that are names.
[[nodiscard]] std::vector<NamedPlot> input_figures(const ReportSubject& subject);

/// Whether it is right, on rows with known targets: none without such rows.
[[nodiscard]] std::vector<NamedPlot> quality_figures(const ReportSubject& subject);

/// How the fit went: none without a loss.
[[nodiscard]] std::vector<NamedPlot> fit_figures(const ReportSubject& subject);

}  // namespace nomu
