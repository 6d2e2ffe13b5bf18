#pragma once
/// Bounds for a network that is trained already, by whatever means: it says what it predicts and what its last hidden
/// layer holds, and a sigma network is trained that reads both.

#include <cstddef>
#include <cstdint>
#include <memory>
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

/// A trained regression network, on the scale of the cohort's data. Must be safe to call from the calling thread again
/// and again, and give the same answer for the same row.
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
  /// Whether a sigma network should see the inputs themselves beside the features; not where they are pixels.
  [[nodiscard]] virtual bool reads_inputs() const { return true; }
  /// Channels, height and width where rows are images, whose columns stand in that order; else empty.
  [[nodiscard]] virtual std::vector<std::int64_t> image() const { return {}; }
  [[nodiscard]] virtual Evaluation evaluate(const Tensor<float>& x) const = 0;  ///< x is [1][q][d]
};

/// Trains `ensemble` sigma networks for each member. The given network is the mean of every member and is never
/// changed; the model variance is the mean of the sigma networks' variances. A sigma network reads the inputs and the
/// features, each feature divided by its root mean square over the member's rows and all together counting as one more
/// input; the features also reach its head directly, as in NOMU. Where inputs are images it reads the features only,
/// unless sigma_net has filters: then it looks at the images through these, too. The artificial points come from a pool
/// of 20 times their number, evaluated once. Learned noise is a network of its own, trained by likelihood on what the
/// given network misses before sigma is. Of the spec, mean_net, gradient and stages have no meaning here. Throws
/// ConfigError for filters where there are no images, DataError where the network's answers have the wrong shape or are
/// not finite, else as `fit` does.
[[nodiscard]] std::unique_ptr<FittedCohort> fit_sigma(const NomuSpec& spec,
                                                      std::shared_ptr<const ForeignNetwork> network,
                                                      const Cohort& cohort, Engine& engine,
                                                      const Progress& progress = {});

/// The fitted cohort that `state` was taken from; the network itself is no part of the state.
[[nodiscard]] std::unique_ptr<FittedCohort> restore_sigma(const NomuSpec& spec,
                                                          std::shared_ptr<const ForeignNetwork> network,
                                                          const FittedState& state, std::vector<FitReport> reports,
                                                          Engine& engine);

/// Bounds for a network in the user's units: scaling, `fit_sigma` and calibration as `fit` does them, the method being
/// NOMU. The network has seen the rows unless told otherwise, and its errors there say too little: automatic
/// calibration is then by nll, which proves no coverage. `load_bounds` of models/archive reads a saved model again.
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

}  // namespace nomu
