#include "nomu/models/method.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <utility>

#include "models/network/methods.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

struct Names {
  const char* key;
  const char* title;
};

/// One per alternative of MethodSpec, in the same order.
constexpr Names names[] = {
    {"nomu", "NOMU"},        {"directed", "NOMU directed"},  {"gp", "GP"},     {"mc_dropout", "MCDO"},
    {"deep_ensemble", "DE"}, {"hyper_deep_ensemble", "HDE"}, {"tube", "TUBE"}, {"ann", "ANN"},
    {"laplace", "Laplace"},  {"neural_linear", "NLM"}};
static_assert(std::size(names) == std::variant_size_v<MethodSpec>);

template <std::size_t i = 0>
MethodSpec default_spec(std::size_t index) {
  if constexpr (i + 1 < std::variant_size_v<MethodSpec>) {
    if (index != i) return default_spec<i + 1>(index);
  }
  return std::variant_alternative_t<i, MethodSpec>{};
}

}  // namespace

std::string method_name(const MethodSpec& spec) { return names[spec.index()].key; }

std::string method_title(const MethodSpec& spec) { return names[spec.index()].title; }

std::vector<std::string> method_names() {
  std::vector<std::string> keys;
  for (const Names& name : names) keys.emplace_back(name.key);
  return keys;
}

MethodSpec method_named(std::string_view name) {
  for (std::size_t i = 0; i < std::size(names); ++i) {
    if (name == names[i].key) return default_spec(i);
  }
  const std::string near = nearest(name, method_names());
  throw ConfigError("models/method", near.empty() ? fmt::format("unknown method '{}'; there are {}", name,
                                                                fmt::join(method_names(), ", "))
                                                  : fmt::format("unknown method '{}'; did you mean '{}'?", name, near));
}

bool fits_on_host(const MethodSpec& spec) { return std::holds_alternative<GpSpec>(spec); }

bool has_readout(const MethodSpec& spec) { return std::holds_alternative<NomuSpec>(spec); }

Fields fields_of(MethodSpec& spec) {
  return std::visit([](auto& s) { return fields_of(s); }, spec);
}

MethodSpec resolved_for(const MethodSpec& spec, std::size_t rows, std::size_t cols) {
  return std::visit(
      [&](const auto& s) -> MethodSpec {
        if constexpr (requires { resolved(s, rows, cols); }) {
          return resolved(s, rows, cols);
        } else {
          return s;
        }
      },
      spec);
}

FittedPointer fit_cohort(const MethodSpec& spec, const Cohort& cohort, Engine& engine, const Progress& progress) {
  return std::visit([&](const auto& s) { return fit_cohort(s, cohort, engine, progress); }, spec);
}

std::unique_ptr<FittedCohort> fit(const MethodSpec& spec, const Cohort& cohort, Engine& engine,
                                  const Progress& progress) {
  return fit_cohort(resolved_for(spec, cohort.rows(), cohort.cols()), cohort, engine, progress);
}

std::unique_ptr<FittedCohort> restore(const MethodSpec& spec, const FittedState& state, std::vector<FitReport> reports,
                                      Engine& engine) {
  // Old files of some methods left layers open; these do not depend on the number of rows.
  return std::visit([&](const auto& s) { return restore_cohort(s, state, std::move(reports), engine); },
                    resolved_for(spec, 1, state.inputs));
}

}  // namespace nomu
