#include "models/nomu/fitted_nomu.hpp"

#include <cmath>
#include <utility>

#include "engine/layout.hpp"
#include "engine/math.hpp"
#include "engine/session.hpp"
#include "models/network/ensemble.hpp"
#include "models/network/input_slopes.hpp"
#include "models/nomu/nomu_plan.hpp"

namespace nomu {
namespace {

constexpr const char* kept_block = "kept";
constexpr const char* rows_block = "rows";

/// The mean of value(part) over the kept ones of `count` parts.
template <class F>
double average(const std::vector<bool>& kept, std::size_t first, std::size_t count, const F& value) {
  double sum = 0.0;
  double used = 0.0;
  for (std::size_t part = first; part < first + count; ++part) {
    if (!kept[part]) continue;
    sum += value(part);
    used += 1.0;
  }
  return sum / used;
}

/// Derivative of sigma by the raw output.
double slope_of(const Readout& readout, double raw) {
  switch (readout.kind) {
    case Readout::Kind::exponential: return raw > 0.0 ? std::exp(-(raw + readout.sigma_min) / readout.sigma_max) : 0.0;
    case Readout::Kind::linearised: return raw > readout.sigma_min && raw < readout.sigma_max ? 1.0 : 0.0;
    case Readout::Kind::identity: break;
  }
  return raw > 0.0 ? 1.0 : 0.0;
}

}  // namespace

FittedNomu::FittedNomu(const NomuSpec& spec, std::size_t rows, engine::Networks networks, NomuParts parts,
                       std::vector<FitReport> reports, Engine& engine)
    : rows_(rows),
      mean_size_(mean_size(spec, networks.inputs)),
      noise_(spec.noise == Noise::learned),
      noise_floor_(spec.noise_floor),
      readout_(spec.readout),
      networks_(std::move(networks)),
      parts_(std::move(parts)),
      reports_(std::move(reports)),
      engine_(engine) {}

Tensor<float> FittedNomu::evaluate(const Tensor<float>& x) const {
  return predictions_(engine_, networks_, parts_.parameters, spread(x, members(), per_member()));
}

Prediction FittedNomu::predict(const Tensor<float>& x) const {
  const Tensor<float> outputs = evaluate(x);
  const Tensor<float> blank(members(), x.rows(), 1);
  Prediction prediction{
      .mean = blank, .sigma_model = blank, .sigma_noise = noise_ ? blank : Tensor<float>{}, .sigma_below = {}};
  for (std::size_t m = 0; m < members(); ++m) {
    for (std::size_t i = 0; i < x.rows(); ++i) put(outputs, m, i, prediction);
  }
  return prediction;
}

/// The first two moments of the equal mixture of a member's parts at row i.
void FittedNomu::put(const Tensor<float>& outputs, std::size_t m, std::size_t i, Prediction& prediction) const {
  const auto output = [&](std::size_t part, std::size_t k) { return static_cast<double>(outputs(part, i, k)); };
  const auto sigma = [&](std::size_t part) { return readout_(output(part, outputs.cols() - 1)); };
  const auto noise = [&](std::size_t part) { return engine::softplus(output(part, 1)) + noise_floor_; };
  const std::size_t parts = per_member();
  if (parts == 1) {
    prediction.mean(m, i, 0) = outputs(m, i, 0);
    prediction.sigma_model(m, i, 0) = static_cast<float>(sigma(m));
    if (noise_) prediction.sigma_noise(m, i, 0) = static_cast<float>(noise(m));
    return;
  }
  const auto over_parts = [&](const auto& value) { return average(parts_.kept, m * parts, parts, value); };
  const double mean = over_parts([&](std::size_t part) { return output(part, 0); });
  const double variance = over_parts([&](std::size_t part) {
    const double deviation = output(part, 0) - mean;
    return sigma(part) * sigma(part) + deviation * deviation;
  });
  prediction.mean(m, i, 0) = static_cast<float>(mean);
  prediction.sigma_model(m, i, 0) = static_cast<float>(std::sqrt(variance));
  if (!noise_) return;
  const double noise_variance = over_parts([&](std::size_t part) { return noise(part) * noise(part); });
  prediction.sigma_noise(m, i, 0) = static_cast<float>(std::sqrt(noise_variance));
}

Tensor<float> FittedNomu::raw_sigma(const Tensor<float>& x) const {
  const Tensor<float> outputs = evaluate(x);
  const std::size_t r = outputs.cols() - 1;
  const std::size_t parts = per_member();
  Tensor<float> raw(members(), x.rows(), 1);
  for (std::size_t m = 0; m < members(); ++m) {
    for (std::size_t i = 0; i < x.rows(); ++i) {
      raw(m, i, 0) = static_cast<float>(average(
          parts_.kept, m * parts, parts, [&](std::size_t part) { return static_cast<double>(outputs(part, i, r)); }));
    }
  }
  return raw;
}

/// Slopes of what `put` computes: with V the variance of the mixture, sigma' = V' / (2 sigma).
PredictionSlopes FittedNomu::slopes(const Tensor<float>& x) const {
  const std::size_t d = x.cols();
  const std::size_t parts = per_member();
  const OutputSlopes all = input_slopes(networks_, parts_.parameters, spread(x, members(), parts));
  const std::size_t r = all.outputs.cols() - 1;
  PredictionSlopes result{.mean = Tensor<float>(members(), x.rows(), d),
                          .sigma_model = Tensor<float>(members(), x.rows(), d)};
  for (std::size_t m = 0; m < members(); ++m) {
    for (std::size_t i = 0; i < x.rows(); ++i) {
      const auto over_parts = [&](const auto& value) { return average(parts_.kept, m * parts, parts, value); };
      const auto output = [&](std::size_t part, std::size_t k) { return static_cast<double>(all.outputs(part, i, k)); };
      const auto slope = [&](std::size_t part, std::size_t k, std::size_t j) {
        return static_cast<double>(all.slopes(part, i, k * d + j));
      };
      const double mean = over_parts([&](std::size_t part) { return output(part, 0); });
      const double variance = over_parts([&](std::size_t part) {
        return std::pow(readout_(output(part, r)), 2) + std::pow(output(part, 0) - mean, 2);
      });
      for (std::size_t j = 0; j < d; ++j) {
        const double of_mean = over_parts([&](std::size_t part) { return slope(part, 0, j); });
        const double half = over_parts([&](std::size_t part) {
          return readout_(output(part, r)) * slope_of(readout_, output(part, r)) * slope(part, r, j) +
                 (output(part, 0) - mean) * (slope(part, 0, j) - of_mean);
        });
        result.mean(m, i, j) = static_cast<float>(of_mean);
        result.sigma_model(m, i, j) = static_cast<float>(variance > 0.0 ? half / std::sqrt(variance) : 0.0);
      }
    }
  }
  return result;
}

FittedState FittedNomu::state() const {
  FittedState state{.inputs = networks_.inputs,
                    .blocks = {{parameters_block, parts_.parameters},
                               {rows_block, Tensor<float>(1, 1, 1, static_cast<float>(rows_))},
                               {mean_size_block, Tensor<float>(1, 1, 1, static_cast<float>(mean_size_))}}};
  if (per_member() > 1) {
    Tensor<float> kept(1, 1, parts_.kept.size());
    for (std::size_t p = 0; p < parts_.kept.size(); ++p) kept(0, 0, p) = parts_.kept[p] ? 1.0F : 0.0F;
    state.blocks.push_back({kept_block, std::move(kept)});
  }
  return state;
}

std::unique_ptr<FittedNomu> FittedNomu::from(const NomuSpec& given, const FittedState& state,
                                             std::vector<FitReport> reports, Engine& engine) {
  const std::size_t rows = state.count(rows_block);
  const NomuSpec spec = resolved(given, rows, state.inputs);
  engine::Networks networks = nomu_networks(spec, state.inputs);
  const std::size_t count = engine::make_layout(networks, nomu_loss(spec.noise)).parameters;
  const std::size_t parts = reports.size() * static_cast<std::size_t>(spec.ensemble);
  NomuParts all{.parameters = state.find(parameters_block, parts * count), .kept = std::vector<bool>(parts, true)};
  if (spec.ensemble > 1) {
    const Tensor<float>& kept = state.find(kept_block, parts);
    for (std::size_t p = 0; p < parts; ++p) all.kept[p] = kept(0, 0, p) != 0.0F;
  }
  return std::make_unique<FittedNomu>(spec, rows, std::move(networks), std::move(all), std::move(reports), engine);
}

}  // namespace nomu
