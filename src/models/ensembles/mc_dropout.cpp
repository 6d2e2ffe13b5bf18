#include "nomu/models/mc_dropout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "engine/backend.hpp"
#include "models/network/automatic.hpp"
#include "models/network/fitted_network.hpp"
#include "models/network/methods.hpp"
#include "models/network/network_plan.hpp"
#include "models/network/train.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr const char* where = "models/mc_dropout";
constexpr std::int64_t most_passes = 1'000'000;  ///< a prediction of more would seem to hang

/// The share of units that a pass drops, over all layers.
double mean_dropout(const McDropoutSpec& spec) {
  if (spec.dropout_layers.empty()) return spec.dropout;
  return std::accumulate(spec.dropout_layers.begin(), spec.dropout_layers.end(), 0.0) /
         static_cast<double>(spec.dropout_layers.size());
}

void check_layers(const McDropoutSpec& spec) {
  if (spec.dropout_layers.empty()) return;
  const std::size_t layers = spec.net.convolution.filters.size() + spec.net.hidden.size();
  if (spec.dropout_layers.size() != layers) {
    throw ConfigError(where, fmt::format("dropout_layers has {} shares, but the network has {} hidden layers; give one "
                                         "for each, or none to use dropout in all",
                                         spec.dropout_layers.size(), layers));
  }
  for (const double rate : spec.dropout_layers) {
    if (!(rate >= 0.0 && rate < 1.0))
      throw ConfigError(where, fmt::format("dropout_layers must be at least 0 and below 1, got {}", rate));
  }
  if (mean_dropout(spec) == 0.0)
    throw ConfigError(where, "dropout_layers drops nothing, so passes would not differ; one share must be positive");
}

RegressionNet dropout_net(const McDropoutSpec& spec) {
  check_layers(spec);
  if (!(spec.dropout > 0.0 && spec.dropout < 1.0))
    throw ConfigError(where, fmt::format("dropout must lie between 0 and 1, got {}", spec.dropout));
  if (spec.passes < 2) throw ConfigError(where, fmt::format("a spread needs at least 2 passes, got {}", spec.passes));
  if (spec.passes > most_passes)
    throw ConfigError(where, fmt::format("passes must be at most {}, got {}", most_passes, spec.passes));
  return {.net = spec.net,
          .train = spec.train,
          .learn_noise = spec.learn_noise && spec.noise_head,
          .dropout = mean_dropout(spec),
          .dropout_layers = spec.dropout_layers,
          .l2 = spec.l2};
}

bool one_noise(const McDropoutSpec& spec) { return spec.learn_noise && !spec.noise_head; }

/// Root mean squared training error of the networks without dropout, [M][1][1].
Tensor<float> missed_by(const engine::Networks& networks, const Tensor<float>& parameters, const Cohort& cohort,
                        Engine& engine) {
  const Tensor<float> outputs = engine::backend(engine).predict(networks, parameters, cohort.x, {}, {});
  Tensor<float> noise(cohort.members(), 1, 1);
  for (std::size_t m = 0; m < cohort.members(); ++m) {
    double squares = 0.0;
    for (std::size_t i = 0; i < cohort.rows(); ++i) {
      const double weight = cohort.row_weight.empty() ? 1.0 : static_cast<double>(cohort.row_weight(m, i, 0));
      const auto error = static_cast<double>(outputs(m, i, 0) - cohort.y(m, i, 0));
      squares += weight * error * error;
    }
    noise(m, 0, 0) = static_cast<float>(std::sqrt(squares / weight_of(cohort, m)));
  }
  return noise;
}

NetworkDesign design_of(const McDropoutSpec& spec, std::size_t inputs) {
  const bool head = spec.learn_noise && spec.noise_head;
  NetworkDesign design{.networks = regression_networks(dropout_net(spec), inputs, where),
                       .loss = regression_loss(head),
                       .outputs = regression_outputs(head),
                       .passes = static_cast<std::uint32_t>(spec.passes)};
  if (one_noise(spec)) design.outputs.noise = OutputMap::Noise::constant;
  return design;
}

}  // namespace

McDropoutSpec McDropoutSpec::published() {
  McDropoutSpec spec;
  spec.net = {.hidden = {1024, 2048, 1024}};
  spec.train = {.clip_norm = 1000.0, .snapshot = Snapshot::none};
  spec.l2 = 1e-8;
  spec.dropout = 0.2;
  return spec;
}

McDropoutSpec resolved(const McDropoutSpec& given, std::size_t rows, std::size_t /*cols*/) {
  McDropoutSpec spec = given;
  resolve_regression(spec.net, spec.learn_noise);
  resolve(spec.train, rows);
  resolve_penalty(spec.l2, spec.learn_noise && spec.noise_head);
  if (spec.dropout == 0.0) spec.dropout = 0.05;
  return spec;
}

Fields fields_of(McDropoutSpec& spec) {
  Fields f(where);
  f.add("dropout", spec.dropout, Range::between(0.0, 0.999), "share of the units that a pass drops; 0: automatic");
  f.add("dropout_layers", spec.dropout_layers, Range::between(0.0, 0.999),
        "share of the units of each hidden layer that a pass drops, first to last; none: dropout in all");
  f.added_later("dropout_layers", std::vector<double>{});
  f.add("passes", spec.passes, Range::between(2, most_passes), "stochastic passes per prediction");
  f.add("l2", spec.l2, Range::at_least(-1.0),
        "L2 penalty, multiplied by (1 - dropout) / n and added to the mean loss; negative: automatic");
  f.add("learn_noise", spec.learn_noise, "also predict the data noise");
  f.add("noise_head", spec.noise_head, "learned noise is a second output, trained by likelihood; otherwise one number");
  f.add_nested("net", fields_of(spec.net));
  f.add_nested("train", fields_of(spec.train));
  return f;
}

FittedPointer fit_cohort(const McDropoutSpec& spec, const Cohort& cohort, Engine& engine, const Progress& progress) {
  Trained trained = train(regression_plan(dropout_net(spec), cohort, where), engine, progress);
  NetworkDesign design = design_of(spec, cohort.cols());
  NetworkParts parts{std::move(trained.parameters), equal_weights(cohort.members(), 1)};
  if (one_noise(spec)) parts.noise = missed_by(design.networks, parts.parameters, cohort, engine);
  return std::make_unique<FittedNetwork>(std::move(design), std::move(parts), std::move(trained.reports), engine);
}

FittedPointer restore_cohort(const McDropoutSpec& spec, const FittedState& state, FitReports reports, Engine& engine) {
  return restore_network(design_of(spec, state.inputs), state, std::move(reports), engine);
}

}  // namespace nomu
