// The forward half of a CPU step: rows in, loss and its slopes out.

#include <algorithm>
#include <numeric>

#include "engine/cpu/convolve.hpp"
#include "engine/cpu/step.hpp"
#include "engine/sampling.hpp"

namespace nomu::engine::cpu {
namespace {

/// Few enough input columns that plain loops beat a matrix product.
constexpr std::size_t narrow_inputs = 16;

}  // namespace

std::size_t Workspace::bytes(const Program& program, std::size_t rows, std::size_t workers) {
  std::size_t floats = rows * (program.layout.inputs + program.layout.outputs + 3);
  std::size_t widest = 1;
  for (const Layer& layer : program.layout.layers) {
    floats += rows * stride_of(layer) * 2;
    widest = std::max(widest, layer.units);
    if (!layer.convolution) continue;
    floats += rows * layer.convolution->map.size() + convolution_blocks(rows) * filter_floats(layer);
  }
  floats += workers * convolution_scratch(program.layout);
  floats += workers * (gradient_rows(widest) * widest + widest + widest_tile * 2);
  return floats * sizeof(float);
}

Workspace::Workspace(const StepContext& context, std::size_t rows, std::size_t workers) {
  const Layout& layout = context.program.layout;
  x.resize(rows * layout.inputs);
  y.resize(rows);
  weight.resize(rows);
  noise.resize(rows, 1.0F);
  outputs.resize(rows * layout.outputs);
  std::size_t widest = 1;
  for (const Layer& layer : layout.layers) {
    activation.emplace_back(layer.head ? 0 : rows * stride_of(layer));
    delta.emplace_back(layer.needs_delta ? rows * stride_of(layer) : 0);
    widest = std::max(widest, layer.units);
    map.emplace_back(layer.convolution ? rows * layer.convolution->map.size() : 0);
    const bool trained = layer.convolution && layer.needs_delta;
    filter_gradient.emplace_back(trained ? convolution_blocks(rows) * filter_floats(layer) : 0);
  }
  patches.assign(workers, Floats(convolution_scratch(layout)));
  // A tile's gradient, or one row of it and a head's: see update_weights.
  for (std::size_t w = 0; w < workers; ++w)
    scratch.emplace_back(gradient_rows(widest) * widest + widest + widest_tile * 2);
  clip.assign(layout.layers.size(), 1.0F);
  partial.assign(context.program.slots, 0.0);
}

Step::Step(const StepContext& context, Workspace& workspace, const Runner& runner, MemberState& member)
    : context_(context), ws_(workspace), runner_(runner), member_(member) {}

Step::Source Step::source_of(std::size_t source) const {
  const std::size_t inputs = context_.program.layout.inputs;
  if (source == input_layer) return {ws_.x.data(), inputs, inputs};
  return {ws_.activation[source].data(), layer_at(source).units, stride_of(layer_at(source))};
}

float Step::l2_of(const Layer& layer) const {
  const Net& net = context_.plan.networks.nets[layer.net];
  return layer.head ? net.l2_output[member_.data.index] : net.l2_hidden[member_.data.index];
}

float Step::dropout_of(std::size_t layer) const {
  return engine::dropout_of(context_.plan.networks, context_.program.layout.layers[layer], member_.data.index);
}

void Step::load_rows(std::span<const std::uint32_t> rows, std::size_t augmented) {
  const MemberData& data = member_.data;
  const std::size_t d = context_.program.layout.inputs;
  data_rows_ = rows.size();
  rows_ = data_rows_ + augmented;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t from = rows[i];
    std::copy_n(data.x.begin() + static_cast<std::ptrdiff_t>(from * d), d,
                ws_.x.begin() + static_cast<std::ptrdiff_t>(i * d));
    ws_.y[i] = data.y[from];
    ws_.weight[i] = data.weight[from];
    if (!data.noise.empty()) ws_.noise[i] = data.noise[from];
  }
  if (augmented == 0) return;
  const Augment& augment = context_.plan.augment;
  float* points = ws_.x.data() + data_rows_ * d;
  if (augment.kind != AugmentKind::uniform) {
    draw_augmented(augment, data.index, data.seed, step_, d, points);
    return;
  }
  context_.kernels.uniform({data.seed, Purpose::augment, 0, step_}, points, augment.count * d);
  const std::size_t owner = augment.box.members() == 1 ? 0 : data.index;
  const auto low = augment.box.row(owner, 0);
  const auto high = augment.box.row(owner, 1);
  for (std::size_t i = 0; i < augment.count; ++i) {
    for (std::size_t j = 0; j < d; ++j) points[i * d + j] = low[j] + (high[j] - low[j]) * points[i * d + j];
  }
}

void Step::forward_tile(const ColumnTile& tile, std::size_t first_row, std::size_t rows) {
  const Layer& layer = context_.program.layout.layers[tile.layer];
  const std::size_t ld = stride_of(layer);
  float* out = ws_.activation[tile.layer].data() + first_row * ld + tile.first;
  const float* bias = member_.weight.data() + layer.bias + tile.first;
  const Feed& first = layer.feeds.front();
  if (layer.feeds.size() == 1 && first.units <= narrow_inputs) {
    const Source source = source_of(first.source);
    context_.kernels.narrow_forward(layer.activation, source.values + first_row * source.stride, source.units,
                                    source.stride, member_.weight.data() + first.weights + tile.first, layer.units,
                                    bias, out, ld, rows, tile.width);
  } else {
    for (std::size_t k = 0; k < layer.feeds.size(); ++k) {
      const Source source = source_of(layer.feeds[k].source);
      context_.multiply(Transpose::no, Transpose::no, rows, tile.width, source.units,
                        source.values + first_row * source.stride, source.stride,
                        member_.weight.data() + layer.feeds[k].weights + tile.first, layer.units, k > 0, out, ld);
    }
    context_.kernels.bias_activate(layer.activation, out, ld, rows, tile.width, bias);
  }
}

void Step::forward_heads() {
  const Layout& layout = context_.program.layout;
  constexpr std::size_t part = 64;
  runner_.run((rows_ + part - 1) / part, [&](std::size_t piece, std::size_t /*worker*/) {
    const std::size_t first = piece * part;
    const std::size_t rows = std::min(part, rows_ - first);
    for (const std::size_t h : context_.program.heads) {
      const Layer& layer = layout.layers[h];
      for (std::size_t k = 0; k < layer.units; ++k) {
        float* out = ws_.outputs.data() + first * layout.outputs + layer.first_output + k;
        for (std::size_t i = 0; i < rows; ++i) out[i * layout.outputs] = member_.weight[layer.bias + k];
        for (const Feed& feed : layer.feeds) {
          const Source source = source_of(feed.source);
          context_.kernels.head_forward(source.values + first * source.stride, source.stride,
                                        member_.weight.data() + feed.weights + k, layer.units, out, layout.outputs,
                                        rows, source.units);
        }
      }
    }
  });
}

double Step::row_losses(double share) {
  const std::size_t outputs = context_.program.layout.outputs;
  const LossSettings<float> settings = loss_settings<float>(context_.plan.loss, member_.data.index);
  // Where the slope of each output is stored; frozen heads do not need theirs.
  struct Slot {
    float* delta;
    std::size_t stride;
  };
  Slot slots[most_outputs] = {};
  for (const std::size_t h : context_.program.heads) {
    const Layer& layer = layer_at(h);
    for (std::size_t k = 0; layer.needs_delta && k < layer.units; ++k) {
      slots[layer.first_output + k] = {ws_.delta[h].data() + k, layer.units};
    }
  }
  const auto write_slopes = [&](std::size_t i, const RowLoss<float>& row, float factor) {
    for (std::size_t k = 0; k < outputs; ++k) {
      if (slots[k].delta != nullptr) slots[k].delta[i * slots[k].stride] = factor * row.slope[k];
    }
  };
  double total = 0.0;
  for (std::size_t i = 0; i < data_rows_; ++i) {
    const RowLoss<float> row = data_loss(settings, ws_.outputs.data() + i * outputs, ws_.y[i], ws_.noise[i]);
    const double factor = static_cast<double>(ws_.weight[i]) * share;
    total += factor * static_cast<double>(row.value);
    write_slopes(i, row, static_cast<float>(factor));
  }
  double lifted = 0.0;
  const float part = 1.0F / static_cast<float>(std::max<std::size_t>(rows_ - data_rows_, 1));
  for (std::size_t i = data_rows_; i < rows_; ++i) {
    const RowLoss<float> row = augmented_loss(settings, ws_.outputs.data() + i * outputs);
    lifted += static_cast<double>(row.value);
    write_slopes(i, row, part);
  }
  return total + lifted * static_cast<double>(part);
}

double Step::penalty() const {
  double total = 0.0;
  for (std::size_t l = 0; l < context_.program.layout.layers.size(); ++l) {
    const auto l2 = static_cast<double>(l2_of(context_.program.layout.layers[l]));
    if (l2 == 0.0) continue;
    double squares = 0.0;
    for (const std::size_t slot : context_.program.squares[l]) squares += member_.squares[slot];
    total += l2 * squares;
  }
  return total;
}

double Step::share_of(std::span<const std::uint32_t> rows) const {
  if (context_.plan.loss.reduction == Reduction::sum) return 1.0;
  double weights = 0.0;
  for (const std::uint32_t i : rows) weights += static_cast<double>(member_.data.weight[i]);
  return 1.0 / weights;
}

void Step::forward_dense(const ColumnTile& tile, std::size_t first_row, std::size_t rows, bool dropout) {
  forward_tile(tile, first_row, rows);
  const Layer& layer = layer_at(tile.layer);
  const float rate = dropout_of(tile.layer);
  if (!dropout || rate == 0.0F) return;
  const DropoutMask mask = training_mask(member_.data.seed, tile.layer, step_, rate);
  context_.kernels.drop(mask.stream, rate, ws_.activation[tile.layer].data(), layer.units, stride_of(layer), first_row,
                        first_row + rows, tile.first, tile.width);
}

void Step::run_layers(bool dropout) {
  const std::size_t part = row_tile(rows_);
  const std::size_t parts = row_parts(rows_);
  const std::size_t blocks = convolution_blocks(rows_);
  for (std::size_t phase = 0; phase < context_.program.forward.size(); ++phase) {
    const std::vector<ColumnTile>& tiles = context_.program.forward[phase];
    const std::vector<std::size_t>& convolutions = context_.program.convolutions[phase];
    const std::size_t dense = tiles.size() * parts;
    runner_.run(dense + convolutions.size() * blocks, [&](std::size_t piece, std::size_t worker) {
      if (piece < dense) {
        const std::size_t first = piece % parts * part;
        forward_dense(tiles[piece / parts], first, std::min(part, rows_ - first), dropout);
      } else {
        forward_convolution(convolutions[(piece - dense) / blocks], (piece - dense) % blocks, dropout, worker);
      }
    });
  }
  forward_heads();
}

double Step::forward(std::span<const std::uint32_t> rows, std::uint32_t step) {
  step_ = step;
  load_rows(rows, context_.plan.augment.count);
  run_layers(true);
  return row_losses(share_of(rows)) + penalty();
}

double Step::loss_of_all_rows(std::uint32_t step) {
  step_ = step;
  std::vector<std::uint32_t> all(member_.data.rows);
  std::iota(all.begin(), all.end(), 0U);
  const double share = share_of(all);
  const auto batch = static_cast<std::size_t>(context_.plan.train.batch_size);
  double total = penalty();
  for (std::size_t first = 0; first < all.size(); first += batch) {
    load_rows(std::span(all).subspan(first, std::min(batch, all.size() - first)),
              first == 0 ? context_.plan.augment.count : 0);
    run_layers(false);
    total += row_losses(share);
  }
  return total;
}

}  // namespace nomu::engine::cpu
