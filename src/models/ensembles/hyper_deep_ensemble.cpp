#include "nomu/models/hyper_deep_ensemble.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "models/ensembles/hyper_search.hpp"
#include "models/network/automatic.hpp"
#include "models/network/ensemble.hpp"
#include "models/network/fitted_network.hpp"
#include "models/network/methods.hpp"
#include "models/network/network_plan.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr const char* where = hyper_where;

void check_settings(const HyperDeepEnsembleSpec& spec) {
  if (spec.networks < 1)
    throw ConfigError(where, fmt::format("an ensemble needs at least one network, got {}", spec.networks));
  if (spec.candidates < 1)
    throw ConfigError(where, fmt::format("candidates must be positive, got {}", spec.candidates));
  if (!(spec.dropout_low > 0.0 && spec.dropout_low <= spec.dropout_high && spec.dropout_high < 1.0))
    throw ConfigError(where, fmt::format("dropout needs 0 < low <= high < 1, got low {}, high {}", spec.dropout_low,
                                         spec.dropout_high));
  if (!(spec.l2_low > 0.0 && spec.l2_low <= spec.l2_high))
    throw ConfigError(where, fmt::format("l2 needs 0 < low <= high, got low {}, high {}", spec.l2_low, spec.l2_high));
  if (!(spec.validation > 0.0 && spec.validation < 1.0))
    throw ConfigError(where, fmt::format("validation must lie between 0 and 1, got {}", spec.validation));
}

NetworkDesign design_of(const HyperDeepEnsembleSpec& spec, std::size_t inputs) {
  NetworkDesign design{.networks = regression_networks({.net = spec.net, .train = spec.train}, inputs, where),
                       .loss = regression_loss(false),
                       .per_member = static_cast<std::size_t>(spec.networks),
                       .outputs = regression_outputs(false)};
  design.outputs.variance_as_sigma = spec.published_sigma;
  return design;
}

/// Merges the reports of one problem's networks; it has diverged only if the loss is not finite, since the search tries
/// bad settings on purpose.
FitReport report_of(std::span<const FitReport> networks, std::uint64_t seed) {
  FitReport report = merged({networks.begin(), networks.end()}, {&seed, 1})[0];
  report.diverged = !std::isfinite(report.last_loss);
  return report;
}

}  // namespace

HyperDeepEnsembleSpec HyperDeepEnsembleSpec::published() {
  return {.net = {.hidden = {256, 1024, 512}},
          .train = {.clip_norm = 1000.0, .snapshot = Snapshot::none, .restarts = 0},
          .candidates = 50,
          .published_sigma = true,
          .published_score = true};
}

HyperDeepEnsembleSpec resolved(const HyperDeepEnsembleSpec& given, std::size_t rows, std::size_t /*cols*/) {
  HyperDeepEnsembleSpec spec = given;
  resolve(spec.net);
  resolve(spec.train, rows);
  return spec;
}

Fields fields_of(HyperDeepEnsembleSpec& spec) {
  Fields f(where);
  f.add("networks", spec.networks, Range::between(1, 1e6),
        "largest number of distinct networks, and number of initialisations tried of each");
  f.add("candidates", spec.candidates, Range::between(1, 1e6), "number of pairs of dropout and L2 penalty tried");
  f.add("dropout_low", spec.dropout_low, Range::between(1e-12, 0.999), "smallest dropout tried");
  f.add("dropout_high", spec.dropout_high, Range::between(1e-12, 0.999), "largest dropout tried");
  f.add("l2_low", spec.l2_low, Range::positive(), "smallest L2 penalty tried, multiplied by (1 - dropout) / n");
  f.add("l2_high", spec.l2_high, Range::positive(), "largest L2 penalty tried, multiplied by (1 - dropout) / n");
  f.add("validation", spec.validation, Range::between(0.0, 1.0), "share of the rows used for validation, rounded up");
  f.add("refit", spec.refit, "whether the chosen networks continue training on all rows (HDE*)");
  f.add("published_sigma", spec.published_sigma, "return the variance as sigma, as in the published runs");
  f.add("published_score", spec.published_score,
        "score every prediction against every target, as in the published runs");
  f.add_nested("net", fields_of(spec.net));
  f.add_nested("train", fields_of(spec.train));
  return f;
}

FittedPointer fit_cohort(const HyperDeepEnsembleSpec& spec, const Cohort& cohort, Engine& engine,
                         const Progress& progress) {
  check_settings(spec);
  const HyperEnsemble found = search_ensembles(spec, cohort, engine, progress);
  const auto width = static_cast<std::size_t>(spec.networks);
  Tensor<float> parameters(cohort.members() * width, 1, found.trained.parameters.cols());
  Tensor<float> weights(cohort.members(), 1, width);  // 0 if an ensemble has fewer networks
  std::vector<FitReport> reports;
  std::size_t k = 0;
  for (std::size_t m = 0; m < cohort.members(); ++m) {
    const std::size_t first = k;
    for (; k < found.networks.size() && found.networks[k].problem == m; ++k) {
      weights(m, 0, k - first) = static_cast<float>(found.networks[k].picks);
      std::ranges::copy(found.trained.parameters.member(k), parameters.member(m * width + k - first).begin());
    }
    reports.push_back(report_of(std::span(found.trained.reports).subspan(first, k - first), cohort.seeds[m]));
  }
  return std::make_unique<FittedNetwork>(design_of(spec, cohort.cols()),
                                         NetworkParts{std::move(parameters), std::move(weights)}, std::move(reports),
                                         engine);
}

FittedPointer restore_cohort(const HyperDeepEnsembleSpec& spec, const FittedState& state, FitReports reports,
                             Engine& engine) {
  check_settings(spec);
  return restore_network(design_of(spec, state.inputs), state, std::move(reports), engine);
}

}  // namespace nomu
