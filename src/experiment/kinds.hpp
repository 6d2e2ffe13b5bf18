#pragma once
// The kinds of studies, one source each; `study_kinds` lists them.

#include "nomu/experiment/study_kind.hpp"

namespace nomu {

/// The paper's test functions (Section 4.1.1): a problem is a function; AUC and min NLL, medians over runs.
[[nodiscard]] StudyKind toy_kind();

/// The generative test-bed (Section 4.1.2) and the sensitivity analysis on it: a problem is a dimension, "2d"; the NLL
/// with one c for all runs of a method, averaged over functions drawn from a Bayesian network.
[[nodiscard]] StudyKind testbed_kind();

}  // namespace nomu
