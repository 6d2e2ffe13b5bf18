#include "models/attached/fitted_sigma.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/backend.hpp"
#include "engine/layout.hpp"
#include "engine/math.hpp"
#include "engine/session.hpp"
#include "models/attached/foreign_plan.hpp"
#include "models/network/ensemble.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr const char* where = "models/foreign";
constexpr const char* rows_block = "rows";
constexpr std::size_t piece = 1024;  ///< rows that are worked on at a time

Tensor<float> as_block(const Scaling& scaling) {
  Tensor<float> block(1, 2, scaling.cols());
  for (std::size_t j = 0; j < scaling.cols(); ++j) {
    block(0, 0, j) = static_cast<float>(scaling.shift[j]);
    const auto factor = static_cast<float>(scaling.factor[j]);
    block(0, 1, j) = std::isnormal(factor) ? factor : 1.0F;  // of columns that single precision cannot tell apart
  }
  return block;
}

Scaling as_scaling(const Tensor<float>& block) {
  const auto shift = block.row(0, 0);
  const auto factor = block.row(0, 1);
  return {.shift = {shift.begin(), shift.end()}, .factor = {factor.begin(), factor.end()}};
}

Tensor<float> scaled(const Tensor<float>& values, const Scaling& scaling) {
  Tensor<float> result(values.members(), values.rows(), values.cols());
  for (std::size_t e = 0; e < values.size(); ++e) {
    const std::size_t j = e % values.cols();
    result.flat()[e] =
        static_cast<float>((static_cast<double>(values.flat()[e]) - scaling.shift[j]) / scaling.factor[j]);
  }
  return result;
}

/// Output 1 of all parts, [M K][q][1].
Tensor<float> second_outputs(Engine& engine, const engine::Networks& networks, const Tensor<float>& parameters,
                             const Tensor<float>& rows) {
  Tensor<float> values(parameters.members(), rows.rows(), 1);
  for (std::size_t first = 0; first < rows.rows(); first += piece) {
    const std::size_t count = std::min(piece, rows.rows() - first);
    Tensor<float> some(rows.members(), count, rows.cols());
    for (std::size_t m = 0; m < rows.members(); ++m)
      std::ranges::copy(rows.member(m).subspan(first * rows.cols(), some.member(m).size()), some.member(m).begin());
    const Tensor<float> outputs = engine::backend(engine).predict(networks, parameters, some, {}, {});
    for (std::size_t p = 0; p < outputs.members(); ++p) {
      for (std::size_t i = 0; i < count; ++i) values(p, first + i, 0) = outputs(p, i, 1);
    }
  }
  return values;
}

}  // namespace

ForeignScale ForeignScale::identity(std::size_t inputs) {
  ForeignScale scale{.inputs = Tensor<float>(1, 2, inputs), .target = Tensor<float>(1, 2, 1)};
  std::ranges::fill(scale.inputs.row(0, 1), 1.0F);
  std::ranges::fill(scale.target.row(0, 1), 1.0F);
  return scale;
}

ForeignScale ForeignScale::of(const MemberScaling& scaling) {
  return {.inputs = as_block(scaling.inputs), .target = as_block(scaling.target)};
}

MemberScaling ForeignScale::scaling() const { return {.inputs = as_scaling(inputs), .target = as_scaling(target)}; }

ForeignNetwork::Evaluation evaluated(const ForeignNetwork& network, const Tensor<float>& x) {
  ForeignNetwork::Evaluation answer = network.evaluate(x);
  const auto shaped = [&](const Tensor<float>& t, std::size_t cols) {
    return t.members() == 1 && t.rows() == x.rows() && t.cols() == cols;
  };
  if (!shaped(answer.mean, 1) || !shaped(answer.features, network.features())) {
    throw DataError(where, fmt::format("for {} rows the network must give mean [1][{}][1] and features [1][{}][{}]",
                                       x.rows(), x.rows(), x.rows(), network.features()));
  }
  for (const Tensor<float>* part : {&answer.mean, &answer.features}) {
    if (!std::ranges::all_of(part->flat(), [](float v) { return std::isfinite(v); }))
      throw DataError(where, "the network gave a number that is not finite");
  }
  return answer;
}

Tensor<float> rows_of(const Tensor<float>& x, std::size_t member) {
  Tensor<float> rows(1, x.rows(), x.cols());
  std::ranges::copy(x.member(x.members() == 1 ? 0 : member), rows.flat().begin());
  return rows;
}

void put_rows(const Tensor<float>& x, const Tensor<float>& features, std::span<const float> scale, bool with_inputs,
              std::span<float> out) {
  auto next = out.begin();
  for (std::size_t i = 0; i < x.rows(); ++i) {
    if (with_inputs) next = std::ranges::copy(x.row(0, i), next).out;
    for (std::size_t j = 0; j < features.cols(); ++j) *next++ = features(0, i, j) / scale[j];
  }
}

FittedSigma::FittedSigma(const NomuSpec& spec, std::size_t rows, std::shared_ptr<const ForeignNetwork> network,
                         const ForeignScale& scale, SigmaParts parts, std::vector<FitReport> reports)
    : readout_(spec.readout),
      noise_floor_(spec.noise_floor),
      rows_(rows),
      network_(std::move(network)),
      scale_(scale),
      scaling_(scale.scaling()),
      networks_(foreign_sigma_networks(spec, foreign_inputs(spec, *network_), network_->features())),
      skipped_(skipped_by_noise(spec, foreign_inputs(spec, *network_))),
      noise_networks_(foreign_noise_networks(spec, networks_.inputs - skipped_)),
      parts_(std::move(parts)),
      reports_(std::move(reports)),
      // In double: near the data sigma is a small difference of large numbers, and an ONNX file has to find it again.
      engine_(make_engine({.device = "reference"})) {}

template <class F>
double FittedSigma::average(std::size_t member, const F& value) const {
  double sum = 0.0;
  double used = 0.0;
  for (std::size_t part = member * per_member(); part < (member + 1) * per_member(); ++part) {
    if (!parts_.kept[part]) continue;
    sum += value(part);
    used += 1.0;
  }
  return sum / used;
}

Tensor<float> FittedSigma::seen_rows(const Tensor<float>& x, Tensor<float>& mean) const {
  Tensor<float> wide(members(), x.rows(), networks_.inputs);
  mean = Tensor<float>(members(), x.rows(), 1);
  ForeignNetwork::Evaluation answer;
  Tensor<float> own;
  for (std::size_t m = 0; m < members(); ++m) {
    if (m == 0 || x.members() > 1) {
      const Tensor<float> rows = rows_of(x, m);
      answer = evaluated(*network_, rows);
      own = scaled(rows, scaling_.inputs);
    }
    put_rows(own, answer.features, parts_.features.row(m, 0), networks_.inputs > network_->features(), wide.member(m));
    std::ranges::copy(answer.mean.flat(), mean.member(m).begin());
  }
  return wide;
}

Prediction FittedSigma::predict(const Tensor<float>& x) const {
  const Tensor<float> blank(members(), x.rows(), 1);
  const bool noisy = !parts_.noise.empty();
  Prediction prediction{
      .mean = {}, .sigma_model = blank, .sigma_noise = noisy ? blank : Tensor<float>{}, .sigma_below = {}};
  const Tensor<float> wide = seen_rows(x, prediction.mean);
  const double factor = scaling_.target.factor[0];
  // Root mean square over the parts: the mean is the same for all of them.
  const auto put = [&](const Tensor<float>& raw, const auto& width, Tensor<float>& sigma) {
    for (std::size_t m = 0; m < members(); ++m) {
      for (std::size_t i = 0; i < x.rows(); ++i) {
        const double variance = average(m, [&](std::size_t part) {
          const double value = width(static_cast<double>(raw(part, i, 0)));
          return value * value;
        });
        sigma(m, i, 0) = static_cast<float>(std::sqrt(variance) * factor);
      }
    }
  };
  const Tensor<float> all = spread(wide, members(), per_member());
  put(second_outputs(*engine_, networks_, parts_.parameters, all), readout_, prediction.sigma_model);
  if (!noisy) return prediction;
  const Tensor<float> with =
      spread(with_mean(wide, scaled(prediction.mean, scaling_.target), skipped_), members(), per_member());
  put(
      second_outputs(*engine_, noise_networks_, parts_.noise, with),
      [this](double raw) { return engine::softplus(raw) + noise_floor_; }, prediction.sigma_noise);
  return prediction;
}

Tensor<float> FittedSigma::raw_sigma(const Tensor<float>& x) const {
  Tensor<float> mean;
  const Tensor<float> wide = seen_rows(x, mean);
  const Tensor<float> outputs =
      second_outputs(*engine_, networks_, parts_.parameters, spread(wide, members(), per_member()));
  Tensor<float> raw(members(), x.rows(), 1);
  for (std::size_t m = 0; m < members(); ++m) {
    for (std::size_t i = 0; i < x.rows(); ++i)
      raw(m, i, 0) =
          static_cast<float>(average(m, [&](std::size_t part) { return static_cast<double>(outputs(part, i, 0)); }));
  }
  return raw;
}

FittedState FittedSigma::state() const {
  Tensor<float> kept(1, 1, parts_.kept.size());
  for (std::size_t p = 0; p < parts_.kept.size(); ++p) kept(0, 0, p) = parts_.kept[p] ? 1.0F : 0.0F;
  FittedState state{.inputs = network_->inputs(),
                    .blocks = {{foreign_parameters_block, parts_.parameters},
                               {foreign_features_block, parts_.features},
                               {foreign_inputs_block, scale_.inputs},
                               {foreign_target_block, scale_.target},
                               {foreign_kept_block, std::move(kept)},
                               {rows_block, Tensor<float>(1, 1, 1, static_cast<float>(rows_))}}};
  if (!parts_.noise.empty()) state.blocks.push_back({foreign_noise_block, parts_.noise});
  return state;
}

std::unique_ptr<FittedSigma> FittedSigma::from(const NomuSpec& given, std::shared_ptr<const ForeignNetwork> network,
                                               const FittedState& state, std::vector<FitReport> reports) {
  const std::size_t rows = state.count(rows_block);
  const NomuSpec spec = beside(resolved(given, rows, state.inputs), *network);
  const engine::Networks networks = foreign_sigma_networks(spec, foreign_inputs(spec, *network), network->features());
  const std::size_t parts = reports.size() * static_cast<std::size_t>(spec.ensemble);
  const Tensor<float>& kept = state.find(foreign_kept_block, parts);
  SigmaParts all{.features = state.find(foreign_features_block, reports.size() * network->features()),
                 .parameters = state.find(foreign_parameters_block,
                                          parts * engine::make_layout(networks, LossKind::nomu).parameters),
                 .noise = {},
                 .kept = {}};
  for (const float part : kept.flat()) all.kept.push_back(part != 0.0F);
  if (spec.noise == Noise::learned) {
    const std::size_t inputs = foreign_inputs(spec, *network);
    const engine::Networks noise = foreign_noise_networks(spec, networks.inputs - skipped_by_noise(spec, inputs));
    const std::size_t size = engine::make_layout(noise, LossKind::gaussian_nll).parameters;
    all.noise = state.find(foreign_noise_block, parts * size);
  }
  const ForeignScale scale{.inputs = state.find(foreign_inputs_block, 2 * state.inputs),
                           .target = state.find(foreign_target_block, 2)};
  return std::make_unique<FittedSigma>(spec, rows, std::move(network), scale, std::move(all), std::move(reports));
}

}  // namespace nomu
