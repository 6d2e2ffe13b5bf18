// Initial parameters, drawn where they are needed: the same numbers as engine/layout.cpp draws on the host.

#include "core/philox.hpp"
#include "engine/cuda/kernels/kernels.hpp"
#include "engine/cuda/kernels/launch.cuh"

namespace nomu::engine::cuda {
namespace {

constexpr unsigned draw_threads = 256;

__global__ void __launch_bounds__(draw_threads) draw_kernel(const View view, const InitLayer layer, unsigned blocks) {
  const unsigned member = blockIdx.x / blocks;
  const std::uint64_t block = std::uint64_t{blockIdx.x % blocks} * draw_threads + threadIdx.x;
  const std::uint64_t count = layer.weight_count + layer.units;
  if (block * 4 >= count) return;
  const PhiloxStream stream{view.info[member].seed, Purpose::init, layer.layer, 0};
  const PhiloxBlock words = stream.block(block);
  float* weights = view.weights_of(0, member);
  for (unsigned k = 0; k < 4; ++k) {
    const std::uint64_t e = block * 4 + k;
    if (e >= count) break;
    const std::uint64_t place = e < layer.weight_count ? layer.weights + e : layer.bias + (e - layer.weight_count);
    weights[place] = layer.range * (2.0F * uniform_float(words.word[k]) - 1.0F);
  }
}

}  // namespace

void start_draw(const View& view, const InitLayer& layer, cudaStream_t stream) {
  const std::uint64_t groups = (layer.weight_count + layer.units + 3) / 4;
  const auto blocks = static_cast<unsigned>((groups + draw_threads - 1) / draw_threads);
  launch(draw_kernel, std::size_t{view.members} * blocks, draw_threads, 0, stream, view, layer, blocks);
}

}  // namespace nomu::engine::cuda
