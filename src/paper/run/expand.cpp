#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/crc64.hpp"
#include "nomu/core/error.hpp"
#include "nomu/core/random.hpp"
#include "nomu/models/preset.hpp"
#include "paper/run/runner.hpp"

namespace nomu {
namespace {

/// Whether a setting describes convolutions, of any network.
bool describes_convolutions(const Field& field) {
  ConvolutionSpec convolution;
  const Fields fields = fields_of(convolution);
  return std::ranges::any_of(fields.list(),
                             [&](const Field& one) { return field.name.ends_with(fmt::format(".{}", one.name)); });
}

/// What a method is fitted with, for its key. The paper's presets are fixed by its tables, so their name stands for
/// their settings, and settings added later leave old keys unchanged. All others are written out in full, except for
/// convolutions if there are none and for settings added later that have their default (Fields::added_later). Changing
/// this text invalidates stored results.
std::string spec_text(const ExperimentMethod& method, MethodSpec spec, std::size_t cols) {
  std::string text = fmt::format("{} {}", method.method, method.preset);
  const Fields fields = fields_of(spec);
  if (method.preset == "auto") {
    const bool convolutions = reads_images(spec);
    for (const Field& field : fields.list()) {
      if (!field.in_keys() || (!convolutions && describes_convolutions(field))) continue;
      text += fmt::format("\n{}={}", field.name, to_text(field.get()));
    }
    return text;
  }
  MethodSpec preset = method_preset(method.method, method.preset, cols);
  for (const auto& [name, value] : fields.differences(fields_of(preset))) text += fmt::format("\n{}={}", name, value);
  return text;
}

/// Problems that can share cohorts of one method.
struct Group {
  std::string spec_text;
  MethodSpec spec;
  std::vector<MethodSpec> candidates;
  ProblemShape shape;
  std::vector<std::string> problems;
};

/// What a search tries, for the key of its runs.
std::string search_text(const ExperimentMethod& method) {
  std::string text;
  for (const auto& [key, values] : method.search) text += fmt::format("\nsearch {}={}", key, fmt::join(values, ","));
  return text;
}

std::vector<MethodSpec> candidates_of(const ExperimentMethod& method, const ExperimentKind& kind,
                                      const ProblemShape& shape) {
  std::vector<MethodSpec> candidates;
  if (method.search.empty()) return candidates;
  if (!kind.validates) {
    throw ConfigError("paper/experiment", fmt::format("method '{}': search needs validation rows, which experiments of "
                                                      "kind '{}' do not have; use grid",
                                                      method.name, kind.name));
  }
  for (const ExperimentMethod& one : method.combinations()) candidates.push_back(one.spec(shape.rows, shape.cols));
  return candidates;
}

std::vector<Group> groups_of(const ExperimentSpec& experiment, const ExperimentKind& kind,
                             const ExperimentMethod& method) {
  std::vector<Group> groups;
  for (const std::string& problem : experiment.problems) {
    if (!method.problems.empty() && std::ranges::find(method.problems, problem) == method.problems.end()) continue;
    const ProblemShape shape = kind.shape(experiment, problem);
    MethodSpec spec = method.spec(shape.rows, shape.cols);
    const std::string text = spec_text(method, spec, shape.cols) + search_text(method);
    const auto same = std::ranges::find_if(
        groups, [&](const Group& group) { return group.spec_text == text && group.shape == shape; });
    if (same != groups.end()) {
      same->problems.push_back(problem);
    } else {
      groups.push_back({.spec_text = text,
                        .spec = std::move(spec),
                        .candidates = candidates_of(method, kind, shape),
                        .shape = shape,
                        .problems = {problem}});
    }
  }
  return groups;
}

bool on_host(const ExperimentMethod& method) { return fits_on_host(method_named(method.method)); }

/// A piece and the number of its first seed, for sorting.
struct OrderedPiece {
  std::int64_t first = 0;
  Piece piece;
};

}  // namespace

std::uint64_t ExperimentRun::fit_seed() const {
  const std::uint64_t first = derived_seed(seed, crc64(problem));
  return fit_seed_of_method.empty() ? first : derived_seed(first, crc64(fit_seed_of_method));
}

std::vector<Piece> expand_experiment(const ExperimentSpec& spec, const std::string& precision, bool gpu) {
  const ExperimentKind& kind = find_kind(spec);
  std::vector<OrderedPiece> ordered;
  for (const ExperimentMethod& method : spec.methods) {
    const auto size = static_cast<std::size_t>(gpu ? method.cohort : method.cohort_cpu);
    for (const Group& group : groups_of(spec, kind, method)) {
      // The protocol also determines the numbers, although it is not a setting of the method.
      const std::string draw = method.fit_seed.empty() ? "" : "\nfit_seed=" + method.fit_seed;
      const std::string spec_digest = digest(group.spec_text + "\n" + method.protocol + draw);
      OrderedPiece next{.first = 0,
                        .piece = {.method = method,
                                  .spec = group.spec,
                                  .candidates = group.candidates,
                                  .runs = {},
                                  .on_host = on_host(method)}};
      for (std::int64_t i = 0; i < spec.runs; ++i) {
        const auto seed = static_cast<std::uint64_t>(spec.first_seed + i);
        if (!spec.seeds.empty() && std::ranges::find(spec.seeds, seed) == spec.seeds.end()) continue;
        for (const std::string& problem : group.problems) {
          if (kind.most_runs && i >= kind.most_runs(spec, problem)) continue;
          if (next.piece.runs.empty()) next.first = i;
          next.piece.runs.push_back({.problem = problem,
                                     .seed = seed,
                                     .fit_seed_of_method = method.fit_seed,
                                     .key = {.spec = spec_digest,
                                             .data = digest(kind.recipe(spec, problem, seed)),
                                             .seed = seed,
                                             .precision = on_host(method) ? "fp64" : precision,
                                             .results_version = spec.results_version}});
          if (next.piece.runs.size() < size) continue;
          ordered.push_back(next);
          next.piece.runs.clear();
        }
      }
      if (!next.piece.runs.empty()) ordered.push_back(next);
    }
  }
  std::ranges::stable_sort(ordered, {}, &OrderedPiece::first);
  std::vector<Piece> pieces;
  pieces.reserve(ordered.size());
  for (OrderedPiece& one : ordered) pieces.push_back(std::move(one.piece));
  return pieces;
}

}  // namespace nomu
