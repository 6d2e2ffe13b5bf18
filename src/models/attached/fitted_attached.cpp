#include "models/attached/fitted_attached.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "models/attached/foreign_plan.hpp"
#include "models/network/chosen_members.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr const char* where = "models/foreign";
constexpr const char* feature_scale_block = "feature_scale";
constexpr const char* input_scale_block = "input_scale";
constexpr const char* target_scale_block = "target_scale";
constexpr const char* sigma_prefix = "sigma_";
constexpr const char* noise_prefix = "noise_";
constexpr const char* noise_head_block = "limits_of_noise";

Tensor<float> as_block(const Scaling& scaling) {
  Tensor<float> block(1, 2, scaling.cols());
  for (std::size_t j = 0; j < scaling.cols(); ++j) {
    block(0, 0, j) = static_cast<float>(scaling.shift[j]);
    const auto factor = static_cast<float>(scaling.factor[j]);
    block(0, 1, j) = std::isnormal(factor) ? factor : 1.0F;  // 1 for columns that are constant in single precision
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

/// Blocks of one part of the state, with a prefix to their names.
void add_blocks(const FittedCohort& part, const char* prefix, FittedState& state) {
  for (FittedState::Block& block : part.state().blocks)
    state.blocks.push_back({prefix + block.name, std::move(block.values)});
}

FittedState blocks_with(const char* prefix, const FittedState& state) {
  FittedState part{.inputs = state.inputs, .blocks = {}};
  for (const FittedState::Block& block : state.blocks) {
    if (block.name.starts_with(prefix))
      part.blocks.push_back({block.name.substr(std::string_view(prefix).size()), block.values});
  }
  return part;
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

ForeignNetwork::Evaluation evaluated(const ForeignNetwork& network, const Tensor<float>& x,
                                     const std::stop_token& stop) {
  ForeignNetwork::Evaluation answer = network.evaluate_until(stop, x);
  const auto shaped = [&](const Tensor<float>& t, std::size_t cols) {
    return t.members() == 1 && t.rows() == x.rows() && t.cols() == cols;
  };
  if (!shaped(answer.mean, 1) || !shaped(answer.features, network.features())) {
    throw DataError(where, fmt::format("for {} rows the network must return mean [1][{}][1] and features [1][{}][{}]",
                                       x.rows(), x.rows(), x.rows(), network.features()));
  }
  for (const Tensor<float>* part : {&answer.mean, &answer.features}) {
    if (!std::ranges::all_of(part->flat(), [](float v) { return std::isfinite(v); }))
      throw DataError(where, "the network returned a number that is not finite");
  }
  return answer;
}

Tensor<float> rows_of_member(const Tensor<float>& x, std::size_t member) {
  Tensor<float> rows(1, x.rows(), x.cols());
  std::ranges::copy(x.member(x.members() == 1 ? 0 : member), rows.flat().begin());
  return rows;
}

void write_sigma_inputs(const Tensor<float>& x, const Tensor<float>& features, std::span<const float> scale,
                        bool with_inputs, std::span<float> out) {
  auto next = out.begin();
  for (std::size_t i = 0; i < x.rows(); ++i) {
    if (with_inputs) next = std::ranges::copy(x.row(0, i), next).out;
    for (std::size_t j = 0; j < features.cols(); ++j) *next++ = features(0, i, j) / scale[j];
  }
}

FittedAttached::FittedAttached(std::shared_ptr<const ForeignNetwork> network, const ForeignScale& scale,
                               AttachedNetworks attached)
    : network_(std::move(network)), scale_(scale), scaling_(scale.scaling()), attached_(std::move(attached)) {}

std::size_t FittedAttached::inputs_read() const {
  return attached_.sigma->design().networks.inputs - network_->features();
}

std::size_t FittedAttached::skipped_by_noise() const {
  // The noise networks read the mean as an additional column.
  return attached_.sigma->design().networks.inputs + 1 - attached_.noise->design().networks.inputs;
}

Tensor<float> FittedAttached::sigma_inputs(const Tensor<float>& x, Tensor<float>& mean) const {
  Tensor<float> wide(members(), x.rows(), attached_.sigma->design().networks.inputs);
  mean = Tensor<float>(members(), x.rows(), 1);
  ForeignNetwork::Evaluation answer;
  Tensor<float> own;
  for (std::size_t m = 0; m < members(); ++m) {
    if (m == 0 || x.members() > 1) {
      const Tensor<float> rows = rows_of_member(x, m);
      answer = evaluated(*network_, rows);
      own = scaled(rows, scaling_.inputs);
    }
    write_sigma_inputs(own, answer.features, attached_.feature_scale.row(m, 0), inputs_read() > 0, wide.member(m));
    std::ranges::copy(answer.mean.flat(), mean.member(m).begin());
  }
  return wide;
}

Prediction FittedAttached::predict(const Tensor<float>& x) const {
  Prediction prediction;
  const Tensor<float> wide = sigma_inputs(x, prediction.mean);
  const auto widened = [this](Tensor<float> sigma) {
    for (float& value : sigma.flat())
      value = static_cast<float>(static_cast<double>(value) * scaling_.target.factor[0]);
    return sigma;
  };
  prediction.sigma_model = widened(attached_.sigma->predict(wide).sigma_model);
  if (!attached_.noise) return prediction;
  const Tensor<float> with = with_mean(wide, scaled(prediction.mean, scaling_.target), skipped_by_noise());
  prediction.sigma_noise = widened(attached_.noise->predict(with).sigma_noise);
  if (attached_.noise_heads.empty()) return prediction;
  for (std::size_t m = 0; m < members(); ++m) {
    const NetworkHead head = NetworkHead::load(attached_.noise_heads.row(m, 0));
    for (std::size_t i = 0; i < x.rows(); ++i) {
      const double distance = head.distance(head.share(static_cast<double>(prediction.sigma_model(m, i, 0))));
      float& noise = prediction.sigma_noise(m, i, 0);
      noise = static_cast<float>(head.noise(static_cast<double>(noise), distance));
    }
  }
  return prediction;
}

Tensor<float> FittedAttached::raw_sigma(const Tensor<float>& x) const {
  Tensor<float> mean;
  return attached_.sigma->raw_sigma(sigma_inputs(x, mean));
}

std::unique_ptr<FittedCohort> FittedAttached::select(std::span<const std::size_t> members) const {
  return std::make_unique<FittedAttached>(
      network_, scale_,
      AttachedNetworks{.feature_scale = chosen_members(attached_.feature_scale, members),
                       .sigma = attached_.sigma->some(members),
                       .noise = attached_.noise ? attached_.noise->some(members) : nullptr,
                       .noise_heads = attached_.noise_heads.empty() ? Tensor<float>()
                                                                    : chosen_members(attached_.noise_heads, members)});
}

FittedState FittedAttached::state() const {
  FittedState state{.inputs = network_->inputs(),
                    .blocks = {{feature_scale_block, attached_.feature_scale},
                               {input_scale_block, scale_.inputs},
                               {target_scale_block, scale_.target}}};
  add_blocks(*attached_.sigma, sigma_prefix, state);
  if (attached_.noise) add_blocks(*attached_.noise, noise_prefix, state);
  if (!attached_.noise_heads.empty()) state.blocks.push_back({noise_head_block, attached_.noise_heads});
  return state;
}

std::unique_ptr<FittedAttached> FittedAttached::from(const NomuSpec& given,
                                                     std::shared_ptr<const ForeignNetwork> network,
                                                     const FittedState& state, std::vector<FitReport> reports,
                                                     Engine& engine) {
  const NomuSpec spec = adapted_to(given, *network);
  const ForeignScale scale{.inputs = state.block(input_scale_block, {1, 2, state.inputs}),
                           .target = state.block(target_scale_block, {1, 2, 1})};
  AttachedNetworks attached{
      .feature_scale = state.block(feature_scale_block, {reports.size(), 1, network->features()}),
      .sigma = restore_network(sigma_design(spec, *network), blocks_with(sigma_prefix, state), reports, engine),
      .noise = {}};
  if (state.has(noise_head_block)) attached.noise_heads = read_heads(state, noise_head_block, reports.size());
  if (spec.noise == Noise::learned)
    attached.noise =
        restore_network(noise_design(spec, *network), blocks_with(noise_prefix, state), std::move(reports), engine);
  return std::make_unique<FittedAttached>(std::move(network), scale, std::move(attached));
}

}  // namespace nomu
