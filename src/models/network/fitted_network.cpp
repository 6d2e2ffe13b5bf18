#include "models/network/fitted_network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/team.hpp"
#include "engine/backend.hpp"
#include "engine/layout.hpp"
#include "engine/session.hpp"
#include "models/inputs/beyond_range.hpp"
#include "models/inputs/embedding.hpp"
#include "models/inputs/input_slopes.hpp"
#include "models/network/chosen_members.hpp"
#include "models/network/ensemble.hpp"
#include "models/network/mixture.hpp"
#include "models/network/thinned.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr const char* parameters_block = "parameters";
constexpr const char* weights_block = "weights";
constexpr const char* noise_block = "noise";
constexpr const char* heads_block = "heads";
constexpr const char* trend_block = "trend";
constexpr const char* steps_block = "steps";
constexpr const char* kept_block = "kept";  ///< files of format 1.0 have this instead of weights, [1][1][M K]

/// Most numbers in memory at a time, for all members and passes.
constexpr std::size_t most_numbers = std::size_t{1} << 26U;

bool has_convolutions(const engine::Networks& networks) {
  return std::ranges::any_of(networks.nets, [](const engine::Net& net) { return !net.front.windows.empty(); });
}

/// As many passes, of `size` numbers each, as fit in half a gigabyte; at least one.
std::uint32_t passes_at_once(std::uint32_t left, std::size_t size) {
  const std::size_t most = std::max<std::size_t>(most_numbers / std::max<std::size_t>(size, 1), 1);
  return static_cast<std::uint32_t>(std::min<std::size_t>(most, left));
}

engine::Networks chosen_networks(engine::Networks networks, std::span<const std::size_t> members,
                                 std::size_t per_member) {
  for (engine::Net& net : networks.nets) {
    if (net.dropout.values().size() == 1) continue;
    std::vector<float> rates;
    for (const std::size_t m : members) {
      for (std::size_t k = 0; k < per_member; ++k) rates.push_back(net.dropout[m * per_member + k]);
    }
    net.dropout = std::move(rates);
  }
  return networks;
}

Tensor<float> read_weights(const FittedState& state, std::size_t members, std::size_t per_member) {
  Tensor<float> weights = equal_weights(members, per_member);
  if (per_member == 1) return weights;
  if (state.has(weights_block)) {
    weights = state.block(weights_block, {members, 1, per_member});
  } else if (state.has(kept_block)) {
    std::ranges::copy(state.block(kept_block, {1, 1, members * per_member}).flat(), weights.flat().begin());
  }
  for (std::size_t m = 0; m < members; ++m) {
    const auto usable = [](float weight) { return std::isfinite(weight) && weight >= 0.0F; };
    const auto own = weights.member(m);
    if (!std::ranges::all_of(own, usable) || std::ranges::none_of(own, [](float weight) { return weight > 0.0F; }))
      throw DataError("models/fitted", fmt::format("the network weights of member {} are invalid", m));
  }
  return weights;
}

/// The trend at rows x [q][d].
std::vector<double> trend_at(std::span<const float> trend, std::span<const float> x, std::size_t cols) {
  std::vector<double> values(x.size() / cols);
  for (std::size_t i = 0; i < values.size(); ++i) {
    auto sum = static_cast<double>(trend[0]);
    for (std::size_t j = 0; j < cols; ++j)
      sum += static_cast<double>(trend[1 + j]) * static_cast<double>(x[i * cols + j]);
    values[i] = sum;
  }
  return values;
}

void widen_at_unknown_names(Tensor<float>& sigma, const Tensor<float>& unknown, const Tensor<float>& x) {
  for (std::size_t m = 0; m < sigma.members(); ++m) {
    const std::span<const float> variances = unknown.member(m);
    for (std::size_t i = 0; i < sigma.rows(); ++i) {
      const std::span<const float> row = x.row(x.members() == 1 ? 0 : m, i);
      const double variance = std::inner_product(row.begin(), row.end(), variances.begin(), 0.0);
      if (variance > 0.0) sigma(m, i, 0) = std::max(sigma(m, i, 0), static_cast<float>(std::sqrt(variance)));
    }
  }
}

void widen_beyond_range(Tensor<float>& sigma, const Tensor<float>& beyond, const Tensor<float>& x) {
  for (std::size_t m = 0; m < sigma.members(); ++m) {
    const BeyondRange range = BeyondRange::of(beyond.member(m));
    for (std::size_t i = 0; i < sigma.rows(); ++i) {
      const double deviation = range.deviation(x.row(x.members() == 1 ? 0 : m, i));
      if (deviation > 0.0) {
        float& own = sigma(m, i, 0);
        own = static_cast<float>(std::hypot(static_cast<double>(own), deviation));
      }
    }
  }
}

}  // namespace

std::size_t NetworkDesign::parameters() const { return engine::make_layout(networks, loss).parameters; }

Tensor<float> equal_weights(std::size_t members, std::size_t per_member) { return {members, 1, per_member, 1.0F}; }

FittedNetwork::FittedNetwork(NetworkDesign design, NetworkParts parts, std::vector<FitReport> reports, Engine& engine)
    : design_(std::move(design)), parts_(std::move(parts)), reports_(std::move(reports)), engine_(engine) {
  for (const FitReport& report : reports_) seeds_.push_back(report.seed);
}

Prediction FittedNetwork::predict(const Tensor<float>& x) const {
  Mixture mixture(design_.outputs, members(), x.rows(), member_heads());
  if (design_.passes == 0) {
    add_networks(x, mixture);
  } else if (fixed_masks_) {
    add_thinned(x, mixture);
  } else {
    add_passes(x, mixture);
  }
  Prediction prediction = mixture.prediction();
  if (!parts_.beyond.empty()) widen_beyond_range(prediction.sigma_model, parts_.beyond, x);
  if (!parts_.unknown.empty()) widen_at_unknown_names(prediction.sigma_model, parts_.unknown, x);
  if (design_.outputs.noise != OutputMap::Noise::constant) return prediction;
  prediction.sigma_noise = Tensor<float>(members(), x.rows(), 1);
  for (std::size_t m = 0; m < members(); ++m)
    std::ranges::fill(prediction.sigma_noise.member(m), parts_.noise(m, 0, 0));
  return prediction;
}

std::vector<NetworkHead> FittedNetwork::member_heads() const {
  std::vector<NetworkHead> all;
  if (parts_.heads.cols() < NetworkHead::size) return all;
  for (std::size_t m = 0; m < members(); ++m)
    all.push_back(NetworkHead::load(parts_.heads.member(m * design_.per_member)));
  return all;
}

Tensor<float> FittedNetwork::outputs_at(const Tensor<float>& x) const {
  if (engine::backend(engine_).shares_rows()) return predictions_(engine_, design_.networks, parts_.parameters, x);
  return predictions_(engine_, design_.networks, parts_.parameters, repeat_rows(x, members(), design_.per_member));
}

Tensor<float> FittedNetwork::with_steps(const Tensor<float>& x) const {
  return parts_.steps.empty() ? x : embedded(x, parts_.steps, engine_.info().threads);
}

void FittedNetwork::add_networks(const Tensor<float>& given, Mixture& mixture) const {
  const Tensor<float> x = with_steps(given);
  const Tensor<float> outputs = outputs_at(x);
  // Rows are independent: whole parts of them, of whichever member, side by side.
  for_each_part(members() * x.rows(), engine_.info().threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t at = begin; at < end;) {
      const std::size_t m = at / x.rows();
      const RowRange rows{.first = at % x.rows(), .count = std::min(end, (m + 1) * x.rows()) - at};
      for (std::size_t k = m * design_.per_member; k < (m + 1) * design_.per_member; ++k)
        add_network(k, x, outputs, rows, mixture);
      at += rows.count;
    }
  });
}

void FittedNetwork::add_network(std::size_t k, const Tensor<float>& x, const Tensor<float>& outputs, RowRange rows,
                                Mixture& mixture) const {
  // A network with weight 0 may hold numbers that are not finite.
  if (weight(k) == 0.0) return;
  const std::size_t m = k / design_.per_member;
  const std::span<const float> own =
      outputs.member(k).subspan(rows.first * outputs.cols(), rows.count * outputs.cols());
  if (parts_.heads.empty()) return mixture.add(m, rows, own, weight(k));
  const std::span<const float> inputs =
      x.member(x.members() == 1 ? 0 : m).subspan(rows.first * x.cols(), rows.count * x.cols());
  mixture.add(m, rows, own, weight(k), NetworkHead::load(parts_.heads.member(k)),
              trend_at(parts_.trend.member(k), inputs, x.cols()));
}

void FittedNetwork::add_passes(const Tensor<float>& x, Mixture& mixture) const {
  const RowRange all{.first = 0, .count = x.rows()};
  // Passes share a call, so that the parameters are copied to the device only once.
  for (std::uint32_t pass = 0; pass < design_.passes;) {
    const std::uint32_t count = passes_at_once(design_.passes - pass, members() * x.rows());
    const Tensor<float> outputs = predictions_(engine_, design_.networks, parts_.parameters, x,
                                               {.active = true, .pass = pass, .passes = count}, seeds_);
    const std::size_t size = x.rows() * outputs.cols();
    for (std::uint32_t p = 0; p < count; ++p) {
      for (std::size_t m = 0; m < members(); ++m) mixture.add(m, all, outputs.member(m).subspan(p * size, size));
    }
    pass += count;
  }
}

void FittedNetwork::add_thinned(const Tensor<float>& x, Mixture& mixture) const {
  const engine::Networks plain = without_dropout(design_.networks);
  const RowRange all{.first = 0, .count = x.rows()};
  for (std::size_t m = 0; m < members(); ++m) {
    Tensor<float> own(1, x.rows(), x.cols());
    std::ranges::copy(x.member(x.members() == 1 ? 0 : m), own.flat().begin());
    for (std::uint32_t pass = 0; pass < design_.passes;) {
      const std::uint32_t count = passes_at_once(design_.passes - pass, x.rows() + parts_.parameters.cols());
      const Tensor<float> thinned = thinned_parameters(design_.networks, m, parts_.parameters, seeds_[m], pass, count);
      const Tensor<float> outputs = engine::backend(engine_).predict(plain, thinned, own, {}, {});
      for (std::uint32_t p = 0; p < count; ++p) mixture.add(m, all, outputs.member(p));
      pass += count;
    }
  }
}

Tensor<float> FittedNetwork::raw_sigma(const Tensor<float>& x) const {
  if (design_.outputs.sigma != OutputMap::Sigma::readout) return {};
  const Tensor<float> outputs = outputs_at(with_steps(x));
  Tensor<float> raw(members(), x.rows(), 1);
  for (std::size_t m = 0; m < members(); ++m) {
    for (std::size_t i = 0; i < x.rows(); ++i) {
      RunningMoments moments;
      for (std::size_t k = m * design_.per_member; k < (m + 1) * design_.per_member; ++k) {
        if (weight(k) > 0.0) moments.add(static_cast<double>(outputs(k, i, outputs.cols() - 1)), weight(k));
      }
      raw(m, i, 0) = static_cast<float>(moments.mean);
    }
  }
  return raw;
}

/// With V the variance of the mixture, sigma' = V' / (2 sigma).
std::optional<PredictionSlopes> FittedNetwork::slopes(const Tensor<float>& x) const {
  if (design_.outputs.sigma != OutputMap::Sigma::readout || has_convolutions(design_.networks)) return {};
  if (!parts_.heads.empty()) return {};
  const std::size_t d = x.cols();
  const OutputSlopes all =
      input_slopes(design_.networks, parts_.parameters, repeat_rows(x, members(), design_.per_member));
  const std::size_t r = all.outputs.cols() - 1;
  const Readout& readout = design_.outputs.readout;
  PredictionSlopes result{.mean = Tensor<float>(members(), x.rows(), d),
                          .sigma_model = Tensor<float>(members(), x.rows(), d)};
  for (std::size_t m = 0; m < members(); ++m) {
    const auto average = [&](const auto& value) {
      double sum = 0.0;
      double used = 0.0;
      for (std::size_t k = m * design_.per_member; k < (m + 1) * design_.per_member; ++k) {
        if (weight(k) == 0.0) continue;
        sum += weight(k) * value(k);
        used += weight(k);
      }
      return sum / used;
    };
    for (std::size_t i = 0; i < x.rows(); ++i) {
      const auto output = [&](std::size_t k, std::size_t o) { return static_cast<double>(all.outputs(k, i, o)); };
      const auto slope = [&](std::size_t k, std::size_t o, std::size_t j) {
        return static_cast<double>(all.slopes(k, i, o * d + j));
      };
      const double mean = average([&](std::size_t k) { return output(k, 0); });
      const double variance =
          average([&](std::size_t k) { return std::pow(readout(output(k, r)), 2) + std::pow(output(k, 0) - mean, 2); });
      for (std::size_t j = 0; j < d; ++j) {
        const double of_mean = average([&](std::size_t k) { return slope(k, 0, j); });
        const double half = average([&](std::size_t k) {
          return readout(output(k, r)) * slope_of(readout, output(k, r)) * slope(k, r, j) +
                 (output(k, 0) - mean) * (slope(k, 0, j) - of_mean);
        });
        result.mean(m, i, j) = static_cast<float>(of_mean);
        result.sigma_model(m, i, j) = static_cast<float>(variance > 0.0 ? half / std::sqrt(variance) : 0.0);
      }
    }
  }
  return result;
}

std::unique_ptr<FittedNetwork> FittedNetwork::some(std::span<const std::size_t> members) const {
  NetworkDesign design = design_;
  design.networks = chosen_networks(design_.networks, members, design_.per_member);
  NetworkParts parts{.parameters = chosen_members(parts_.parameters, members, design_.per_member),
                     .weights = chosen_members(parts_.weights, members),
                     .noise = chosen_members(parts_.noise, members),
                     .heads = chosen_members(parts_.heads, members, design_.per_member),
                     .trend = chosen_members(parts_.trend, members, design_.per_member),
                     .steps = chosen_members(parts_.steps, members),
                     .unknown = chosen_members(parts_.unknown, members),
                     .beyond = chosen_members(parts_.beyond, members)};
  std::vector<FitReport> reports;
  for (const std::size_t m : members) reports.push_back(reports_[m]);
  auto chosen = std::make_unique<FittedNetwork>(std::move(design), std::move(parts), std::move(reports), engine_);
  chosen->fixed_masks_ = fixed_masks_;
  return chosen;
}

FittedState FittedNetwork::state() const {
  FittedState state{.inputs = design_.networks.inputs - parts_.steps.cols(),
                    .blocks = {{parameters_block, parts_.parameters}}};
  if (design_.per_member > 1) state.blocks.push_back({weights_block, parts_.weights});
  if (!parts_.noise.empty()) state.blocks.push_back({noise_block, parts_.noise});
  if (!parts_.heads.empty()) state.blocks.push_back({heads_block, parts_.heads});
  if (!parts_.trend.empty()) state.blocks.push_back({trend_block, parts_.trend});
  if (!parts_.steps.empty()) state.blocks.push_back({steps_block, parts_.steps});
  if (!parts_.unknown.empty()) state.blocks.push_back({std::string(unknown_names_block), parts_.unknown});
  if (!parts_.beyond.empty()) state.blocks.push_back({std::string(beyond_block), parts_.beyond});
  return state;
}

std::unique_ptr<FittedNetwork> FittedNetwork::with_fixed_masks() const {
  if (design_.passes == 0 || fixed_masks_ || has_convolutions(design_.networks)) return {};
  auto fixed = std::make_unique<FittedNetwork>(design_, parts_, reports_, engine_);
  fixed->fixed_masks_ = true;
  return fixed;
}

std::size_t network_inputs(const FittedState& state) { return state.inputs + state.cols_of(steps_block); }

std::unique_ptr<FittedNetwork> restore_network(NetworkDesign design, const FittedState& state,
                                               std::vector<FitReport> reports, Engine& engine) {
  const std::size_t members = reports.size();
  NetworkParts parts{.parameters = state.block(parameters_block, {members * design.per_member, 1, design.parameters()}),
                     .weights = read_weights(state, members, design.per_member)};
  if (design.outputs.noise == OutputMap::Noise::constant) parts.noise = state.block(noise_block, {members, 1, 1});
  if (state.has(heads_block)) {
    if (design.outputs.noise != OutputMap::Noise::output || design.outputs.sigma != OutputMap::Sigma::readout)
      throw DataError("models/fitted", "networks without noise and sigma cannot have heads");
    parts.heads = read_heads(state, heads_block, members * design.per_member);
    parts.trend = state.block(trend_block, {members * design.per_member, 1, 1 + design.networks.inputs});
  }
  if (state.has(steps_block)) {
    parts.steps = state.block(steps_block, {members, 3, design.networks.inputs - state.inputs});
    for (std::size_t m = 0; m < members; ++m) {
      if (!are_steps(parts.steps.member(m), state.inputs))
        throw DataError("models/fitted", fmt::format("the steps of member {} are invalid", m));
    }
  }
  if (state.has(unknown_names_block)) {
    parts.unknown = state.block(unknown_names_block, {members, 1, state.inputs});
    if (!std::ranges::all_of(parts.unknown.flat(), [](float v) { return std::isfinite(v) && v >= 0.0F; }))
      throw DataError("models/fitted", "the variances of unknown names are invalid");
  }
  if (state.has(beyond_block)) {
    parts.beyond = state.block(beyond_block, {members, 1, BeyondRange::size(state.inputs)});
    for (std::size_t m = 0; m < members; ++m) {
      if (!is_beyond_range(parts.beyond.member(m)))
        throw DataError("models/fitted", fmt::format("the ranges of the inputs of member {} are invalid", m));
    }
  }
  return std::make_unique<FittedNetwork>(std::move(design), std::move(parts), std::move(reports), engine);
}

Tensor<float> read_heads(const FittedState& state, std::string_view name, std::size_t networks) {
  const bool old = state.cols_of(name) == NetworkHead::size_without_start;
  const Tensor<float>& heads =
      state.block(name, {networks, 1, old ? NetworkHead::size_without_start : NetworkHead::size});
  for (std::size_t k = 0; k < heads.members(); ++k) {
    const std::span<const float> numbers = heads.member(k);
    const NetworkHead head = NetworkHead::load(numbers);
    const bool usable = std::ranges::all_of(numbers, [](float v) { return std::isfinite(v) && v >= 0.0F; }) &&
                        head.raw_far > head.raw_near && head.noise_low <= head.noise_high && head.start < 1.0;
    if (!usable) throw DataError("models/fitted", "the head of a network is invalid");
  }
  return heads;
}

std::shared_ptr<const FittedCohort> row_by_row(std::shared_ptr<const FittedCohort> fitted) {
  const auto* networks = dynamic_cast<const FittedNetwork*>(fitted.get());
  if (networks == nullptr) return fitted;
  std::shared_ptr<const FittedCohort> fixed = networks->with_fixed_masks();
  return fixed ? fixed : fitted;
}

}  // namespace nomu
