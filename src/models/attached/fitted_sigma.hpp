#pragma once
// A fitted cohort whose mean is a foreign network: what that network answers, what the sigma networks beside it read,
// and how their outputs become one prediction a member.

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "engine/plan.hpp"
#include "nomu/models/foreign.hpp"

namespace nomu {

/// How the fit sees what the network reads and says: (value - row 0) / row 1. Single precision, as it is kept.
struct ForeignScale {
  Tensor<float> inputs;  ///< [1][2][d]
  Tensor<float> target;  ///< [1][2][1]

  [[nodiscard]] static ForeignScale identity(std::size_t inputs);
  [[nodiscard]] static ForeignScale of(const MemberScaling& scaling);
  [[nodiscard]] MemberScaling scaling() const;
};

/// All that came of a fit; K parts a member.
struct SigmaParts {
  Tensor<float> features;    ///< [M][1][h], what each feature is divided by
  Tensor<float> parameters;  ///< [M K][1][P] of sigma
  Tensor<float> noise;       ///< [M K][1][P] of the noise; empty where it is not learned
  std::vector<bool> kept;    ///< [M K]
};

/// The network's answers for x [1][q][d]. Throws DataError where they have the wrong shape or are not finite.
[[nodiscard]] ForeignNetwork::Evaluation evaluated(const ForeignNetwork& network, const Tensor<float>& x);

/// One member's rows of x [1 or M][q][d], as a block of their own.
[[nodiscard]] Tensor<float> rows_of(const Tensor<float>& x, std::size_t member);

/// Writes what the sigma network reads of one member's rows, [q][w + h]: x in the scale of the fit, where it is read at
/// all, and the features over `scale` [h].
void put_rows(const Tensor<float>& x, const Tensor<float>& features, std::span<const float> scale, bool with_inputs,
              std::span<float> out);

/// `fit_sigma` of a network in units of its own; the cohort and all randomness are in the scale.
[[nodiscard]] std::unique_ptr<FittedCohort> fit_sigma_in(const NomuSpec& spec,
                                                         std::shared_ptr<const ForeignNetwork> network,
                                                         const ForeignScale& scale, const Cohort& cohort,
                                                         Engine& engine, const Progress& progress);

class FittedSigma final : public FittedCohort {
 public:
  /// `spec` is resolved; `rows` is what it was resolved for. x of `predict` is in the units of the network.
  FittedSigma(const NomuSpec& spec, std::size_t rows, std::shared_ptr<const ForeignNetwork> network,
              const ForeignScale& scale, SigmaParts parts, std::vector<FitReport> reports);

  [[nodiscard]] static std::unique_ptr<FittedSigma> from(const NomuSpec& spec,
                                                         std::shared_ptr<const ForeignNetwork> network,
                                                         const FittedState& state, std::vector<FitReport> reports);

  [[nodiscard]] std::size_t members() const override { return reports_.size(); }
  [[nodiscard]] Prediction predict(const Tensor<float>& x) const override;
  /// Of an ensemble: the mean over its parts.
  [[nodiscard]] Tensor<float> raw_sigma(const Tensor<float>& x) const override;
  [[nodiscard]] const std::vector<FitReport>& reports() const override { return reports_; }
  [[nodiscard]] FittedState state() const override;

 private:
  /// Rows as the sigma networks read them, [M][q][w + h]; the network's own answers go to `mean` [M][q][1].
  [[nodiscard]] Tensor<float> seen_rows(const Tensor<float>& x, Tensor<float>& mean) const;
  [[nodiscard]] std::size_t per_member() const { return parts_.kept.size() / members(); }
  /// The mean of value(part) over the kept parts of a member.
  template <class F>
  [[nodiscard]] double average(std::size_t member, const F& value) const;

  Readout readout_;
  double noise_floor_;
  std::size_t rows_;
  std::shared_ptr<const ForeignNetwork> network_;
  ForeignScale scale_;
  MemberScaling scaling_;
  engine::Networks networks_;
  std::size_t skipped_;  ///< columns that the noise network does not read
  engine::Networks noise_networks_;
  SigmaParts parts_;
  std::vector<FitReport> reports_;
  std::unique_ptr<Engine> engine_;
};

}  // namespace nomu
