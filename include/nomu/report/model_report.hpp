#pragma once
/// The report on a model of the front door: all that a `Model` knows, and on request fresh rows and the desiderata,
/// as the subject of a report.

#include <optional>
#include <string>

#include "nomu/core/progress.hpp"
#include "nomu/data/dataset.hpp"
#include "nomu/models/assess.hpp"
#include "nomu/models/model.hpp"
#include "nomu/report/report.hpp"

namespace nomu {

struct ModelReportSpec {
  std::string title = {};               ///< of the page; empty: "Model of" and the target
  std::string date = {};                ///< as it shall be printed; empty: none
  std::optional<double> level = {};     ///< of the bounds; empty: the model's own
  std::optional<DataSet> rows = {};     ///< with known targets, encoded as the model's; empty: the calibration's rows
  std::string rows_source = {};         ///< where `rows` came from, a file for example
  std::optional<CheckSpec> check = {};  ///< empty: the desiderata are not examined
};

/// The model must not need more than it is: the subject keeps a copy. Where the noise of each row is known, pictures
/// away from the rows assume its median. Throws ConfigError for a level that the calibration cannot vouch for,
/// DataError when `rows` do not fit or are all among the rows the model learned from, Cancelled on request.
[[nodiscard]] ReportSubject report_subject(const Model& model, const ModelReportSpec& spec = {},
                                           const Progress& progress = {});

}  // namespace nomu
