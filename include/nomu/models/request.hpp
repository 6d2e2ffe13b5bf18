#pragma once
/// The front door: a request says which method to fit to which column; whatever it leaves open is decided in one place
/// for C++, the command line and Python.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "nomu/core/config.hpp"
#include "nomu/core/progress.hpp"
#include "nomu/data/dataset.hpp"
#include "nomu/engine/engine.hpp"
#include "nomu/models/method.hpp"
#include "nomu/models/model.hpp"

namespace nomu {

/// What to fit, as plain data. Whatever is empty or "auto" is chosen by `resolve`.
struct FitRequest {
  std::string target = {};                ///< column to predict; only tables need it
  std::string method = "nomu";            ///< see `method_names`
  std::string preset = "auto";            ///< see `method_preset`
  std::string noise = "auto";             ///< of the target: auto, none, learned, known, or the column of a table that
                                          ///< holds each row's standard deviation. auto: known if the rows have it,
                                          ///< otherwise learned if there are enough rows (30 for nomu, 100 for other
                                          ///< methods), unless the preset is one of the paper's
  std::vector<Setting> settings = {};     ///< changes to the preset, applied in order
  std::string calibration = {};           ///< auto, none, nll, separate, coverage, conformal, isotonic; empty: auto,
                                          ///< unless the settings say otherwise
  std::optional<double> level = {};       ///< of the bounds; empty: 0.95, unless the settings say otherwise
  std::optional<std::int64_t> seed = {};  ///< for everything random; empty: 1, unless the settings say otherwise
  TargetRange range = {};                 ///< values that the target can take: means and bounds stay inside
  std::string coverage_by = {};           ///< column of names; bounds keep their level within each name; empty: none
  DatasetOptions columns = {};            ///< roles of other columns; where `target`, `noise`, `range` or
                                          ///< `coverage_by` above are set, they replace the members of the same name
                                          ///< here
};

/// The method alone, for callers who fit their own cohorts: preset, noise, then settings, all of which must be the
/// method's own. What the method chooses from the rows stays open. Throws ConfigError for names and values that do not
/// exist.
[[nodiscard]] MethodSpec method_of(const FitRequest& request, std::size_t rows, std::size_t cols);

/// The same where it is known whether the targets are noisy, whatever the number of rows: noise = auto is learned, or
/// there is none.
[[nodiscard]] MethodSpec method_given_noise(const FitRequest& request, bool noisy, std::size_t cols);

/// The complete spec that `fit` would use for these rows, with all automatic choices made. Throws like `fit`.
[[nodiscard]] FitSpec resolve(const FitRequest& request, const DataSet& rows);

/// The rows of a table, with the columns that the request names. Throws DataError naming row and column.
[[nodiscard]] DataSet rows_of(const FitRequest& request, const Table& table);

/// Fits and calibrates. Without an engine, one is created for the available hardware. Throws ConfigError for impossible
/// settings and for a level that is named and that the rows cannot support (saying how many), DataError for unusable
/// rows, fewer than 4 of them or a constant target, Error if the fit diverged, Cancelled on request.
[[nodiscard]] Model fit(const FitRequest& request, const Table& table, std::shared_ptr<Engine> engine = {},
                        const Progress& progress = {});
[[nodiscard]] Model fit(const FitRequest& request, const DataSet& rows, std::shared_ptr<Engine> engine = {},
                        const Progress& progress = {});

/// Fits on all rows of the first table and calibrates on those of the second.
[[nodiscard]] Model fit(const FitRequest& request, const Table& table, const Table& calibration_rows,
                        std::shared_ptr<Engine> engine = {}, const Progress& progress = {});

/// The model recalibrated on rows it has not seen: as it was fitted, except for what the request says about calibration
/// and level. Throws like `calibrated` in models/model.
[[nodiscard]] Model calibrated(const Model& model, const DataSet& rows, const FitRequest& request);

}  // namespace nomu
