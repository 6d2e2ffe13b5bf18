// The convolutions of a CPU step, in blocks of rows. Each block adds up a gradient of its own; the blocks' gradients
// are added in order, so that it does not matter which thread worked on which block.

#include <algorithm>

#include "engine/cpu/convolve.hpp"
#include "engine/cpu/step.hpp"
#include "engine/sampling.hpp"

namespace nomu::engine::cpu {

void Step::forward_convolution(std::size_t index, std::size_t block, bool dropout, std::size_t worker) {
  const Layer& layer = layer_at(index);
  const Source source = source_of(layer.feeds.front().source);
  const std::size_t first = block * convolution_rows;
  const std::size_t end = std::min(first + convolution_rows, rows_);
  const std::size_t map = layer.convolution->map.size();
  const ConvolutionScratch scratch(*layer.convolution, ws_.patches[worker].data());
  for (std::size_t i = first; i < end; ++i) {
    convolve(layer, context_.kernels, context_.multiply, member_.weight.data(), source.values + i * source.stride,
             scratch.patches, ws_.map[index].data() + i * map, ws_.activation[index].data() + i * stride_of(layer));
  }
  if (dropout) drop(index, ws_.activation[index], first, end);
}

void Step::drop(std::size_t index, Floats& values, std::size_t first, std::size_t end) {
  const float rate = dropout_of(index);
  if (rate == 0.0F) return;
  const Layer& layer = layer_at(index);
  const DropoutMask mask = training_mask(member_.data.seed, index, step_, rate);
  context_.kernels.drop(mask.stream, rate, values.data(), layer.units, stride_of(layer), first, end, 0, layer.units);
}

/// The gradient of a block's rows by the weights and by the source. Weights are those of the forward pass.
void Step::backward_convolution(std::size_t index, std::size_t block, std::size_t worker) {
  const Layer& layer = layer_at(index);
  const Convolution& shape = *layer.convolution;
  const Feed& feed = layer.feeds.front();
  const Source source = source_of(feed.source);
  const std::size_t filters = layer.columns();
  const std::size_t pixels = shape.map.pixels();
  const std::size_t first = block * convolution_rows;
  const std::size_t end = std::min(first + convolution_rows, delta_rows(index));
  const ConvolutionScratch scratch(shape, ws_.patches[worker].data());
  const float* weights = member_.weight.data() + layer.weights;
  float* gradient = ws_.filter_gradient[index].data() + block * filter_floats(layer);
  float* by_bias = gradient + layer.fan_in() * filters;
  std::fill_n(by_bias, filters, 0.0F);
  drop(index, ws_.delta[index], first, end);
  for (std::size_t i = first; i < end; ++i) {
    const float* map = ws_.map[index].data() + i * shape.map.size();
    unpool(shape, map, ws_.delta[index].data() + i * stride_of(layer), scratch.by_map);
    context_.kernels.apply_slope(layer.activation, map, scratch.by_map, filters, pixels, filters, 1.0F, 1.0F);
    gather_patches(shape, source.values + i * source.stride, scratch.patches);
    context_.multiply(Transpose::yes, Transpose::no, shape.patch(), filters, pixels, scratch.patches, shape.patch(),
                      scratch.by_map, filters, i > first, gradient, filters);
    context_.kernels.column_sums(scratch.by_map, filters, scratch.by_bias, pixels, filters);
    for (std::size_t k = 0; k < filters; ++k) by_bias[k] += scratch.by_bias[k];
    if (!feed.carries) continue;
    context_.multiply(Transpose::no, Transpose::yes, pixels, shape.patch(), filters, scratch.by_map, filters, weights,
                      filters, false, scratch.by_patches, shape.patch());
    scatter_patches(shape, scratch.by_patches, ws_.delta[feed.source].data() + i * source.stride);
  }
}

void Step::update_convolution(std::size_t index) {
  const Layer& layer = layer_at(index);
  const std::size_t count = filter_floats(layer);
  float* gradient = ws_.filter_gradient[index].data();
  for (std::size_t block = 1; block < convolution_blocks(delta_rows(index)); ++block) {
    const float* part = gradient + block * count;
    for (std::size_t e = 0; e < count; ++e) gradient[e] += part[e];
  }
  const std::size_t rows = layer.fan_in();
  const std::size_t filters = layer.columns();
  const Program& program = context_.program;
  member_.squares[program.squares[index].back()] = update_tensor(layer, layer.weights, gradient, rows, filters);
  member_.squares[program.bias_slot[index]] = update_tensor(layer, layer.bias, gradient + rows * filters, 1, filters);
}

}  // namespace nomu::engine::cpu
