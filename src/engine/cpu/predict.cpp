#include "engine/cpu/predict.hpp"

#include <algorithm>
#include <memory>

#include "engine/cpu/buffers.hpp"
#include "engine/cpu/convolve.hpp"
#include "engine/cpu/crews.hpp"
#include "engine/cpu/program.hpp"
#include "engine/sampling.hpp"

namespace nomu::engine::cpu {
namespace {

constexpr std::size_t block_rows = 64;

/// Activations of one block, reused by a worker for all its blocks.
struct Block {
  explicit Block(const Layout& layout) : x(block_rows * layout.inputs), patches(convolution_scratch(layout)) {
    for (const Layer& layer : layout.layers) activation.emplace_back(block_rows * layer.units);
  }
  std::size_t rows = 0;  ///< in use; the others are zero
  Floats x, patches;
  std::vector<Floats> activation;
};

void run_convolution(const PredictContext& c, std::size_t l, std::size_t member, Block& block) {
  const Layer& layer = c.layout.layers[l];
  const Feed& feed = layer.feeds.front();
  const float* source = feed.source == input_layer ? block.x.data() : block.activation[feed.source].data();
  Floats& out = block.activation[l];
  const ConvolutionScratch scratch(*layer.convolution, block.patches.data());
  for (std::size_t i = 0; i < block.rows; ++i) {
    convolve(layer, c.kernels, c.multiply, c.parameters[member].data(), source + i * feed.units, scratch.patches,
             scratch.by_map, out.data() + i * layer.units);
  }
  std::fill(out.begin() + static_cast<std::ptrdiff_t>(block.rows * layer.units), out.end(), 0.0F);
}

/// In the column tiles of training, whoever computes them: how a wide layer is cut decides how it is rounded.
void run_dense(const PredictContext& c, std::size_t l, std::size_t member, Block& block, const Runner& runner) {
  const Layer& layer = c.layout.layers[l];
  const float* parameters = c.parameters[member].data();
  const std::size_t tile = column_tile(layer.units);
  runner.run((layer.units + tile - 1) / tile, [&](std::size_t piece, std::size_t /*worker*/) {
    const std::size_t first = piece * tile;
    const std::size_t width = std::min(tile, layer.units - first);
    float* out = block.activation[l].data() + first;
    for (std::size_t k = 0; k < layer.feeds.size(); ++k) {
      const Feed& feed = layer.feeds[k];
      const float* source = feed.source == input_layer ? block.x.data() : block.activation[feed.source].data();
      c.multiply(Transpose::no, Transpose::no, block_rows, width, feed.units, source, feed.units,
                 parameters + feed.weights + first, layer.units, k > 0, out, layer.units);
    }
    c.kernels.bias_activate(layer.activation, out, layer.units, block_rows, width, parameters + layer.bias + first);
  });
}

void run_layer(const PredictContext& c, std::size_t l, std::size_t member, std::size_t first_row, Block& block,
               const Runner& runner) {
  const Layer& layer = c.layout.layers[l];
  if (layer.convolution) {
    run_convolution(c, l, member, block);
  } else {
    run_dense(c, l, member, block, runner);
  }
  float* out = block.activation[l].data();
  const float rate = dropout_of(c.networks, layer, member);
  if (!c.dropout.active || rate == 0.0F) return;
  // Masks are numbered by the row's position in the whole request, as if `out` began at its first row.
  const DropoutMask mask = prediction_mask(c.seeds[member], l, c.dropout.pass, rate);
  c.kernels.drop(mask.stream, rate, out - first_row * layer.units, layer.units, layer.units, first_row,
                 first_row + block_rows, 0, layer.units);
}

/// Floating-point operations of one member for one block.
double block_flops(const Layout& layout) {
  std::size_t products = 0;
  for (const Layer& layer : layout.layers) {
    const std::size_t pixels = layer.convolution ? layer.convolution->map.pixels() : 1;
    products += layer.fan_in() * layer.columns() * pixels;
  }
  return 2.0 * static_cast<double>(block_rows * products);
}

std::size_t widest_layer(const Layout& layout) {
  std::size_t widest = 0;
  for (const Layer& layer : layout.layers) widest = std::max(widest, layer.convolution ? 0 : layer.units);
  return widest;
}

}  // namespace

Tensor<float> predict(const PredictContext& context, const Tensor<float>& x, Team& team) {
  const std::size_t members = context.parameters.size();
  const std::size_t d = context.layout.inputs;
  Tensor<float> outputs(members, x.rows(), context.layout.outputs);
  const std::size_t blocks = (x.rows() + block_rows - 1) / block_rows;
  const double flops = static_cast<double>(members * blocks) * block_flops(context.layout);
  const std::size_t threads = std::min(team.size(), threads_for(flops));
  std::vector<std::unique_ptr<Block>> workspace(threads);
  const auto run_piece = [&](std::size_t piece, std::size_t worker, const Runner& runner) {
    if (!workspace[worker]) workspace[worker] = std::make_unique<Block>(context.layout);
    Block& block = *workspace[worker];
    const std::size_t member = piece / blocks;
    const std::size_t first = piece % blocks * block_rows;
    const std::size_t rows = std::min(block_rows, x.rows() - first);
    block.rows = rows;
    const auto source = x.member(member / (members / x.members())).subspan(first * d, rows * d);
    std::fill(std::copy(source.begin(), source.end(), block.x.begin()), block.x.end(), 0.0F);
    for (std::size_t l = 0; l < context.layout.layers.size(); ++l) {
      const Layer& layer = context.layout.layers[l];
      run_layer(context, l, member, first, block, runner);
      for (std::size_t i = 0; layer.head && i < rows; ++i) {
        for (std::size_t k = 0; k < layer.units; ++k) {
          outputs(member, first + i, layer.first_output + k) = block.activation[l][i * layer.units + k];
        }
      }
    }
  };
  const std::size_t pieces = members * blocks;
  if (pieces >= threads || widest_layer(context.layout) <= widest_tile) {
    team.together([&](const Runner& runner) {
      runner.limited(threads).run(pieces, [&](std::size_t i, std::size_t worker) { run_piece(i, worker, Runner()); });
    });
  } else if (pieces > 0) {
    // A few rows of wide networks, as a search asks for: several threads for each block.
    team.split(pieces, [&](std::size_t i, const Runner& runner) { run_piece(i, i, runner.limited(threads / pieces)); });
  }
  return outputs;
}

}  // namespace nomu::engine::cpu
