#pragma once
/// The report on a fitted model: one HTML page that opens offline, and its plots as separate SVG files. It sees the
/// model only as functions of input rows and plain data, so it works for any method.

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

/// Rows with known targets to evaluate the model on.
struct ReportRows {
  std::string source = {};                    ///< as used in a sentence: "the 120 rows of test.csv"
  bool fresh = true;                          ///< used neither for fitting nor for calibration
  std::size_t known = 0;                      ///< number of fresh rows that equal a row the model was made with
  std::vector<double> targets;                ///< [q]
  PredictedRows predicted;                    ///< [q]; for calibration rows, by a model that did not see them
  std::function<Bounds(double)> bounds = {};  ///< bounds of these rows at a level, [q]; for fresh rows only
  std::vector<std::string> strata = {};       ///< [q], the stratum of each row; empty: none
};

/// The model to report on. Inputs and targets are in the units of the user's data.
struct ReportSubject {
  std::string name = {};    ///< page title: the name of the model or the data
  std::string method = {};  ///< "NOMU"
  DataSet data = {};        ///< rows it was fitted on, with names, levels and dropped lines
  std::function<PredictedRows(std::span<const double>)> predict = {};  ///< of input rows [q][d], [q]
  std::function<Bounds(std::span<const double>, double)> bounds = {};  ///< of input rows [q][d] at a level, [q]
  Calibration calibration = {};         ///< with kind none or width, the page claims no level
  double level = 0.9;                   ///< level of the bounds shown; the calibration must support it
  std::string remark = {};              ///< further caveats about the bounds, in whole sentences
  std::vector<std::string> trust = {};  ///< findings from rows that the model had not seen, a sentence each
  std::optional<ReportRows> rows = {};  ///< empty: the page says that there was nothing to evaluate on
  std::vector<Finding> findings = {};   ///< from `check_desiderata`; empty: not checked
  std::vector<FitReport> fits = {};     ///< one per member
  std::vector<std::pair<std::string, std::string>> settings = {};  ///< (name, value), only non-default ones
  std::optional<EngineInfo> engine = {};                           ///< the engine it was fitted on
  std::string version = {};                                        ///< version of nomu
  std::string date = {};                                           ///< printed as given; empty: none
};

/// A plot of the report.
struct NamedPlot {
  std::string name;  ///< "bounds", "reliability", ...: a file name without extension, unique in the report
  Plot plot;
  std::string caption;  ///< how to read the plot
  int height = 310;     ///< pixels that it needs where it is 360 wide, as on a page
};

/// All plots the subject has data for. One numeric input: data, mean and bands; two: heat maps of mean and sigma;
/// otherwise sigma against the distance to the data, and the mean along the most important inputs. With rows to
/// evaluate on: predicted against true, reliability, mean width against coverage. With fits: the loss. Large data sets
/// are thinned, the same way every time. Throws DataError when sizes do not match or a number is not finite,
/// ConfigError when the calibration does not support the level or a function is missing.
[[nodiscard]] std::vector<NamedPlot> report_plots(const ReportSubject& subject);

/// The page: one HTML file without scripts and with nothing to load, the same bytes for the same subject. A sentence
/// replaces each part that has no data. Throws what `report_plots` does.
[[nodiscard]] std::string render_report(const ReportSubject& subject);

/// Writes each plot to `name`.svg, one file at a time and each all or nothing, and returns the paths. Creates the
/// folder if needed. Throws DataError when a file cannot be written, ConfigError for a name that is used twice or has
/// characters other than letters, digits, '-' and '_'.
std::vector<std::filesystem::path> write_plots(const std::filesystem::path& folder, std::span<const NamedPlot> plots,
                                               PlotSize size = {});

/// One input column of the data and how much the prediction depends on it.
struct InputImportance {
  std::string name;
  std::vector<std::string> levels;  ///< names in a text column, one input each; empty: a numeric column, one input
  std::size_t first = 0;            ///< index of its first input
  double change = 0.0;              ///< mean absolute change of the mean, in units of the target

  [[nodiscard]] std::size_t inputs() const { return levels.empty() ? 1 : levels.size(); }
};

/// Every input column, the most important first. Importance is the mean absolute change of the predicted mean when the
/// column's values are shuffled among (at most 500 of) the training rows and everything else is kept.
[[nodiscard]] std::vector<InputImportance> input_importance(const ReportSubject& subject);

}  // namespace nomu
