#pragma once
/// Bounds for a network that is already trained, in whatever way: it provides its prediction and its last hidden layer,
/// and a sigma network is trained that reads both.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "nomu/core/progress.hpp"
#include "nomu/core/tensor.hpp"
#include "nomu/data/cohort.hpp"
#include "nomu/engine/engine.hpp"
#include "nomu/models/fitted.hpp"
#include "nomu/models/model.hpp"
#include "nomu/models/nomu.hpp"
#include "nomu/models/request.hpp"

namespace nomu {

/// A trained regression network, on the scale of the cohort's data. Must allow repeated calls from one thread and
/// always return the same values for the same row.
class ForeignNetwork {
 public:
  struct Evaluation {
    Tensor<float> mean;      ///< [1][q][1]
    Tensor<float> features;  ///< [1][q][h]: the last hidden layer, after its activation
  };

  ForeignNetwork() = default;
  ForeignNetwork(const ForeignNetwork&) = delete;
  ForeignNetwork& operator=(const ForeignNetwork&) = delete;
  ForeignNetwork(ForeignNetwork&&) = delete;
  ForeignNetwork& operator=(ForeignNetwork&&) = delete;
  virtual ~ForeignNetwork() = default;

  [[nodiscard]] virtual std::size_t inputs() const = 0;    ///< d
  [[nodiscard]] virtual std::size_t features() const = 0;  ///< h, at least 1
  /// Names of its columns, in order, if it has names for each of them; otherwise empty.
  [[nodiscard]] virtual std::vector<std::string> input_names() const { return {}; }
  /// Whether a sigma network should read the inputs as well as the features; false if they are pixels.
  [[nodiscard]] virtual bool reads_inputs() const { return true; }
  /// Channels, height and width if rows are images (columns in that order), otherwise empty.
  [[nodiscard]] virtual std::vector<std::int64_t> image() const { return {}; }
  [[nodiscard]] virtual Evaluation evaluate(const Tensor<float>& x) const = 0;  ///< x is [1][q][d]
  /// The same for networks that take long: throws Cancelled soon after a stop is requested.
  [[nodiscard]] virtual Evaluation evaluate_until(const std::stop_token& /*stop*/, const Tensor<float>& x) const {
    return evaluate(x);
  }
};

/// Trains `ensemble` sigma networks for each member. The given network is the mean of every member and is never
/// changed; the model variance is the mean of the sigma networks' variances. A sigma network reads the inputs and the
/// features, each feature divided by its root mean square over the member's rows, and all features together counting as
/// one more input; the features also feed its head directly, as in NOMU. If the inputs are images, it reads only the
/// features, unless sigma_net has filters: then it also reads the images through them. The artificial points come from
/// a pool of 20 times their number, evaluated once. Learned noise has a network of its own, trained before sigma by
/// likelihood on the residuals of the given network. The spec's mean_net, gradient and stages have no effect here.
/// Throws ConfigError for filters without images, DataError if the network's outputs have the wrong shape or are not
/// finite, and otherwise like `fit`.
[[nodiscard]] std::unique_ptr<FittedCohort> fit_sigma(const NomuSpec& spec,
                                                      std::shared_ptr<const ForeignNetwork> network,
                                                      const Cohort& cohort, Engine& engine,
                                                      const Progress& progress = {});

/// The fitted cohort that `state` was taken from; the network itself is not part of the state.
[[nodiscard]] std::unique_ptr<FittedCohort> restore_sigma(const NomuSpec& spec,
                                                          std::shared_ptr<const ForeignNetwork> network,
                                                          const FittedState& state, std::vector<FitReport> reports,
                                                          Engine& engine);

/// Bounds for a network in the user's units: scaling, `fit_sigma` and calibration as in `fit`; the method is NOMU. The
/// network is assumed to have been trained on these rows, so its errors on them are too small: automatic calibration
/// then uses nll, which proves no coverage. noise = auto: known if the rows have it, otherwise learned if there
/// are at least 100 rows. A saved model is read with `load_bounds` (models/archive).
[[nodiscard]] Model fit_bounds(const FitRequest& request, std::shared_ptr<const ForeignNetwork> network,
                               const DataSet& data, std::shared_ptr<Engine> engine = {}, const Progress& progress = {});
[[nodiscard]] Model fit_bounds(const FitSpec& spec, std::shared_ptr<const ForeignNetwork> network, const DataSet& data,
                               std::shared_ptr<Engine> engine = {}, const Progress& progress = {});

/// The same, calibrated on rows that the network has not seen.
[[nodiscard]] Model fit_bounds(const FitRequest& request, std::shared_ptr<const ForeignNetwork> network,
                               const DataSet& data, const DataSet& calibration_rows,
                               std::shared_ptr<Engine> engine = {}, const Progress& progress = {});
[[nodiscard]] Model fit_bounds(const FitSpec& spec, std::shared_ptr<const ForeignNetwork> network, const DataSet& data,
                               const DataSet& calibration_rows, std::shared_ptr<Engine> engine = {},
                               const Progress& progress = {});

/// The same for the rows of tables.
[[nodiscard]] Model fit_bounds(const FitRequest& request, std::shared_ptr<const ForeignNetwork> network,
                               const Table& table, std::shared_ptr<Engine> engine = {}, const Progress& progress = {});
[[nodiscard]] Model fit_bounds(const FitRequest& request, std::shared_ptr<const ForeignNetwork> network,
                               const Table& table, const Table& calibration_rows, std::shared_ptr<Engine> engine = {},
                               const Progress& progress = {});

}  // namespace nomu
