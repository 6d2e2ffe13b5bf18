#include "models/evidence/rows/artificial_rows.hpp"

#include <algorithm>
#include <vector>

#include "nomu/core/random.hpp"

namespace nomu {
namespace {

constexpr double margin = 0.1;  ///< share of its range by which a number's range is widened on either side

struct Reach {
  double low, high;
};

std::vector<Reach> reaches_of(const DataSet& data) {
  std::vector<Reach> reaches;
  for (std::size_t j = 0; j < data.cols(); ++j) {
    Reach reach{data.row(0)[j], data.row(0)[j]};
    for (std::size_t i = 0; i < data.rows(); ++i) {
      reach.low = std::min(reach.low, data.row(i)[j]);
      reach.high = std::max(reach.high, data.row(i)[j]);
    }
    const double extra = margin * (reach.high - reach.low);
    reaches.push_back({reach.low - extra, reach.high + extra});
  }
  return reaches;
}

}  // namespace

Tensor<float> artificial_rows(const DataSet& scaled, std::size_t count, std::uint64_t seed) {
  const std::vector<InputBlock> blocks = input_blocks(scaled);
  const std::vector<Reach> reaches = reaches_of(scaled);
  Random random(seed);
  Tensor<float> points(1, count, scaled.cols());
  for (std::size_t k = 0; k < count; ++k) {
    const std::span<float> point = points.row(0, k);
    const std::span<const double> start = scaled.row(random.below(scaled.rows()));
    std::ranges::transform(start, point.begin(), [](double value) { return static_cast<float>(value); });
    const double share = random.uniform();
    const std::size_t surely = random.below(blocks.size());
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      if (random.uniform() >= share && b != surely) continue;
      const InputBlock& block = blocks[b];
      if (block.names) {
        std::ranges::fill(point.subspan(block.first, block.size), 0.0F);
        point[block.first + random.below(block.size)] = 1.0F;
      } else if (block.indicator) {
        point[block.first] = static_cast<float>(random.below(2));
      } else {
        const Reach& reach = reaches[block.first];
        point[block.first] = static_cast<float>(random.uniform(reach.low, reach.high));
      }
    }
  }
  return points;
}

}  // namespace nomu
