// The backward half of a CPU step. Work goes by source: a tile of units gathers its deltas from everything that reads
// it and then updates the weight rows it feeds, which are in the cache by then.

#include <algorithm>
#include <cmath>

#include "engine/cpu/step.hpp"
#include "engine/sampling.hpp"

namespace nomu::engine::cpu {
namespace {

/// Few enough weight rows that plain loops beat a matrix product.
constexpr std::size_t narrow_units = 16;

// A head's weight rows are one or two numbers long: to the kernels a whole tile of them is one row.
std::size_t kernel_rows(const Layer& layer, std::size_t units) { return layer.head ? 1 : units; }
std::size_t kernel_width(const Layer& layer, std::size_t units) {
  return layer.head ? units * layer.units : layer.units;
}

}  // namespace

std::size_t Step::delta_rows(std::size_t layer) const { return layer_at(layer).on_augmented ? rows_ : data_rows_; }

UpdateRows Step::rows_at(std::size_t offset, const Layer& layer, float clip) {
  return {.weight = member_.weight.data() + offset,
          .first = member_.first.data() + offset,
          .second = member_.second.data() + offset,
          .largest = member_.largest.empty() ? nullptr : member_.largest.data() + offset,
          .keep = keep_ == Keep::nothing ? nullptr : member_.best.data() + offset,
          .keep_updated = keep_ == Keep::after_update,
          .shrink = 2.0F * l2_of(layer),
          .clip = clip,
          .adam = adam_};
}

/// Gradient [units][layer.units] of the weight rows of units [first, first + units) of the consumer's feed.
void Step::gradient_of(const Consumer& consumer, std::size_t first, std::size_t units, float* gradient) const {
  const Layer& layer = layer_at(consumer.layer);
  const Source source = source_of(layer.feeds[consumer.feed].source);
  const float* input = source.values + first;
  const float* delta = ws_.delta[consumer.layer].data();
  const std::size_t rows = delta_rows(consumer.layer);
  if (layer.head) {
    for (std::size_t k = 0; k < layer.units; ++k) {
      context_.kernels.head_gradient(input, source.stride, delta + k, layer.units, gradient + k, layer.units, rows,
                                     units);
    }
  } else if (units <= narrow_units) {
    context_.kernels.narrow_gradient(input, source.stride, delta, stride_of(layer), gradient, rows, units, layer.units);
  } else {
    context_.multiply(Transpose::yes, Transpose::no, units, layer.units, rows, input, source.stride, delta,
                      stride_of(layer), false, gradient, layer.units);
  }
}

/// Updates the weight rows that a tile feeds to one consumer; returns the new weights' sum of squares.
double Step::update_weights(const UnitTile& tile, const Consumer& consumer, float* back, bool accumulate,
                            Floats& scratch) {
  const Layer& layer = layer_at(consumer.layer);
  const Feed& feed = layer.feeds[consumer.feed];
  const std::size_t width = layer.units;
  const Source source = source_of(feed.source);
  const float clip = ws_.clip[consumer.layer];
  const std::size_t part = gradient_rows(width);
  double squares = 0.0;
  for (std::size_t i = 0; i < tile.width; i += part) {
    const std::size_t first = tile.first + i;
    const std::size_t units = std::min(part, tile.width - i);
    const UpdateRows rows = rows_at(feed.weights + first * width, layer, clip);
    if (low_rank(consumer.layer)) {
      squares += context_.kernels.low_rank_update(rows, source.values + first, source.stride,
                                                  ws_.delta[consumer.layer].data(), stride_of(layer),
                                                  delta_rows(consumer.layer), back == nullptr ? nullptr : back + i,
                                                  source.stride, accumulate, units, width, scratch.data());
      continue;
    }
    gradient_of(consumer, first, units, scratch.data());
    squares += context_.kernels.update(rows, scratch.data(), kernel_rows(layer, units), kernel_width(layer, units));
  }
  return squares;
}

/// Adds the contribution of a consumer's deltas to those of the tile's units; `last`: no other consumer follows.
void Step::gather(const UnitTile& tile, const Consumer& consumer, bool accumulate, bool last) {
  const Layer& layer = layer_at(consumer.layer);
  const std::size_t ld = stride_of(layer_at(tile.source));
  const std::size_t rows = delta_rows(consumer.layer);
  float* out = ws_.delta[tile.source].data() + tile.first;
  const float* weights = member_.weight.data() + layer.feeds[consumer.feed].weights + tile.first * layer.units;
  const float* delta = ws_.delta[consumer.layer].data();
  if (layer.head) {
    for (std::size_t k = 0; k < layer.units; ++k) {
      const float* relu = last && plain_relu(tile.source) ? ws_.activation[tile.source].data() + tile.first : nullptr;
      context_.kernels.head_backward(delta + k, layer.units, weights + k, layer.units, out, ld, rows, tile.width,
                                     accumulate || k > 0, relu);
    }
  } else {
    context_.multiply(Transpose::no, Transpose::yes, rows, tile.width, layer.units, delta, stride_of(layer), weights,
                      layer.units, accumulate, out, ld);
  }
}

void Step::through_activation(const UnitTile& tile) {
  const Layer& layer = layer_at(tile.source);
  const std::size_t rows = delta_rows(tile.source);
  const float rate = dropout_of(tile.source);
  const bool relu = layer.activation == Activation::relu;
  // A positive ReLU unit was not dropped, so its scale suffices; other activations need the mask again.
  if (rate > 0.0F && !relu) {
    const DropoutMask mask = training_mask(member_.data.seed, tile.source, step_, rate);
    context_.kernels.drop(mask.stream, rate, ws_.delta[tile.source].data(), layer.units, stride_of(layer), 0, rows,
                          tile.first, tile.width);
  }
  context_.kernels.apply_slope(layer.activation, ws_.activation[tile.source].data() + tile.first,
                               ws_.delta[tile.source].data() + tile.first, stride_of(layer), rows, tile.width,
                               1.0F - rate, relu && rate > 0.0F ? 1.0F / (1.0F - rate) : 1.0F);
}

void Step::work_on(const UnitTile& tile, Floats& scratch) {
  const std::vector<Consumer>& consumers = context_.program.consumers_of(tile.source);
  const bool wants_delta = tile.source != input_layer && layer_at(tile.source).needs_delta;
  const auto carries = [&](const Consumer& c) { return wants_delta && layer_at(c.layer).feeds[c.feed].carries; };
  const auto carriers = std::count_if(consumers.begin(), consumers.end(), carries);
  bool accumulate = false;
  bool activated = false;
  // Consumers that read all of the source's rows come first: they set what the others add to.
  for (const bool complete : {true, false}) {
    for (std::size_t i = 0; i < consumers.size(); ++i) {
      const Consumer& c = consumers[i];
      const Layer& layer = layer_at(c.layer);
      if (complete != (!carries(c) || delta_rows(c.layer) == delta_rows(tile.source))) continue;
      const bool fused = carries(c) && trainable(layer) && low_rank(c.layer);
      if (carries(c) && !fused) {
        gather(tile, c, accumulate, carriers == 1);
        activated = layer.head && carriers == 1 && plain_relu(tile.source);
      }
      if (trainable(layer)) {
        float* back = fused ? ws_.delta[tile.source].data() + tile.first : nullptr;
        member_.squares[tile.slots[i]] = update_weights(tile, c, back, accumulate, scratch);
      }
      accumulate = accumulate || carries(c);
    }
  }
  // A convolution is activated before it is pooled; step_convolution.cpp goes back through both.
  if (wants_delta && !activated && !layer_at(tile.source).convolution) through_activation(tile);
}

void Step::update_bias(std::size_t index, Floats& scratch) {
  const Layer& layer = layer_at(index);
  context_.kernels.column_sums(ws_.delta[index].data(), stride_of(layer), scratch.data(), delta_rows(index),
                               layer.units);
  member_.squares[context_.program.bias_slot[index]] = update_tensor(layer, layer.bias, scratch.data(), 1, layer.units);
}

/// Clips the whole gradient [rows][width] of the tensor at `offset` and updates it; returns its new sum of squares.
double Step::update_tensor(const Layer& layer, std::size_t offset, const float* gradient, std::size_t rows,
                           std::size_t width) {
  const float limit = context_.plan.clip_norm[member_.data.index];
  UpdateRows target = rows_at(offset, layer, 1.0F);
  if (limit > 0.0F) {
    const double norm =
        std::sqrt(context_.kernels.gradient_squares(gradient, target.weight, target.shrink, rows * width));
    if (norm > static_cast<double>(limit)) target.clip = static_cast<float>(static_cast<double>(limit) / norm);
  }
  return context_.kernels.update(target, gradient, rows, width);
}

/// Squared norm of the gradient of a layer's whole weight tensor, computed tile by tile and discarded.
double Step::gradient_squares(std::size_t index) {
  const Layer& layer = layer_at(index);
  const float shrink = 2.0F * l2_of(layer);
  double total = 0.0;
  for (std::size_t f = 0; f < layer.feeds.size(); ++f) {
    const Feed& feed = layer.feeds[f];
    const std::size_t part = std::min(unit_tile(feed.units), gradient_rows(layer.units));
    const std::size_t pieces = (feed.units + part - 1) / part;
    ws_.partial.resize(std::max(ws_.partial.size(), pieces));
    runner_.run(pieces, [&](std::size_t piece, std::size_t worker) {
      const std::size_t first = piece * part;
      const std::size_t units = std::min(part, feed.units - first);
      float* gradient = ws_.scratch[worker].data();
      gradient_of({index, f}, first, units, gradient);
      ws_.partial[piece] = context_.kernels.gradient_squares(
          gradient, member_.weight.data() + feed.weights + first * layer.units, shrink, units * layer.units);
    });
    for (std::size_t piece = 0; piece < pieces; ++piece) total += ws_.partial[piece];
  }
  return total;
}

/// The clipping factor of a layer's weights. The norm of a product is at most the product of the norms: if that
/// bound is below the limit, nothing is clipped, and the gradient need not be known before it is used.
void Step::set_clip(std::size_t index) {
  ws_.clip[index] = 1.0F;
  const auto limit = static_cast<double>(context_.plan.clip_norm[member_.data.index]);
  if (limit <= 0.0) return;
  const Layer& layer = layer_at(index);
  const std::size_t rows = delta_rows(index);
  double inputs = 0.0;
  for (const Feed& feed : layer.feeds) {
    const Source source = source_of(feed.source);
    inputs += context_.kernels.sum_squares(source.values, source.stride, rows, source.units);
  }
  double weights = 0.0;
  for (const std::size_t slot : context_.program.squares[index]) weights += member_.squares[slot];
  const double deltas = context_.kernels.sum_squares(ws_.delta[index].data(), stride_of(layer), rows, layer.units);
  const double bound = std::sqrt(inputs * deltas) + 2.0 * static_cast<double>(l2_of(layer)) * std::sqrt(weights);
  if (bound * 1.0001 <= limit) return;  // a little above 1 for the rounding of the sums
  const double norm = std::sqrt(gradient_squares(index));
  if (norm > limit) ws_.clip[index] = static_cast<float>(limit / norm);
}

void Step::backward(Keep keep, double rate) {
  const TrainSpec& spec = context_.plan.train;
  keep_ = keep;
  const double corrected = adam_rate(rate, spec.beta1, spec.beta2, static_cast<long>(step_) + 1);
  adam_ = {static_cast<float>(corrected), static_cast<float>(spec.beta1), static_cast<float>(spec.beta2),
           static_cast<float>(spec.epsilon)};
  for (const BackwardPhase& phase : context_.program.backward) {
    for (const std::size_t layer : phase.ready) {
      if (trainable(layer_at(layer))) set_clip(layer);
    }
    const std::size_t tiles = phase.tiles.size();
    runner_.run(tiles + phase.ready.size(), [&](std::size_t piece, std::size_t worker) {
      if (piece < tiles) {
        work_on(context_.program.tiles[phase.tiles[piece]], ws_.scratch[worker]);
      } else if (trainable(layer_at(phase.ready[piece - tiles]))) {
        update_bias(phase.ready[piece - tiles], ws_.scratch[worker]);
      }
    });
    if (!phase.convolutions.empty()) backward_convolutions(phase);
  }
}

void Step::backward_convolutions(const BackwardPhase& phase) {
  const auto blocks = [&](std::size_t layer) { return convolution_blocks(delta_rows(layer)); };
  std::size_t pieces = 0;
  for (const std::size_t layer : phase.convolutions) pieces += blocks(layer);
  runner_.run(pieces, [&](std::size_t piece, std::size_t worker) {
    std::size_t i = 0;
    for (; piece >= blocks(phase.convolutions[i]); ++i) piece -= blocks(phase.convolutions[i]);
    backward_convolution(phase.convolutions[i], piece, worker);
  });
  runner_.run(phase.convolutions.size(),
              [&](std::size_t i, std::size_t /*worker*/) { update_convolution(phase.convolutions[i]); });
}

void Step::refresh_squares() {
  const Program& program = context_.program;
  member_.squares.assign(program.slots, 0.0);
  for (std::size_t l = 0; l < program.layout.layers.size(); ++l) {
    const Layer& layer = layer_at(l);
    const std::size_t columns = layer.columns();
    member_.squares[program.bias_slot[l]] =
        context_.kernels.sum_squares(member_.weight.data() + layer.bias, columns, 1, columns);
    if (!layer.convolution) continue;
    member_.squares[program.squares[l].back()] =
        context_.kernels.sum_squares(member_.weight.data() + layer.weights, columns, layer.fan_in(), columns);
  }
  for (const UnitTile& tile : program.tiles) {
    const std::vector<Consumer>& consumers = program.consumers_of(tile.source);
    for (std::size_t k = 0; k < consumers.size(); ++k) {
      const Layer& layer = layer_at(consumers[k].layer);
      const std::size_t part = gradient_rows(layer.units);
      for (std::size_t i = 0; i < tile.width; i += part) {
        const std::size_t units = std::min(part, tile.width - i);
        const float* weights =
            member_.weight.data() + layer.feeds[consumers[k].feed].weights + (tile.first + i) * layer.units;
        member_.squares[tile.slots[k]] +=
            context_.kernels.sum_squares(weights, layer.units, kernel_rows(layer, units), kernel_width(layer, units));
      }
    }
  }
}

}  // namespace nomu::engine::cpu
