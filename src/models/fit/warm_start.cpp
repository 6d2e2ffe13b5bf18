#include "nomu/models/warm_start.hpp"

#include <fmt/format.h>

#include "models/nomu/nomu_fit.hpp"
#include "nomu/core/error.hpp"

namespace nomu {

bool can_continue(const MethodSpec& spec) {
  const auto* nomu = std::get_if<NomuSpec>(&spec);
  return nomu != nullptr && nomu->stages == Stages::joint;
}

std::unique_ptr<FittedCohort> continue_fit(const MethodSpec& spec, const FittedCohort& before, const Cohort& cohort,
                                           Engine& engine, const Progress& progress) {
  if (can_continue(spec)) return fit_joint_on(std::get<NomuSpec>(spec), before, cohort, engine, progress);
  throw ConfigError(
      "models/warm_start",
      fmt::format("{} cannot continue from an earlier fit; only nomu with stages = joint can", method_name(spec)));
}

}  // namespace nomu
