#pragma once
// A fitted cohort whose mean is a foreign network: that network, what the networks attached to it read, and how their
// outputs become one prediction per member.

#include <cstddef>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "models/network/fitted_network.hpp"
#include "nomu/models/foreign.hpp"

namespace nomu {

/// From the network's units to the scale of the fit: (value - row 0) / row 1. Single precision, as stored.
struct ForeignScale {
  Tensor<float> inputs;  ///< [1][2][d]
  Tensor<float> target;  ///< [1][2][1]

  [[nodiscard]] static ForeignScale identity(std::size_t inputs);
  [[nodiscard]] static ForeignScale of(const MemberScaling& scaling);
  [[nodiscard]] MemberScaling scaling() const;
};

/// The network's outputs for x [1][q][d]. Throws DataError if they have the wrong shape or are not finite, Cancelled
/// when a stop is requested.
[[nodiscard]] ForeignNetwork::Evaluation evaluated(const ForeignNetwork& network, const Tensor<float>& x,
                                                   const std::stop_token& stop = {});

/// One member's rows of x [1 or M][q][d], as a separate block.
[[nodiscard]] Tensor<float> rows_of_member(const Tensor<float>& x, std::size_t member);

/// Writes what the sigma network reads of one member's rows, [q][w + h]: x on the scale of the fit, if it is read at
/// all, and the features divided by `scale` [h].
void write_sigma_inputs(const Tensor<float>& x, const Tensor<float>& features, std::span<const float> scale,
                        bool with_inputs, std::span<float> out);

/// `fit_sigma` for a network with units of its own and a spec that leaves nothing open; the cohort and all random draws
/// are on the scale of the fit.
[[nodiscard]] std::unique_ptr<FittedCohort> fit_sigma_in(const NomuSpec& spec,
                                                         std::shared_ptr<const ForeignNetwork> network,
                                                         const ForeignScale& scale, const Cohort& cohort,
                                                         Engine& engine, const Progress& progress);

/// The networks that were trained for the given one.
struct AttachedNetworks {
  Tensor<float> feature_scale;  ///< [M][1][h], what each feature is divided by
  std::unique_ptr<FittedNetwork> sigma;
  std::unique_ptr<FittedNetwork> noise;  ///< null if the noise is not learned
  /// [M][1][numbers of a NetworkHead], in the units of the target: how far the noise is trusted, and what it tends to
  /// where sigma rises; empty in old files.
  Tensor<float> noise_heads = {};
};

class FittedAttached final : public FittedCohort {
 public:
  /// x of `predict` is in the units of the network.
  FittedAttached(std::shared_ptr<const ForeignNetwork> network, const ForeignScale& scale, AttachedNetworks attached);

  /// The cohort that `state` was taken from; `spec` has all automatic choices made.
  [[nodiscard]] static std::unique_ptr<FittedAttached> from(const NomuSpec& spec,
                                                            std::shared_ptr<const ForeignNetwork> network,
                                                            const FittedState& state, std::vector<FitReport> reports,
                                                            Engine& engine);

  [[nodiscard]] std::size_t members() const override { return attached_.sigma->members(); }
  [[nodiscard]] Prediction predict(const Tensor<float>& x) const override;
  /// The mean over the networks of each member.
  [[nodiscard]] Tensor<float> raw_sigma(const Tensor<float>& x) const override;
  [[nodiscard]] std::unique_ptr<FittedCohort> select(std::span<const std::size_t> members) const override;
  [[nodiscard]] const std::vector<FitReport>& reports() const override { return attached_.sigma->reports(); }
  [[nodiscard]] FittedState state() const override;

  [[nodiscard]] const ForeignNetwork& network() const { return *network_; }
  [[nodiscard]] const AttachedNetworks& attached() const { return attached_; }
  [[nodiscard]] const MemberScaling& scaling() const { return scaling_; }
  /// Number of inputs that the sigma networks read besides the features: all of them, or none.
  [[nodiscard]] std::size_t inputs_read() const;
  /// Number of columns that the sigma networks read but the noise networks do not.
  [[nodiscard]] std::size_t skipped_by_noise() const;

 private:
  /// Rows as the sigma networks read them, [M][q][w + h]; the network's own predictions go to `mean` [M][q][1].
  [[nodiscard]] Tensor<float> sigma_inputs(const Tensor<float>& x, Tensor<float>& mean) const;

  std::shared_ptr<const ForeignNetwork> network_;
  ForeignScale scale_;
  MemberScaling scaling_;
  AttachedNetworks attached_;
};

}  // namespace nomu
