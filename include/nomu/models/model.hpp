#pragma once
/// A calibrated model of one target, in the user's units. Scaling, encoding of text columns, fold models and
/// calibration happen inside; `fit` in models/request makes one from a table.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "nomu/core/fields.hpp"
#include "nomu/core/progress.hpp"
#include "nomu/data/dataset.hpp"
#include "nomu/data/scaling.hpp"
#include "nomu/engine/engine.hpp"
#include "nomu/eval/bounds.hpp"
#include "nomu/eval/calibration.hpp"
#include "nomu/eval/warp.hpp"
#include "nomu/models/evidence.hpp"
#include "nomu/models/fitted.hpp"
#include "nomu/models/method.hpp"

namespace nomu {

/// How predicted standard deviations become bounds with a level.
enum class CalibrationChoice {
  automatic,  ///< conformal if the rows support the level, otherwise nll
  none,       ///< bounds are refused
  nll,
  separate,
  coverage,
  conformal,  ///< split conformal, or CV+ if there are too few rows to hold some out
  isotonic,
};

/// Which rows the calibration learns from.
enum class CalibrationPolicy {
  automatic,  ///< folds below `few_rows` rows, or if too few groups or distinct inputs would be held out for the
              ///< level; otherwise hold_out; with times always hold_out
  folds,      ///< K fits, each of which predicts the rows it has not seen
  hold_out,   ///< a share of the rows; the model is refitted on all of them afterwards, except under conformal
};

/// docs/decisions/0008-calibration-policy.md explains the rule.
struct CalibrationSpec {
  CalibrationChoice kind = CalibrationChoice::automatic;
  double level = 0.95;       ///< default level of the bounds
  bool level_asked = false;  ///< what kind `automatic` does if the rows do not support the level: throw, as conformal
                             ///< does, or use nll, which proves nothing. A request sets it if it names a level;
                             ///< set it along with `level` if you rely on that one
  CalibrationPolicy policy = CalibrationPolicy::automatic;
  std::int64_t folds = 0;  ///< fewer if there are fewer rows or groups; 0: 10, or 5 if the fit is by evidence
  std::int64_t few_rows = 200;
  double hold_out = 0.2;  ///< share of the rows
};

/// How columns are scaled before the method sees them.
enum class ScaleChoice {
  automatic,  ///< together for images, min_max if the method draws its artificial points in a fixed cube, otherwise
              ///< standardise; numbers of tables robust if the fit is by evidence
  min_max,
  standardise,
  robust,  ///< numbers by median and quartiles, far ones compressed; indicators of names unchanged
  identity,
  together,  ///< one map for all columns, overall minimum to -1, overall maximum to +1: pixels stay comparable
};

/// Everything that determines a fit, as plain data.
struct FitSpec {
  MethodSpec method = {};
  ScaleChoice scale_inputs = ScaleChoice::automatic;
  ScaleChoice scale_target = ScaleChoice::automatic;
  EvidenceSpec evidence = {};
  CalibrationSpec calibration = {};
  std::int64_t seed = 1;
};

[[nodiscard]] Fields fields_of(CalibrationSpec& spec);

/// The settings of the method under their own names, then scale.*, calibration.* and seed. Bound to `spec`.
[[nodiscard]] Fields fields_of(FitSpec& spec);

/// Names and values of the settings that differ from the defaults of the method.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> changed_settings(const FitSpec& spec);

/// The maps between the user's units and those one member was trained in.
struct MemberScaling {
  Scaling inputs;
  Scaling target;  ///< of the warped target
  Warp warp = {};
  friend bool operator==(const MemberScaling&, const MemberScaling&) = default;
};

/// Where the rows of a calibration came from.
enum class CalibrationSource { none, folds, hold_out, given };

/// How rows were held out: drawn at random, as whole groups, or the latest.
enum class HeldOutSplit { none, random, group, time };

/// Predictions of rows that the predicting model had not seen: what the calibration learned from, and what a report may
/// use as an honest evaluation.
struct HeldOut {
  CalibrationSource source = CalibrationSource::none;
  HeldOutSplit split = HeldOutSplit::none;
  bool refitted = false;                 ///< the model itself was later trained on these rows
  std::vector<std::size_t> rows = {};    ///< [q], indices into the training data; empty if the rows came from elsewhere
  std::vector<std::size_t> folds = {};   ///< [q], the fold of each row; empty without folds
  PredictedRows predicted = {};          ///< [q], before calibration
  std::vector<double> targets = {};      ///< [q]
  std::vector<std::string> strata = {};  ///< [q], the stratum of each row; empty: none
  /// [q], the group or distinct input of each row, which count once together; empty: each row is one
  std::vector<std::size_t> units = {};
};

/// Everything a model consists of besides its fitted members; an archive stores both.
struct ModelParts {
  FitSpec spec = {};                          ///< as it was used, with all automatic choices made
  DataSet data = {};                          ///< every row that `fit` was given, without groups, times and strata
  std::vector<std::size_t> fitted_rows = {};  ///< rows of `data` the model learned from, ascending
  std::vector<MemberScaling> scalings = {};   ///< [members]; member 0 is the model, any others are CV+ fold models
  Calibration calibration = {};
  HeldOut held_out = {};
  EngineInfo engine = {};    ///< what it was fitted on
  std::string version = {};  ///< of the library that fitted it
};

/// A fitted, calibrated model of one target. Immutable; copies share their parts.
class Model {
 public:
  /// Assembles a model; called by `fit` and archives. Throws DataError if the parts do not match.
  Model(ModelParts parts, std::shared_ptr<const FittedCohort> fitted, std::shared_ptr<Engine> engine);

  /// Means and calibrated standard deviations at x [q][d], in the units of the target; means stay in the target's
  /// range. A model with known noise needs the noise of the rows, [q]. Throws DataError for wrong sizes and numbers
  /// that are not finite.
  [[nodiscard]] PredictedRows predict(std::span<const double> x, std::span<const double> noise = {}) const;

  /// The same for the rows of a table, whose columns are matched by name and encoded as in training. Throws DataError
  /// naming row and column.
  [[nodiscard]] PredictedRows predict(const Table& rows) const;

  /// `predict` before calibration.
  [[nodiscard]] PredictedRows predict_uncalibrated(std::span<const double> x, std::span<const double> noise = {}) const;

  /// The same on the scale that the model learned, where calibrations apply; `warp` maps between the two.
  [[nodiscard]] PredictedRows predict_warped(std::span<const double> x, std::span<const double> noise = {}) const;
  [[nodiscard]] const Warp& warp() const;

  /// Bounds at x [q][d]. Throws ConfigError if the calibration does not support the level, in particular if there is no
  /// calibration. A model with coverage by a column takes the rows' names in that column, [q]; without them it reads
  /// them from x if the column is an input, and gives the widest bounds of any name if it is not. A table must have
  /// the column.
  [[nodiscard]] Bounds bounds(std::span<const double> x, double level, std::span<const double> noise = {},
                              std::span<const std::string> strata = {}) const;
  [[nodiscard]] Bounds bounds(const Table& rows, double level) const;

  /// Bounds of the rows the calibration learned from, [q] as in `held_out`, by models that had not seen them. Throws
  /// like `bounds`.
  [[nodiscard]] Bounds held_out_bounds(double level) const;

  /// Quantiles at x [q][d] for k probabilities inside (0, 1): [q][k], not decreasing with the probability. Those below
  /// one half are lower bounds, those above are upper bounds, and the median is the mean. Strata as in `bounds`.
  /// Throws ConfigError if the calibration does not support them.
  [[nodiscard]] std::vector<double> quantiles(std::span<const double> x, std::span<const double> probabilities,
                                              std::span<const double> noise = {},
                                              std::span<const std::string> strata = {}) const;
  [[nodiscard]] std::vector<double> quantiles(const Table& rows, std::span<const double> probabilities) const;

  /// Whether a row lies outside the box of the rows the model learned from, [q].
  [[nodiscard]] std::vector<bool> outside(std::span<const double> x) const;
  /// The same for a table; a missing cell where training had none lies outside, too.
  [[nodiscard]] std::vector<bool> outside(const Table& rows) const;

  /// Sigma before its readout, on the method's own scale, [q]; empty for methods without a readout.
  [[nodiscard]] std::vector<double> raw_sigma(std::span<const double> x) const;

  /// A few lines for human readers: method, data, calibration, and what the bounds guarantee.
  [[nodiscard]] std::string describe() const;

  [[nodiscard]] const FitSpec& spec() const { return parts_->spec; }
  [[nodiscard]] const DataSet& data() const { return parts_->data; }
  [[nodiscard]] const Calibration& calibration() const { return parts_->calibration; }
  [[nodiscard]] const HeldOut& held_out() const { return parts_->held_out; }
  [[nodiscard]] const ModelParts& parts() const { return *parts_; }
  /// All members: the model itself, then any fold models.
  [[nodiscard]] const FittedCohort& fitted() const { return *fitted_; }
  /// The model itself, without its fold models.
  [[nodiscard]] const FittedCohort& own() const { return *own_; }
  [[nodiscard]] const std::shared_ptr<Engine>& engine() const { return engine_; }
  /// How the fit of the model itself went.
  [[nodiscard]] const FitReport& report() const { return fitted_->reports().front(); }
  [[nodiscard]] std::size_t cols() const { return parts_->data.cols(); }
  /// The inputs the model learned from, [n][d].
  [[nodiscard]] std::vector<double> fitted_inputs() const;
  /// The default level of the bounds; empty if the calibration supports none.
  [[nodiscard]] std::optional<double> default_level() const;

  /// The same model with another calibration.
  [[nodiscard]] Model with_calibration(Calibration calibration, HeldOut held_out, const CalibrationSpec& spec) const;

 private:
  [[nodiscard]] std::vector<std::string> strata_of(std::span<const double> x) const;
  [[nodiscard]] std::vector<PredictedRows> predict_members(const FittedCohort& members, std::size_t first,
                                                           std::span<const double> x,
                                                           std::span<const double> noise) const;

  std::shared_ptr<const ModelParts> parts_;
  std::shared_ptr<Engine> engine_;  // fitted members refer to it
  std::shared_ptr<const FittedCohort> fitted_;
  std::shared_ptr<const FittedCohort> own_;
  std::shared_ptr<const FittedCohort> folds_;  // CV+ only
  std::vector<double> low_, high_;             // the box of fitted_inputs()
};

/// Fits and calibrates with a typed spec; what it leaves open is chosen as for a request. Throws like `fit` in
/// models/request, for a level that automatic calibration cannot support only with `CalibrationSpec::level_asked`.
[[nodiscard]] Model fit(const FitSpec& spec, const DataSet& data, std::shared_ptr<Engine> engine = {},
                        const Progress& progress = {});

/// Fits on all rows and calibrates on others, whatever the policy.
[[nodiscard]] Model fit(const FitSpec& spec, const DataSet& data, const DataSet& calibration_rows,
                        std::shared_ptr<Engine> engine = {}, const Progress& progress = {});

/// The model recalibrated on rows it has not seen. Throws ConfigError for a level that the rows cannot support,
/// DataError if all of them are among the rows it learned from.
[[nodiscard]] Model calibrated(const Model& model, const DataSet& rows, const CalibrationSpec& spec);

/// The columns of the table, then mean, sigma_model, sigma_noise, lower, upper and outside (1 or 0); with asymmetric
/// uncertainty also sigma_below. Columns are matched by name and encoded as in training. Without a level, the cells of
/// the bounds are empty. Before `outside`, one column for each of `probabilities`, such as q0.05. Throws like `bounds`
/// and `quantiles`, and DataError naming row and column.
[[nodiscard]] Table predict_table(const Model& model, const Table& rows, std::optional<double> level,
                                  std::span<const double> probabilities = {});

/// Whether `predict_table` adds a column of this name, which therefore cannot be an input of a table that it gets.
[[nodiscard]] bool is_predicted_column(std::string_view name);

/// The rows of the table without missing values in columns the model reads. Throws DataError if none is left.
[[nodiscard]] Table predictable_rows(const Model& model, const Table& table);

/// Rows with a known target, encoded like the model's training rows, with their strata; other rows are left out and
/// reported. Throws like `make_dataset`.
[[nodiscard]] DataSet labelled_rows(const Model& model, const Table& table, bool drop_missing = false);

}  // namespace nomu
