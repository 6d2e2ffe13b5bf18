#pragma once
// The kinds of experiments, one source file each; `experiment_kinds` lists them.

#include "paper/kinds/kind.hpp"

namespace nomu {

/// The paper's test functions (Section 4.1.1): a problem is a function; AUC and min NLL, medians over runs.
[[nodiscard]] ExperimentKind toy_kind();

/// The generative test-bed (Section 4.1.2) and its sensitivity analysis: a problem is a dimension, "2d"; the NLL with
/// one c for all runs of a method, averaged over functions drawn from a Bayesian network.
[[nodiscard]] ExperimentKind testbed_kind();

/// The UCI data sets (Section 4.1.4): a problem is a set with its canonical splits, "boston", its gap splits,
/// "boston-gap", or the paper's authors' splits, "boston-authors"; or "made", which needs no data. Test NLL in the
/// target's units, constant included; see calibrated_fit for the protocols.
[[nodiscard]] ExperimentKind uci_kind();

/// Solar irradiance (Section 4.1.3): a problem is the seed of a split, "split-655" or "split-505", or "made"; runs
/// differ in how the networks are initialised.
[[nodiscard]] ExperimentKind solar_kind();

/// Bayesian optimisation (Section 4.2): a problem is a function and a dimension, "levy-5d" or "bnn-5d", to be maximised
/// from `rows` initial points in `test_rows` steps. The protocol of a method is "mw-0.05", "mw-0.5", "plain" (c = 1) or
/// "random". The metric is the final regret, averaged over runs.
[[nodiscard]] ExperimentKind bo_kind();

/// The mean of a metric over runs with its normal interval.
[[nodiscard]] std::optional<Estimate> mean_estimate(const std::string& metric, std::span<const ResultRow* const> rows);

}  // namespace nomu
