#pragma once
// A fitted NOMU cohort: the networks of every part, and how their outputs become one prediction a member.

#include <cstddef>
#include <vector>

#include "engine/plan.hpp"
#include "engine/predictor.hpp"
#include "nomu/models/nomu.hpp"
#include "nomu/models/slopes.hpp"

namespace nomu {

/// All that came of a fit, part by part.
struct NomuParts {
  Tensor<float> parameters;  ///< [M K][1][P]
  std::vector<bool> kept;    ///< [M K]
};

class FittedNomu final : public FittedCohort, public HasSlopes {
 public:
  /// `spec` is resolved; `rows` is what it was resolved for.
  FittedNomu(const NomuSpec& spec, std::size_t rows, engine::Networks networks, NomuParts parts,
             std::vector<FitReport> reports, Engine& engine);

  [[nodiscard]] std::size_t members() const override { return reports_.size(); }
  [[nodiscard]] Prediction predict(const Tensor<float>& x) const override;
  /// Of an ensemble: the mean over its parts.
  [[nodiscard]] Tensor<float> raw_sigma(const Tensor<float>& x) const override;
  [[nodiscard]] PredictionSlopes slopes(const Tensor<float>& x) const override;
  [[nodiscard]] const std::vector<FitReport>& reports() const override { return reports_; }
  [[nodiscard]] FittedState state() const override;

  /// The other way; `spec` need not be resolved.
  [[nodiscard]] static std::unique_ptr<FittedNomu> from(const NomuSpec& spec, const FittedState& state,
                                                        std::vector<FitReport> reports, Engine& engine);

  static constexpr const char* parameters_block = "parameters";
  static constexpr const char* mean_size_block = "mean_size";  ///< how many parameters come before those of sigma

 private:
  [[nodiscard]] std::size_t per_member() const { return parts_.parameters.members() / members(); }
  [[nodiscard]] Tensor<float> evaluate(const Tensor<float>& x) const;
  void put(const Tensor<float>& outputs, std::size_t m, std::size_t i, Prediction& prediction) const;

  std::size_t rows_;
  std::size_t mean_size_;
  bool noise_;
  double noise_floor_;
  Readout readout_;
  engine::Networks networks_;
  NomuParts parts_;
  std::vector<FitReport> reports_;
  Engine& engine_;
  mutable engine::RepeatedPredictions predictions_;
};

/// A fit in one stage that starts from the parameters in `before`; see warm_start.
[[nodiscard]] std::unique_ptr<FittedCohort> fit_joint_on(const NomuSpec& spec, const FittedState& before,
                                                         const Cohort& cohort, Engine& engine,
                                                         const Progress& progress);

}  // namespace nomu
