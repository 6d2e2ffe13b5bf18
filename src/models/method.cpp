#include "nomu/models/method.hpp"

namespace nomu {
namespace {

std::string name_of(const NomuSpec& /*spec*/) { return "NOMU"; }

}  // namespace

std::string method_name(const MethodSpec& spec) {
  return std::visit([](const auto& s) { return name_of(s); }, spec);
}

std::unique_ptr<FittedCohort> fit(const MethodSpec& spec, const Cohort& cohort, Engine& engine,
                                  const Progress& progress) {
  return std::visit([&](const auto& s) { return fit(s, cohort, engine, progress); }, spec);
}

}  // namespace nomu
