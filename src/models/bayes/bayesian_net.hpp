#pragma once
// A network trained as usual and then given a Bayesian treatment that is linear in its parameters, or in those of its
// head: what linearised Laplace and the neural linear model have in common.

#include <memory>
#include <string_view>
#include <vector>

#include "engine/layout.hpp"
#include "models/network/methods.hpp"
#include "models/network/network_plan.hpp"

namespace nomu {

struct BayesianNet {
  RegressionNet net;
  bool whole_network;       ///< all parameters are uncertain; false: those of the head
  bool new_head;            ///< the posterior mean of the head replaces the trained one
  std::string_view origin;  ///< of errors: the method
};

/// What a fitted member consists of.
struct BayesianPosterior {
  Tensor<float> parameters;  ///< [M][1][P]
  Tensor<float> root;        ///< [M][p][p], see BayesianLinear; transposed
  Tensor<float> head;        ///< [M][1][p] if the head is new, otherwise empty
  Tensor<float> noise;       ///< [M][1][1], sigma
};

class FittedBayesianNet final : public FittedCohort {
 public:
  FittedBayesianNet(const BayesianNet& spec, engine::Layout layout, BayesianPosterior posterior, FitReports reports,
                    std::int64_t threads);

  [[nodiscard]] std::size_t members() const override { return reports_.size(); }
  [[nodiscard]] Prediction predict(const Tensor<float>& x) const override;
  [[nodiscard]] std::unique_ptr<FittedCohort> select(std::span<const std::size_t> members) const override;
  [[nodiscard]] const std::vector<FitReport>& reports() const override { return reports_; }
  [[nodiscard]] FittedState state() const override;

  [[nodiscard]] bool whole_network() const { return whole_network_; }
  [[nodiscard]] const engine::Layout& layout() const { return layout_; }
  [[nodiscard]] const BayesianPosterior& posterior() const { return posterior_; }

 private:
  FittedBayesianNet(const FittedBayesianNet& all, BayesianPosterior posterior);
  void predict_member(const Tensor<float>& x, std::size_t m, Prediction& prediction) const;

  bool whole_network_;
  std::string_view where_;
  engine::Layout layout_;
  BayesianPosterior posterior_;
  std::vector<FitReport> reports_;
  std::int64_t threads_;
};

/// Throws ConfigError if there are more uncertain parameters than `most_uncertain`.
[[nodiscard]] FittedPointer fit_bayesian_net(const BayesianNet& spec, const Cohort& cohort, Engine& engine,
                                             const Progress& progress);

[[nodiscard]] FittedPointer restore_bayesian_net(const BayesianNet& spec, const FittedState& state, FitReports reports,
                                                 Engine& engine);

/// The work grows with the cube of their number, the memory with the square.
inline constexpr std::size_t most_uncertain = 2500;

}  // namespace nomu
