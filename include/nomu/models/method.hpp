#pragma once
/// All methods behind one name: a spec of any kind goes in, a fitted cohort comes out. Studies and optimisation know
/// methods only through this header.

#include <memory>
#include <string>
#include <variant>

#include "nomu/core/progress.hpp"
#include "nomu/data/cohort.hpp"
#include "nomu/engine/engine.hpp"
#include "nomu/models/fitted.hpp"
#include "nomu/models/nomu.hpp"

namespace nomu {

/// Adding a method is one header, one source and one alternative here.
using MethodSpec = std::variant<NomuSpec>;

/// "NOMU"
[[nodiscard]] std::string method_name(const MethodSpec& spec);

/// Fits all members of the cohort; see the `fit` of each method.
[[nodiscard]] std::unique_ptr<FittedCohort> fit(const MethodSpec& spec, const Cohort& cohort, Engine& engine,
                                                const Progress& progress = {});

}  // namespace nomu
