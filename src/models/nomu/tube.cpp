#include "nomu/models/tube.hpp"

#include <fmt/format.h>

#include <utility>

#include "models/network/methods.hpp"
#include "models/nomu/nomu_plan.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr const char* where = "models/tube";

void check_settings(const TubeSpec& spec) {
  if (!(spec.sigma > 0.0)) throw ConfigError(where, fmt::format("sigma must be positive, got {}", spec.sigma));
}

}  // namespace

Fields fields_of(TubeSpec& spec) {
  Fields f(where);
  f.add("sigma", spec.sigma, Range::positive(), "the uncertainty, the same everywhere, before calibration");
  f.add_nested("nomu", fields_of(spec.nomu));
  return f;
}

TubeSpec resolved(const TubeSpec& given, std::size_t rows, std::size_t cols) {
  TubeSpec spec = given;
  spec.nomu = resolved(given.nomu, rows, cols);
  return spec;
}

FittedPointer fit_cohort(const TubeSpec& spec, const Cohort& cohort, Engine& engine, const Progress& progress) {
  check_settings(spec);
  const FittedPointer nomu = fit_cohort(spec.nomu, cohort, engine, progress);
  return restore_cohort(spec, nomu->state(), nomu->reports(), engine);
}

FittedPointer restore_cohort(const TubeSpec& spec, const FittedState& state, FitReports reports, Engine& engine) {
  check_settings(spec);
  NetworkDesign design = design_of(spec.nomu, state.inputs);
  design.outputs.sigma = OutputMap::Sigma::constant;
  design.outputs.sigma_constant = spec.sigma;
  return restore_network(std::move(design), state, std::move(reports), engine);
}

}  // namespace nomu
