#include "engine/sampling.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/epoch.hpp"

namespace nomu::engine {
namespace {

Augment box(AugmentKind kind, std::size_t count, std::size_t d) {
  Augment augment{.kind = kind, .count = count, .box = Tensor<float>(1, 2, d, 2.0F), .points = {}};
  for (float& low : augment.box.row(0, 0)) low = -1.0F;
  return augment;
}

TEST(Augmentation, UniformPointsFillTheBoxAndChangeWithEveryStep) {
  const Augment augment = box(AugmentKind::uniform, 3000, 2);
  std::vector<float> first(6000);
  std::vector<float> second(6000);
  draw_augmented(augment, 0, 7, 0, 2, first.data());
  draw_augmented(augment, 0, 7, 1, 2, second.data());
  EXPECT_NE(first, second);
  double mean = 0.0;
  for (const float value : first) {
    ASSERT_TRUE(value >= -1.0F && value < 2.0F);
    mean += static_cast<double>(value) / 6000.0;
  }
  EXPECT_NEAR(mean, 0.5, 0.05);
}

TEST(Augmentation, LowDiscrepancyPointsAreSpreadMoreEvenly) {
  // The largest gap between neighbours on a line of 100 points: evenly spread ones leave little room.
  const auto largest_gap = [](AugmentKind kind) {
    std::vector<float> points(100);
    draw_augmented(box(kind, 100, 1), 0, 7, 3, 1, points.data());
    std::sort(points.begin(), points.end());
    float gap = 0.0F;
    for (std::size_t i = 1; i < points.size(); ++i) gap = std::max(gap, points[i] - points[i - 1]);
    return gap;
  };
  EXPECT_LT(largest_gap(AugmentKind::low_discrepancy), 0.08F);
  EXPECT_GT(largest_gap(AugmentKind::uniform), 0.09F);
}

TEST(Augmentation, APoolGivesOnlyItsOwnPoints) {
  Augment augment{.kind = AugmentKind::pool, .count = 50, .box = {}, .points = Tensor<float>(1, 3, 1)};
  for (std::size_t i = 0; i < 3; ++i) augment.points(0, i, 0) = static_cast<float>(i);
  std::vector<float> points(50);
  draw_augmented(augment, 0, 7, 0, 1, points.data());
  for (const float expected : {0.0F, 1.0F, 2.0F}) EXPECT_GT(std::count(points.begin(), points.end(), expected), 5);
}

TEST(Dropout, KeepsTheRightShare) {
  const DropoutMask mask = training_mask(3, 1, 2, 0.3F);
  int kept = 0;
  for (std::uint64_t e = 0; e < 20000; ++e) kept += mask.keeps(e) ? 1 : 0;
  EXPECT_NEAR(kept, 14000, 300);
  EXPECT_FLOAT_EQ(mask.scale(), 1.0F / 0.7F);
}

TEST(Batches, CoverEveryRowOnce) {
  std::vector<std::uint32_t> order = epoch_order(5, 0, 37);
  EXPECT_NE(order, epoch_order(5, 1, 37));
  std::sort(order.begin(), order.end());
  for (std::uint32_t i = 0; i < 37; ++i) EXPECT_EQ(order[i], i);
}

TEST(Batches, AreCutAsAsked) {
  TrainSpec spec;
  EXPECT_TRUE(Batches(spec, 37).full());
  spec.batch_size = 10;
  EXPECT_EQ(Batches(spec, 37).count, 4U);
  spec.drop_remainder = true;
  EXPECT_EQ(Batches(spec, 37).count, 3U);
  EXPECT_TRUE(Batches(spec, 8).full()) << "fewer rows than a batch are one batch, not none";
}

TEST(Schedule, CosineFallsFromTheBaseToItsFinalShare) {
  TrainSpec spec;
  spec.schedule = Schedule::cosine;
  spec.final_rate = 0.1;
  EXPECT_DOUBLE_EQ(scheduled_rate(spec, 2.0, 0, 101), 2.0);
  EXPECT_NEAR(scheduled_rate(spec, 2.0, 50, 101), 1.1, 1e-12);
  EXPECT_NEAR(scheduled_rate(spec, 2.0, 100, 101), 0.2, 1e-12);
}

}  // namespace
}  // namespace nomu::engine
