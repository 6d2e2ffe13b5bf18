#pragma once
/// The report on a fitted model: one HTML page that opens offline, and its pictures as single SVG files. It knows the
/// model only as functions of input rows and plain data, so that any method can be reported on.

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "nomu/data/dataset.hpp"
#include "nomu/engine/engine.hpp"
#include "nomu/eval/bounds.hpp"
#include "nomu/eval/calibration.hpp"
#include "nomu/eval/desiderata.hpp"
#include "nomu/models/method.hpp"
#include "nomu/report/plot.hpp"

namespace nomu {

/// Rows with known targets on which the model is judged.
struct ReportRows {
  std::string source = {};                    ///< "the 120 rows of test.csv", as it reads in a sentence
  bool fresh = true;                          ///< used neither for fitting nor for calibration
  std::size_t known = 0;                      ///< how many of the fresh ones equal a row the model was made with
  std::vector<double> targets;                ///< [q]
  PredictedRows predicted;                    ///< [q], for calibration rows by a model that did not see them
  std::function<Bounds(double)> bounds = {};  ///< a level to the bounds of these rows, [q]; asked of fresh rows only
};

/// What is reported on. Inputs and targets are in the units of the user's data.
struct ReportSubject {
  std::string name = {};    ///< title of the page: the model's or the data's name
  std::string method = {};  ///< "NOMU"
  DataSet data = {};        ///< rows it was fitted on, with names, levels and what was dropped
  std::function<PredictedRows(std::span<const double>)> predict = {};  ///< input rows [q][d] to [q]
  std::function<Bounds(std::span<const double>, double)> bounds = {};  ///< the same, and a level, to [q]
  Calibration calibration = {};         ///< of kind none or width: no level is claimed anywhere
  double level = 0.9;                   ///< of the bounds shown; one the calibration supports
  std::string remark = {};              ///< what else is to be known about the bounds, in whole sentences
  std::optional<ReportRows> rows = {};  ///< empty: the page says that nothing could be judged
  std::vector<Finding> findings = {};   ///< of `check_desiderata`; empty: not examined
  std::vector<FitReport> fits = {};     ///< one per member
  std::vector<std::pair<std::string, std::string>> settings = {};  ///< (name, value) that differ from the defaults
  std::optional<EngineInfo> engine = {};                           ///< what it was fitted on
  std::string version = {};                                        ///< of nomu
  std::string date = {};                                           ///< as it shall be printed; empty: none
};

/// A picture of the report.
struct NamedPlot {
  std::string name;  ///< "bounds", "reliability", ...: a file name without its ending, unique in the report
  Plot plot;
  std::string caption;  ///< how to read it
};

/// All pictures the subject has the data for. One numeric input: data, mean and bands; two: heat maps of mean and
/// sigma; otherwise sigma against the distance to the data and the mean along the most important inputs. With rows to
/// judge on: predicted against true, reliability, mean width against coverage. With fits: the loss. Large data sets are
/// thinned the same way every time. Throws DataError where sizes do not fit or a number is not finite, ConfigError
/// where the calibration does not support the level or a function is missing.
[[nodiscard]] std::vector<NamedPlot> report_plots(const ReportSubject& subject);

/// The page: one HTML file without scripts and without anything to load, the same bytes for the same subject. What is
/// missing is named in a sentence. Throws what `report_plots` does.
[[nodiscard]] std::string render_report(const ReportSubject& subject);

/// Writes each picture as `name`.svg, one after the other, each all or nothing, and returns the paths. The folder is
/// made where it does not exist. Throws DataError where it cannot be written, ConfigError for a name that is not made
/// of letters, digits, '-' and '_' or comes twice.
std::vector<std::filesystem::path> write_plots(const std::filesystem::path& folder, std::span<const NamedPlot> plots,
                                               PlotSize size = {});

/// One input column of the data and how much the prediction depends on it.
struct InputImportance {
  std::string name;
  std::vector<std::string> levels;  ///< of a column of names, one input each; empty: numbers, one input
  std::size_t first = 0;            ///< its first input
  double change = 0.0;              ///< mean absolute change of the mean, in units of the target

  [[nodiscard]] std::size_t inputs() const { return levels.empty() ? 1 : levels.size(); }
};

/// Every input column, the most important first: the mean absolute change of the predicted mean when the column's
/// values are dealt out anew among (at most 500 of) the training rows and all else stays.
[[nodiscard]] std::vector<InputImportance> input_importance(const ReportSubject& subject);

}  // namespace nomu
