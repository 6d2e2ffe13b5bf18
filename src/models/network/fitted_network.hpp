#pragma once
// The fitted object of every method that consists of networks: their layers and parameters, how much each counts in its
// member's prediction, and how outputs become a prediction. Slopes, archives and ONNX export follow from the same
// parts.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "engine/plan.hpp"
#include "engine/predictor.hpp"
#include "models/network/output_map.hpp"
#include "nomu/engine/engine.hpp"
#include "nomu/models/fitted.hpp"

namespace nomu {

class Mixture;
struct RowRange;

/// What is known about a fitted member from its spec, before training.
struct NetworkDesign {
  engine::Networks networks;
  LossKind loss = LossKind::squared_error;  ///< determines how many outputs the networks have
  std::size_t per_member = 1;               ///< K, number of networks per member
  OutputMap outputs = {};
  std::uint32_t passes = 0;  ///< per prediction with dropout; 0: dropout is off

  /// P, the parameters of one network (or linked group of networks).
  [[nodiscard]] std::size_t parameters() const;
};

/// The block of a state that holds NetworkParts::unknown, which is only there if the model needs it.
inline constexpr std::string_view unknown_names_block = "unknown";
/// And the one of NetworkParts::beyond.
inline constexpr std::string_view beyond_block = "beyond";

/// What training adds to the design.
struct NetworkParts {
  Tensor<float> parameters;  ///< [M K][1][P], the networks of a member are adjacent
  Tensor<float> weights;     ///< [M][1][K], how much each network counts; 0: not at all
  Tensor<float> noise = {};  ///< [M][1][1] if the noise is constant, otherwise empty
  /// [M K][1][NetworkHead::size], empty: none; only with learned noise and a raw sigma. The networks of a member differ
  /// in how they read their outputs (raw_near, raw_far), not in the shape of sigma.
  Tensor<float> heads = {};
  Tensor<float> trend = {};  ///< [M K][1][1 + d], intercept and slopes of each network's trend; there if heads are
  Tensor<float> steps = {};  ///< [M][3][E], the last E inputs of the networks (models/inputs/embedding); empty: none
  /// [M][1][d], for inputs that stand for names which training did not have: the variance of the mean at rows where
  /// they are 1, which sigma_model is never below; 0 for other inputs, empty: none.
  Tensor<float> unknown = {};
  Tensor<float> beyond = {};  ///< [M][1][4 d + 3], a BeyondRange of each member; empty: none
};

/// The numbers of heads [networks][1][...] in a file of today or before. Throws DataError if one of them cannot be a
/// head.
[[nodiscard]] Tensor<float> read_heads(const FittedState& state, std::string_view name, std::size_t networks);

/// Equal weights for all networks, [M][1][K].
[[nodiscard]] Tensor<float> equal_weights(std::size_t members, std::size_t per_member);

class FittedNetwork final : public FittedCohort {
 public:
  /// `parts` must have the shapes that the design implies. The engine must outlive the object.
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

  /// `select` that keeps the type.
  [[nodiscard]] std::unique_ptr<FittedNetwork> some(std::span<const std::size_t> members) const;

  [[nodiscard]] const NetworkDesign& design() const { return design_; }
  [[nodiscard]] const NetworkParts& parts() const { return parts_; }

  /// The same networks with dropout masks that are the same for all rows, so that a pass is one network without some of
  /// its units and a row's prediction does not depend on its position in x. Null if nothing changes: without passes,
  /// and with convolutions.
  [[nodiscard]] std::unique_ptr<FittedNetwork> with_fixed_masks() const;

 private:
  /// A head of each member; empty if there are none, or only those of older files.
  [[nodiscard]] std::vector<NetworkHead> member_heads() const;
  [[nodiscard]] Tensor<float> outputs_at(const Tensor<float>& x) const;
  [[nodiscard]] double weight(std::size_t network) const { return static_cast<double>(parts_.weights.flat()[network]); }
  [[nodiscard]] Tensor<float> with_steps(const Tensor<float>& x) const;
  void add_networks(const Tensor<float>& x, Mixture& mixture) const;
  /// Adds network k at some rows; `x` with steps, `outputs` of all networks.
  void add_network(std::size_t k, const Tensor<float>& x, const Tensor<float>& outputs, RowRange rows,
                   Mixture& mixture) const;
  void add_passes(const Tensor<float>& x, Mixture& mixture) const;
  void add_thinned(const Tensor<float>& x, Mixture& mixture) const;

  NetworkDesign design_;
  NetworkParts parts_;
  std::vector<FitReport> reports_;
  Engine& engine_;
  bool fixed_masks_ = false;
  std::vector<std::uint64_t> seeds_;  ///< of dropout masks, one per member
  mutable engine::RepeatedPredictions predictions_;
};

/// Number of inputs of the networks that `state` holds: columns of x and steps.
[[nodiscard]] std::size_t network_inputs(const FittedState& state);

/// The cohort that `state` was taken from. Throws DataError if its blocks do not have the shapes of the design.
[[nodiscard]] std::unique_ptr<FittedNetwork> restore_network(NetworkDesign design, const FittedState& state,
                                                             std::vector<FitReport> reports, Engine& engine);

/// The cohort as models use it: the prediction for a row depends only on that row.
[[nodiscard]] std::shared_ptr<const FittedCohort> row_by_row(std::shared_ptr<const FittedCohort> fitted);

}  // namespace nomu
