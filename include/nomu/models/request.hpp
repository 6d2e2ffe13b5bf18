#pragma once
/// The front door: a request says which method to fit to which column; what it leaves open is decided in one place, for
/// C++, the command line and Python alike.

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
  std::string target = {};                ///< column to predict; rows that are not a table need no name
  std::string method = "nomu";            ///< see `method_names`
  std::string preset = "auto";            ///< see `method_preset`
  std::string noise = "auto";             ///< of the target: auto, none, learned, known, or the column of a table that
                                          ///< holds each row's standard deviation. auto: known where the rows say it,
                                          ///< else learned from 100 rows on
  std::vector<Setting> settings = {};     ///< changes to the preset, in their order
  std::string calibration = {};           ///< auto, none, nll, separate, coverage, conformal, isotonic; empty: auto,
                                          ///< unless the settings say otherwise
  std::optional<double> level = {};       ///< of the bounds; empty: 0.95, unless the settings say otherwise
  std::optional<std::int64_t> seed = {};  ///< of everything random; empty: 1, unless the settings say otherwise
  DatasetOptions columns = {};            ///< the parts that other columns of a table play; `target` and `noise` here
                                          ///< are filled in from above
};

/// The method alone, for those who fit cohorts of their own: preset, noise, then settings, all of which are the
/// method's. What the method chooses by the rows stays open. Throws ConfigError for names and values that do not exist.
[[nodiscard]] MethodSpec method_of(const FitRequest& request, std::size_t rows, std::size_t cols);

/// Everything a fit of these rows will be made with; nothing is left to be chosen. Throws as `fit`.
[[nodiscard]] FitSpec resolve(const FitRequest& request, const DataSet& rows);

/// Calibration and level of the request, where it names them.
void set_calibration(CalibrationSpec& spec, const FitRequest& request);

/// The rows of a table as the request reads them. Throws DataError naming row and column.
[[nodiscard]] DataSet rows_of(const FitRequest& request, const Table& table);

/// Fits and calibrates. Without an engine, one is made for the hardware at hand. Throws ConfigError for impossible
/// settings and for a level that the rows cannot support (naming how many are needed), DataError for rows that cannot
/// be used, fewer than 4 of them or a constant target, Error where the fit diverged, Cancelled on request.
[[nodiscard]] Model fit(const FitRequest& request, const Table& table, std::shared_ptr<Engine> engine = {},
                        const Progress& progress = {});
[[nodiscard]] Model fit(const FitRequest& request, const DataSet& rows, std::shared_ptr<Engine> engine = {},
                        const Progress& progress = {});

/// Fits on all rows of the first table and calibrates on those of the second.
[[nodiscard]] Model fit(const FitRequest& request, const Table& table, const Table& calibration_rows,
                        std::shared_ptr<Engine> engine = {}, const Progress& progress = {});

}  // namespace nomu
