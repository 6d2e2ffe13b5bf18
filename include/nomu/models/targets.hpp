#pragma once
/// Models of several targets of the same rows: fitted by one request, kept in one file, with bounds that contain all
/// targets at once on request.

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nomu/models/assess.hpp"
#include "nomu/models/request.hpp"

namespace nomu {

/// What to fit to which columns.
struct TargetsRequest {
  FitRequest fit = {};                             ///< for each target; `target` is set for each of them, and `range`
                                                   ///< must be left open: use `ranges`
  std::vector<std::string> targets = {};           ///< columns to predict; none of them is an input
  std::map<std::string, TargetRange> ranges = {};  ///< values that a target can take, if they are limited
};

/// A model for each target. Immutable; copies share their parts.
class TargetModels {
 public:
  /// Assembles models of the same rows; called by `fit` and archives. `joint` holds the largest score of all targets
  /// for each calibration row; of kind none: there are no joint bounds. Throws DataError if they do not match.
  TargetModels(std::vector<Model> models, Calibration joint);

  [[nodiscard]] const std::vector<Model>& models() const { return models_; }
  [[nodiscard]] std::vector<std::string> names() const;
  /// The model of one target. Throws ConfigError naming the targets there are.
  [[nodiscard]] const Model& model(const std::string& target) const;
  [[nodiscard]] const Calibration& joint() const { return joint_; }
  /// The default level of the bounds; empty if the calibration supports none.
  [[nodiscard]] std::optional<double> default_level() const { return models_.front().default_level(); }

  /// Bounds of each target at x [q][d] that form boxes: with the proven probability, a new row has all its targets
  /// inside. Throws ConfigError if the calibration is not conformal or does not support the level.
  [[nodiscard]] std::vector<Bounds> joint_bounds(std::span<const double> x, double level,
                                                 std::span<const std::string> strata = {}) const;
  [[nodiscard]] std::vector<Bounds> joint_bounds(const Table& rows, double level) const;
  /// What joint bounds guarantee, in a sentence. Throws like `joint_bounds`.
  [[nodiscard]] std::string joint_guarantee(double level) const;

  /// Each model for human readers, then what joint bounds guarantee.
  [[nodiscard]] std::string describe() const;

 private:
  [[nodiscard]] const std::vector<Model>& joint_models() const;

  std::vector<Model> models_;
  Calibration joint_;
  std::vector<Model> joint_models_;  // the same with the scores of all targets
};

/// The rows that have all targets, once for each target. Throws like `rows_of` of models/request.
[[nodiscard]] std::vector<DataSet> rows_of(const TargetsRequest& request, const Table& table);

/// Fits all targets as one cohort; each model is that of `fit` in models/request. The data sets have the same inputs
/// and one target each, in the order of `targets`. Throws like it, and ConfigError for fewer than two targets or known
/// noise.
[[nodiscard]] TargetModels fit(const TargetsRequest& request, std::span<const DataSet> rows,
                               std::shared_ptr<Engine> engine = {}, const Progress& progress = {});
[[nodiscard]] TargetModels fit(const TargetsRequest& request, const Table& table, std::shared_ptr<Engine> engine = {},
                               const Progress& progress = {});

/// Fits on all rows of the first table and calibrates on those of the second.
[[nodiscard]] TargetModels fit(const TargetsRequest& request, const Table& table, const Table& calibration_rows,
                               std::shared_ptr<Engine> engine = {}, const Progress& progress = {});

/// The models recalibrated on rows they have not seen, one data set for each target.
[[nodiscard]] TargetModels calibrated(const TargetModels& models, std::span<const DataSet> rows,
                                      const FitRequest& request);

/// Rows with all targets known, once for each target, encoded like the training rows.
[[nodiscard]] std::vector<DataSet> labelled_rows(const TargetModels& models, const Table& table,
                                                 bool drop_missing = false);

/// Like `predict_table` of one model, with the columns of each target named after it: mean_a, sigma_model_a, ...,
/// lower_a, upper_a, q0.05_a, then those of the next, and `outside` at the end. `joint`: the bounds are joint ones.
[[nodiscard]] Table predict_table(const TargetModels& models, const Table& rows, std::optional<double> level,
                                  std::span<const double> probabilities = {}, bool joint = false);

/// How good the models are on some rows.
struct TargetsEvaluation {
  std::vector<Evaluation> targets;            ///< in their order
  double all_inside = 0.0;                    ///< share of rows with every target inside its own bounds
  std::optional<double> joint_coverage = {};  ///< share of rows inside the joint bounds; empty: there are none
};

/// Without a level the bounds are left out. The data sets are those of `labelled_rows`.
[[nodiscard]] TargetsEvaluation evaluate(const TargetModels& models, std::span<const DataSet> rows,
                                         std::optional<double> level);

/// Writes one file for all targets, replacing an older one only once the new one is complete. What the models have in
/// common, such as the training rows, is in it once; `rows` as for `save_model`.
void save_targets(const TargetModels& models, const std::filesystem::path& path,
                  const std::vector<std::filesystem::path>& rows = {});
[[nodiscard]] TargetModels load_targets(const std::filesystem::path& path, std::shared_ptr<Engine> engine = {});

/// The bytes of such a file, and back; error messages call them `source`.
[[nodiscard]] std::string pack_targets(const TargetModels& models);
[[nodiscard]] TargetModels unpack_targets(std::string_view bytes, std::string_view source,
                                          std::shared_ptr<Engine> engine = {});

/// Whether the bytes of a model file hold several targets.
[[nodiscard]] bool holds_targets(std::string_view bytes);

}  // namespace nomu
