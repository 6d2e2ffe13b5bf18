#pragma once
// The fitted object of every method that is made of networks: their layers and parameters, how much each counts in its
// member's answer, and how outputs become a prediction. Slopes, archives and ONNX export follow from the same parts.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/plan.hpp"
#include "engine/predictor.hpp"
#include "models/network/output_map.hpp"
#include "nomu/engine/engine.hpp"
#include "nomu/models/fitted.hpp"

namespace nomu {

class Mixture;

/// What a spec says about a fitted member before anything is trained.
struct NetworkDesign {
  engine::Networks networks;
  LossKind loss = LossKind::squared_error;  ///< decides how many outputs the networks have
  std::size_t per_member = 1;               ///< K, networks that make up one member
  OutputMap outputs = {};
  std::uint32_t passes = 0;  ///< of a prediction with dropout; 0: dropout is off

  /// P, the parameters of one network (or linked group of networks).
  [[nodiscard]] std::size_t parameters() const;
};

/// What training adds to the design.
struct NetworkParts {
  Tensor<float> parameters;  ///< [M K][1][P], the networks of a member next to each other
  Tensor<float> weights;     ///< [M][1][K], how much each network counts; 0: not at all
  Tensor<float> noise = {};  ///< [M][1][1] where the noise is constant, else empty
};

/// Weights of networks that all count alike, [M][1][K].
[[nodiscard]] Tensor<float> equal_weights(std::size_t members, std::size_t per_member);

class FittedNetwork final : public FittedCohort {
 public:
  /// `parts` have the shapes of the design. The engine must outlive the object.
  FittedNetwork(NetworkDesign design, NetworkParts parts, std::vector<FitReport> reports, Engine& engine);

  [[nodiscard]] std::size_t members() const override { return reports_.size(); }
  [[nodiscard]] Prediction predict(const Tensor<float>& x) const override;
  /// The mean over the networks of each member.
  [[nodiscard]] Tensor<float> raw_sigma(const Tensor<float>& x) const override;
  [[nodiscard]] std::optional<PredictionSlopes> slopes(const Tensor<float>& x) const override;
  [[nodiscard]] std::unique_ptr<FittedCohort> select(std::span<const std::size_t> members) const override {
    return some(members);
  }
  [[nodiscard]] const std::vector<FitReport>& reports() const override { return reports_; }
  [[nodiscard]] FittedState state() const override;

  /// `select`, without losing the type.
  [[nodiscard]] std::unique_ptr<FittedNetwork> some(std::span<const std::size_t> members) const;

  [[nodiscard]] const NetworkDesign& design() const { return design_; }
  [[nodiscard]] const NetworkParts& parts() const { return parts_; }

  /// The same networks, whose dropout passes keep their masks from row to row, so that a pass is one network with some
  /// units left out and a row's prediction does not depend on its place in x. Null where there is nothing to change:
  /// without passes, and with convolutions.
  [[nodiscard]] std::unique_ptr<FittedNetwork> with_fixed_masks() const;

 private:
  [[nodiscard]] Tensor<float> outputs_at(const Tensor<float>& x) const;
  [[nodiscard]] double weight(std::size_t network) const { return static_cast<double>(parts_.weights.flat()[network]); }
  void add_networks(const Tensor<float>& x, Mixture& mixture) const;
  void add_passes(const Tensor<float>& x, Mixture& mixture) const;
  void add_thinned(const Tensor<float>& x, Mixture& mixture) const;

  NetworkDesign design_;
  NetworkParts parts_;
  std::vector<FitReport> reports_;
  Engine& engine_;
  bool fixed_masks_ = false;
  std::vector<std::uint64_t> seeds_;  ///< of dropout masks, one for each member
  mutable engine::RepeatedPredictions predictions_;
};

/// The cohort that `state` was taken from. Throws DataError where its blocks do not have the shapes of the design.
[[nodiscard]] std::unique_ptr<FittedNetwork> restore_network(NetworkDesign design, const FittedState& state,
                                                             std::vector<FitReport> reports, Engine& engine);

/// The cohort as the front door uses it: every row's prediction is a function of the row alone.
[[nodiscard]] std::shared_ptr<const FittedCohort> row_by_row(std::shared_ptr<const FittedCohort> fitted);

}  // namespace nomu
