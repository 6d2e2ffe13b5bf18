#pragma once
/// A calibrated model of one target, in the user's units. Scaling, encoding of text columns, fold models and
/// calibration happen inside; models/request has the front door that makes one from a table.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "nomu/core/fields.hpp"
#include "nomu/core/progress.hpp"
#include "nomu/data/dataset.hpp"
#include "nomu/data/scaling.hpp"
#include "nomu/engine/engine.hpp"
#include "nomu/eval/bounds.hpp"
#include "nomu/eval/calibration.hpp"
#include "nomu/models/fitted.hpp"
#include "nomu/models/method.hpp"

namespace nomu {

/// What turns predicted standard deviations into bounds with a level.
enum class CalibrationChoice {
  automatic,  ///< conformal where the rows support the level, else nll
  none,       ///< bounds are refused
  nll,
  separate,
  coverage,
  conformal,  ///< split conformal, or CV+ where the rows are too few to hold some out
  isotonic,
};

/// Which rows the calibration learns from.
enum class CalibrationPolicy {
  automatic,  ///< folds below `few_rows` rows, else hold_out; with times always hold_out
  folds,      ///< K fits, each predicting the rows it has not seen
  hold_out,   ///< a share of the rows; the model is refitted on all of them afterwards, except under conformal
};

/// docs/decisions/0008-calibration-policy.md has the rule and its reasons.
struct CalibrationSpec {
  CalibrationChoice kind = CalibrationChoice::automatic;
  double level = 0.95;  ///< the one bounds are made for unless another is asked for; the rows must support it
  CalibrationPolicy policy = CalibrationPolicy::automatic;
  std::int64_t folds = 10;  ///< fewer where there are fewer rows or groups
  std::int64_t few_rows = 200;
  double hold_out = 0.2;  ///< share of the rows
};

/// How columns are scaled before the method sees them.
enum class ScaleChoice {
  automatic,  ///< together for images, min_max where the method draws its artificial points in a fixed cube, else
              ///< standardise
  min_max,
  standardise,
  identity,
  together,  ///< all columns by one map, the smallest number of all to -1, the largest to +1: pixels stay comparable
};

/// Everything that decides a fit, as plain data.
struct FitSpec {
  MethodSpec method = {};
  ScaleChoice scale_inputs = ScaleChoice::automatic;
  ScaleChoice scale_target = ScaleChoice::automatic;
  CalibrationSpec calibration = {};
  std::int64_t seed = 1;
};

[[nodiscard]] Fields fields_of(CalibrationSpec& spec);

/// The settings of the method under their own names, then scale.*, calibration.* and seed. Bound to `spec`.
[[nodiscard]] Fields fields_of(FitSpec& spec);

/// The maps between the user's units and those one member was trained in.
struct MemberScaling {
  Scaling inputs;
  Scaling target;
  friend bool operator==(const MemberScaling&, const MemberScaling&) = default;
};

/// Where the rows of a calibration came from.
enum class CalibrationSource { none, folds, hold_out, given };

/// Predictions of rows that the predicting model had not seen: what the calibration learned from, and what a report may
/// call honest.
struct HeldOut {
  CalibrationSource source = CalibrationSource::none;
  std::string split = {};               ///< "random", "group" or "time"; empty where nothing was split
  bool refitted = false;                ///< the model itself has seen these rows since
  std::vector<std::size_t> rows = {};   ///< [q], rows of the training data; empty when they came from elsewhere
  std::vector<std::size_t> folds = {};  ///< [q], the fold of each row; empty without folds
  PredictedRows predicted = {};         ///< [q], before calibration
  std::vector<double> targets = {};     ///< [q]
};

/// All that a model is besides its fitted members; an archive keeps both.
struct ModelParts {
  FitSpec spec = {};                          ///< as it was used: nothing in it is left to be chosen
  DataSet data = {};                          ///< every row that `fit` was given, without groups and times
  std::vector<std::size_t> fitted_rows = {};  ///< rows of `data` the model learned from, rising
  std::vector<MemberScaling> scalings = {};   ///< [members]; member 0 is the model, any others are CV+ fold models
  Calibration calibration = {};
  HeldOut held_out = {};
  EngineInfo engine = {};    ///< what it was fitted on
  std::string version = {};  ///< of the library that fitted it
};

/// A fitted, calibrated model of one target. Copies share what they are made of; nothing in it changes.
class Model {
 public:
  /// Puts a model together; `fit` and archives do. Throws DataError where the parts do not fit each other.
  Model(ModelParts parts, std::shared_ptr<const FittedCohort> fitted, std::shared_ptr<Engine> engine);

  /// Means and calibrated standard deviations at x [q][d], in the units of the target. A model with known noise needs
  /// that of the rows, [q]. Throws DataError for sizes that do not fit and numbers that are not finite.
  [[nodiscard]] PredictedRows predict(std::span<const double> x, std::span<const double> noise = {}) const;

  /// The same for the rows of a table, whose columns are matched by name and encoded as in training. Throws DataError
  /// naming row and column.
  [[nodiscard]] PredictedRows predict(const Table& rows) const;

  /// `predict` before calibration.
  [[nodiscard]] PredictedRows predict_uncalibrated(std::span<const double> x, std::span<const double> noise = {}) const;

  /// Bounds at x [q][d]. Throws ConfigError where the calibration cannot vouch for the level, above all when there is
  /// none.
  [[nodiscard]] Bounds bounds(std::span<const double> x, double level, std::span<const double> noise = {}) const;
  [[nodiscard]] Bounds bounds(const Table& rows, double level) const;

  /// Whether a row lies outside the box of the rows the model learned from, [q].
  [[nodiscard]] std::vector<bool> outside(std::span<const double> x) const;

  /// Sigma before its readout, on the method's own scale, [q]; empty where the method has none.
  [[nodiscard]] std::vector<double> raw_sigma(std::span<const double> x) const;

  /// A few lines for people: method, data, calibration, and what the bounds guarantee.
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
  /// The level bounds are made for unless another is asked for; empty where the calibration has none to offer.
  [[nodiscard]] std::optional<double> default_level() const;

  /// The same model with another calibration.
  [[nodiscard]] Model with_calibration(Calibration calibration, HeldOut held_out, const CalibrationSpec& spec) const;

 private:
  [[nodiscard]] std::vector<PredictedRows> predict_members(const FittedCohort& members, std::size_t first,
                                                           std::span<const double> x,
                                                           std::span<const double> noise) const;

  std::shared_ptr<const ModelParts> parts_;
  std::shared_ptr<Engine> engine_;  // outlives fitted_, which refers to it
  std::shared_ptr<const FittedCohort> fitted_;
  std::shared_ptr<const FittedCohort> own_;
  std::vector<double> low_, high_;  // the box of fitted_inputs()
};

/// Fits and calibrates with settings that are data already; what they leave open is chosen as for a request. Throws as
/// the `fit` of models/request.
[[nodiscard]] Model fit(const FitSpec& spec, const DataSet& data, std::shared_ptr<Engine> engine = {},
                        const Progress& progress = {});

/// Fits on all rows and calibrates on others, whatever the policy.
[[nodiscard]] Model fit(const FitSpec& spec, const DataSet& data, const DataSet& calibration_rows,
                        std::shared_ptr<Engine> engine = {}, const Progress& progress = {});

/// The model calibrated anew on rows it has not seen. Throws ConfigError for a level that the rows cannot support,
/// DataError when all of them are among the rows it learned from.
[[nodiscard]] Model calibrated(const Model& model, const DataSet& rows, const CalibrationSpec& spec);

/// The columns of the table, then mean, sigma_model, sigma_noise, lower, upper and outside (1 or 0); with asymmetric
/// uncertainty also sigma_below. Columns are matched by name and encoded as in training. Without a level the bounds are
/// empty cells. Throws as `bounds`, and DataError naming row and column.
[[nodiscard]] Table predict_table(const Model& model, const Table& rows, std::optional<double> level);

/// The rows of the table that lack nothing the model reads. Throws DataError where none is left.
[[nodiscard]] Table predictable_rows(const Model& model, const Table& table);

/// Rows with a known target, encoded as the model's training rows were. Throws as `make_dataset`.
[[nodiscard]] DataSet labelled_rows(const Model& model, const Table& table, bool drop_missing = false);

}  // namespace nomu
