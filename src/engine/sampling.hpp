#pragma once
// The random choices of a step: artificial points, dropout masks, the order of the rows. They are pure functions of a
// member's seed, the step and the position, so every engine makes the same ones.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "core/philox.hpp"
#include "engine/plan.hpp"

namespace nomu::engine {

/// Masks are drawn by layer index; prediction has its own, apart from those of training.
inline constexpr std::uint32_t prediction_place = 0x800000;

/// Additive recurrence (Roberts' R-sequence): generator of axis `j` in `d` dimensions.
inline double recurrence_step(std::size_t j, std::size_t d) {
  double root = 1.5;  // the positive root of x^{d+1} = x + 1, by fixed-point iteration
  for (int i = 0; i < 64; ++i) root = std::pow(1.0 + root, 1.0 / static_cast<double>(d + 1));
  const double step = std::pow(1.0 / root, static_cast<double>(j + 1));
  return step - std::floor(step);
}

/// Index of the point that position `i` of a step draws from a pool of `rows` points.
NOMU_HD inline std::uint64_t pool_row(const PhiloxStream& stream, std::uint64_t i, std::uint64_t rows) {
  return (std::uint64_t{stream.word(i)} * rows) >> 32U;
}

/// Maps `u` in [0, 1) to the interval between two corners of the box.
NOMU_HD inline float between(float low, float high, float u) { return low + (high - low) * u; }

/// Coordinate of point `i` of a shifted recurrence, in [0, 1).
NOMU_HD inline float recurrence_share(float shift, double alpha, std::uint64_t i) {
  const double u = static_cast<double>(shift) + alpha * static_cast<double>(i + 1);
  return static_cast<float>(u - std::floor(u));
}

/// The row that the shuffle of an epoch swaps with the last of its first `i` rows.
NOMU_HD inline std::uint64_t shuffle_pick(const PhiloxStream& stream, std::uint64_t i) {
  return (std::uint64_t{stream.word(i)} * i) >> 32U;
}

NOMU_HD inline PhiloxStream shuffle_stream(std::uint64_t seed, std::uint32_t epoch) {
  return {seed, Purpose::shuffle, 0, epoch};
}

NOMU_HD inline PhiloxStream augment_stream(AugmentKind kind, std::uint64_t seed, std::uint32_t step) {
  return {seed, kind == AugmentKind::pool ? Purpose::pool : Purpose::augment, 0, step};
}

/// Writes the artificial points of a step, [count][d].
inline void draw_augmented(const Augment& augment, std::size_t member, std::uint64_t seed, std::uint32_t step,
                           std::size_t d, float* points) {
  const Tensor<float>& given = augment.kind == AugmentKind::uniform || augment.kind == AugmentKind::low_discrepancy
                                   ? augment.box
                                   : augment.points;
  const std::size_t owner = given.members() == 1 ? 0 : member;
  const PhiloxStream stream = augment_stream(augment.kind, seed, step);
  switch (augment.kind) {
    case AugmentKind::none: return;
    case AugmentKind::fixed:
      for (std::size_t e = 0; e < augment.count * d; ++e) points[e] = given.member(owner)[e];
      return;
    case AugmentKind::pool:
      for (std::size_t i = 0; i < augment.count; ++i) {
        const std::size_t row = pool_row(stream, i, given.rows());
        for (std::size_t j = 0; j < d; ++j) points[i * d + j] = given(owner, row, j);
      }
      return;
    case AugmentKind::uniform:
      for (std::size_t e = 0; e < augment.count * d; e += 4) {
        const PhiloxBlock block = stream.block(e / 4);
        for (std::size_t k = 0; k < 4 && e + k < augment.count * d; ++k) {
          const std::size_t j = (e + k) % d;
          points[e + k] = between(given(owner, 0, j), given(owner, 1, j), uniform_float(block.word[k]));
        }
      }
      return;
    case AugmentKind::low_discrepancy:
      for (std::size_t j = 0; j < d; ++j) {
        const float shift = stream.uniform(j);
        const double alpha = recurrence_step(j, d);
        for (std::size_t i = 0; i < augment.count; ++i) {
          points[i * d + j] = between(given(owner, 0, j), given(owner, 1, j), recurrence_share(shift, alpha, i));
        }
      }
      return;
  }
}

/// Which units of a layer a step keeps: unit `e` of [rows][units] is kept if its draw is at least `rate`.
struct DropoutMask {
  PhiloxStream stream;
  float rate;

  [[nodiscard]] NOMU_HD bool keeps(std::uint64_t e) const { return stream.uniform(e) >= rate; }
  [[nodiscard]] NOMU_HD float scale() const { return 1.0F / (1.0F - rate); }
};

NOMU_HD inline DropoutMask training_mask(std::uint64_t seed, std::size_t layer, std::uint32_t step, float rate) {
  return {{seed, Purpose::dropout, static_cast<std::uint32_t>(layer), step}, rate};
}

/// A mask of stochastic prediction: independent for every row and pass.
NOMU_HD inline DropoutMask prediction_mask(std::uint64_t seed, std::size_t layer, std::uint32_t pass, float rate) {
  return {{seed, Purpose::dropout, prediction_place | static_cast<std::uint32_t>(layer), pass}, rate};
}

/// The rows of a member in the order in which an epoch visits them.
inline std::vector<std::uint32_t> epoch_order(std::uint64_t seed, std::uint32_t epoch, std::size_t rows) {
  std::vector<std::uint32_t> order(rows);
  std::iota(order.begin(), order.end(), 0U);
  const PhiloxStream stream = shuffle_stream(seed, epoch);
  for (std::size_t i = rows; i > 1; --i) std::swap(order[i - 1], order[shuffle_pick(stream, i)]);
  return order;
}

}  // namespace nomu::engine
