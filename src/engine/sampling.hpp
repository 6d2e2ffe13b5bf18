#pragma once
// The random choices of a step: artificial points, dropout masks, the order of the rows. Pure functions of a member's
// seed, the step and the place, so that every engine makes the same ones.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "core/philox.hpp"
#include "engine/plan.hpp"

namespace nomu::engine {

/// Places in the network are layer indices; prediction draws its masks apart from training.
inline constexpr std::uint32_t prediction_place = 0x800000;

/// Additive recurrence (Roberts' R-sequence): generator of axis `j` in `d` dimensions.
inline double recurrence_step(std::size_t j, std::size_t d) {
  double root = 1.5;  // the positive root of x^{d+1} = x + 1, by fixed-point iteration
  for (int i = 0; i < 64; ++i) root = std::pow(1.0 + root, 1.0 / static_cast<double>(d + 1));
  const double step = std::pow(1.0 / root, static_cast<double>(j + 1));
  return step - std::floor(step);
}

/// Writes the artificial points of a step, [count][d].
inline void draw_augmented(const Augment& augment, std::size_t member, std::uint64_t seed, std::uint32_t step,
                           std::size_t d, float* points) {
  const Tensor<float>& given = augment.kind == AugmentKind::uniform || augment.kind == AugmentKind::low_discrepancy
                                   ? augment.box
                                   : augment.points;
  const std::size_t owner = given.members() == 1 ? 0 : member;
  const PhiloxStream stream{seed, augment.kind == AugmentKind::pool ? Purpose::pool : Purpose::augment, 0, step};
  switch (augment.kind) {
    case AugmentKind::none: return;
    case AugmentKind::fixed:
      for (std::size_t e = 0; e < augment.count * d; ++e) points[e] = given.member(owner)[e];
      return;
    case AugmentKind::pool:
      for (std::size_t i = 0; i < augment.count; ++i) {
        const auto row = static_cast<std::size_t>((std::uint64_t{stream.word(i)} * given.rows()) >> 32U);
        for (std::size_t j = 0; j < d; ++j) points[i * d + j] = given(owner, row, j);
      }
      return;
    case AugmentKind::uniform:
      for (std::size_t e = 0; e < augment.count * d; e += 4) {
        const PhiloxBlock block = stream.block(e / 4);
        for (std::size_t k = 0; k < 4 && e + k < augment.count * d; ++k) {
          const std::size_t j = (e + k) % d;
          const float low = given(owner, 0, j);
          points[e + k] = low + (given(owner, 1, j) - low) * uniform_float(block.word[k]);
        }
      }
      return;
    case AugmentKind::low_discrepancy:
      for (std::size_t j = 0; j < d; ++j) {
        const auto shift = static_cast<double>(stream.uniform(j));
        const double alpha = recurrence_step(j, d);
        const float low = given(owner, 0, j);
        for (std::size_t i = 0; i < augment.count; ++i) {
          const double u = shift + alpha * static_cast<double>(i + 1);
          points[i * d + j] = low + (given(owner, 1, j) - low) * static_cast<float>(u - std::floor(u));
        }
      }
      return;
  }
}

/// Which units of a layer a step keeps: unit `e` of [rows][units] is kept where its draw is at least `rate`.
struct DropoutMask {
  PhiloxStream stream;
  float rate;

  [[nodiscard]] NOMU_HD bool keeps(std::uint64_t e) const { return stream.uniform(e) >= rate; }
  [[nodiscard]] NOMU_HD float scale() const { return 1.0F / (1.0F - rate); }
};

inline DropoutMask training_mask(std::uint64_t seed, std::size_t layer, std::uint32_t step, float rate) {
  return {{seed, Purpose::dropout, static_cast<std::uint32_t>(layer), step}, rate};
}

/// A mask of stochastic prediction: independent for every row and pass.
inline DropoutMask prediction_mask(std::uint64_t seed, std::size_t layer, std::uint32_t pass, float rate) {
  return {{seed, Purpose::dropout, prediction_place | static_cast<std::uint32_t>(layer), pass}, rate};
}

/// The rows of a member in the order an epoch visits them.
inline std::vector<std::uint32_t> epoch_order(std::uint64_t seed, std::uint32_t epoch, std::size_t rows) {
  std::vector<std::uint32_t> order(rows);
  std::iota(order.begin(), order.end(), 0U);
  const PhiloxStream stream{seed, Purpose::shuffle, 0, epoch};
  for (std::size_t i = rows; i > 1; --i) {
    const auto pick = static_cast<std::size_t>((std::uint64_t{stream.word(i)} * i) >> 32U);
    std::swap(order[i - 1], order[pick]);
  }
  return order;
}

}  // namespace nomu::engine
