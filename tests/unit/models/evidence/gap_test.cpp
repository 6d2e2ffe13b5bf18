// Bounds of a default fit in a gap of the data whose truth is known. benchmarks/curves has more such curves.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "nomu/core/random.hpp"
#include "nomu/models/request.hpp"

namespace nomu {
namespace {

double truth(double x) { return std::cos(5.0 * x); }

/// No rows between 0 and 0.4.
DataSet curve_with_gap(double noise, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> x;
  std::vector<double> y;
  while (x.size() < 240) {
    const double at = random.uniform(-1.0, 1.0);
    if (at > 0.0 && at < 0.4) continue;
    x.push_back(at);
    y.push_back(truth(at) + noise * random.normal());
  }
  return make_dataset(x, 1, y);
}

/// Share of the gap in which the 90 % bounds contain the curve.
double share_inside(const Model& model) {
  std::vector<double> gap;
  for (int k = 0; k <= 38; ++k) gap.push_back(0.01 + 0.01 * k);
  const Bounds bounds = model.bounds(gap, 0.9);
  double inside = 0.0;
  for (std::size_t k = 0; k < gap.size(); ++k)
    inside += bounds.lower[k] <= truth(gap[k]) && truth(gap[k]) <= bounds.upper[k] ? 1.0 : 0.0;
  return inside / static_cast<double>(gap.size());
}

/// Half widths of the bounds left of the gap, in its middle and right of it.
std::vector<double> half_widths(const Model& model) {
  const std::vector<double> places{-0.5, 0.2, 0.7};
  const Bounds bounds = model.bounds(places, 0.9);
  std::vector<double> half;
  for (std::size_t k = 0; k < places.size(); ++k) half.push_back(0.5 * (bounds.upper[k] - bounds.lower[k]));
  return half;
}

TEST(Gap, BoundsContainTheCurveAndAreWiderThanAtTheData) {
  const Model model = fit({.level = 0.9}, curve_with_gap(0.1, 4));
  EXPECT_EQ(share_inside(model), 1.0);
  const std::vector<double> half = half_widths(model);
  EXPECT_GT(half[1], 2.0 * half[0]);
  EXPECT_GT(half[1], 2.0 * half[2]);
}

// With little noise, single rows at the edge of the gap that are predicted well used to leave hardly any sigma in it.
TEST(Gap, LittleNoiseLeavesSigmaInTheGap) {
  double inside = 0.0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const Model model = fit({.level = 0.9}, curve_with_gap(0.02, seed));
    const double share = share_inside(model);
    EXPECT_GE(share, 0.6) << "draw " << seed;
    inside += share / 6.0;
    const std::vector<double> half = half_widths(model);
    EXPECT_GT(half[1], 4.0 * half[0]) << "draw " << seed;
    EXPECT_GT(half[1], 4.0 * half[2]) << "draw " << seed;
  }
  EXPECT_GE(inside, 0.9);
}

// Such a target is learned on another scale, on which the same sigma means much more where targets are large: the
// upper bound of the second row was 39 times the largest target.
TEST(Gap, BoundsOfSkewedTargetsStayInProportionFarFromTheData) {
  Random random(4);
  std::vector<double> x;
  std::vector<double> y;
  for (int i = 0; i < 300; ++i) {
    x.push_back(random.normal());
    x.push_back(random.normal());
    y.push_back(std::exp(1.2 * x[x.size() - 2] + 0.5 * random.normal()));
  }
  const Model model = fit({.level = 0.9}, make_dataset(x, 2, y));
  const Bounds bounds = model.bounds(std::vector<double>{2.0, 0.0, 2.0, 6.0}, 0.9);
  EXPECT_GT(bounds.upper[1] - bounds.lower[1], 1.2 * (bounds.upper[0] - bounds.lower[0]));
  EXPECT_LT(bounds.upper[1], 10.0 * std::ranges::max(y));
}

}  // namespace
}  // namespace nomu
