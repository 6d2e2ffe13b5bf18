#pragma once
/// Turns a `Model` into the subject of a report: everything the model knows and, on request, its scores on fresh rows
/// and the desiderata.

#include <optional>
#include <string>

#include "nomu/core/progress.hpp"
#include "nomu/data/dataset.hpp"
#include "nomu/models/assess.hpp"
#include "nomu/models/model.hpp"
#include "nomu/report/report.hpp"

namespace nomu {

struct ModelReportSpec {
  std::string title = {};            ///< page title; empty: "Model of" and the target
  std::string date = {};             ///< printed as given; empty: none
  std::optional<double> level = {};  ///< level of the bounds; empty: the model's own
  std::optional<DataSet> rows = {};  ///< rows with known targets, encoded like the model's; empty: the calibration rows
  std::string rows_source = {};      ///< where `rows` came from, for example a file
  std::optional<CheckSpec> check = {};  ///< empty: the desiderata are not checked
};

/// The subject keeps a copy of the model, so `model` need not outlive it. If the noise of each row was given, plots
/// away from the rows assume its median. Throws ConfigError for a level that the calibration does not support,
/// DataError when `rows` do not match the model or all belong to the rows it was made with, Cancelled on request.
[[nodiscard]] ReportSubject report_subject(const Model& model, const ModelReportSpec& spec = {},
                                           const Progress& progress = {});

}  // namespace nomu
