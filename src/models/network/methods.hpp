#pragma once
// What each method does with a cohort and with a stored state. `fit` and `restore` of models/method dispatch to these;
// specs passed here have all automatic choices made.

#include <memory>
#include <vector>

#include "nomu/core/progress.hpp"
#include "nomu/data/cohort.hpp"
#include "nomu/engine/engine.hpp"
#include "nomu/models/method.hpp"

namespace nomu {

using FittedPointer = std::unique_ptr<FittedCohort>;
using FitReports = std::vector<FitReport>;

[[nodiscard]] FittedPointer fit_cohort(const NomuSpec&, const Cohort&, Engine&, const Progress&);
[[nodiscard]] FittedPointer fit_cohort(const DirectedSpec&, const Cohort&, Engine&, const Progress&);
[[nodiscard]] FittedPointer fit_cohort(const GpSpec&, const Cohort&, Engine&, const Progress&);
[[nodiscard]] FittedPointer fit_cohort(const McDropoutSpec&, const Cohort&, Engine&, const Progress&);
[[nodiscard]] FittedPointer fit_cohort(const DeepEnsembleSpec&, const Cohort&, Engine&, const Progress&);
[[nodiscard]] FittedPointer fit_cohort(const HyperDeepEnsembleSpec&, const Cohort&, Engine&, const Progress&);
[[nodiscard]] FittedPointer fit_cohort(const TubeSpec&, const Cohort&, Engine&, const Progress&);
[[nodiscard]] FittedPointer fit_cohort(const AnnSpec&, const Cohort&, Engine&, const Progress&);
[[nodiscard]] FittedPointer fit_cohort(const LaplaceSpec&, const Cohort&, Engine&, const Progress&);
[[nodiscard]] FittedPointer fit_cohort(const NeuralLinearSpec&, const Cohort&, Engine&, const Progress&);

[[nodiscard]] FittedPointer restore_cohort(const NomuSpec&, const FittedState&, FitReports, Engine&);
[[nodiscard]] FittedPointer restore_cohort(const DirectedSpec&, const FittedState&, FitReports, Engine&);
[[nodiscard]] FittedPointer restore_cohort(const GpSpec&, const FittedState&, FitReports, Engine&);
[[nodiscard]] FittedPointer restore_cohort(const McDropoutSpec&, const FittedState&, FitReports, Engine&);
[[nodiscard]] FittedPointer restore_cohort(const DeepEnsembleSpec&, const FittedState&, FitReports, Engine&);
[[nodiscard]] FittedPointer restore_cohort(const HyperDeepEnsembleSpec&, const FittedState&, FitReports, Engine&);
[[nodiscard]] FittedPointer restore_cohort(const TubeSpec&, const FittedState&, FitReports, Engine&);
[[nodiscard]] FittedPointer restore_cohort(const AnnSpec&, const FittedState&, FitReports, Engine&);
[[nodiscard]] FittedPointer restore_cohort(const LaplaceSpec&, const FittedState&, FitReports, Engine&);
[[nodiscard]] FittedPointer restore_cohort(const NeuralLinearSpec&, const FittedState&, FitReports, Engine&);

/// The `fit_cohort` of the method that `spec` holds.
[[nodiscard]] FittedPointer fit_cohort(const MethodSpec& spec, const Cohort& cohort, Engine& engine,
                                       const Progress& progress);

}  // namespace nomu
