// Bounds of a default fit in a gap of the data whose truth is known. benchmarks/curves has more such curves.

#include <gtest/gtest.h>

#include <cmath>

#include "nomu/core/random.hpp"
#include "nomu/models/request.hpp"

namespace nomu {
namespace {

double truth(double x) { return std::cos(5.0 * x); }

/// No rows between 0 and 0.4.
DataSet curve_with_gap() {
  Random random(4);
  std::vector<double> x;
  std::vector<double> y;
  while (x.size() < 240) {
    const double at = random.uniform(-1.0, 1.0);
    if (at > 0.0 && at < 0.4) continue;
    x.push_back(at);
    y.push_back(truth(at) + 0.1 * random.normal());
  }
  return make_dataset(x, 1, y);
}

TEST(Gap, BoundsContainTheCurveAndAreWiderThanAtTheData) {
  const Model model = fit({.level = 0.9}, curve_with_gap());
  std::vector<double> gap;
  for (int k = 0; k <= 38; ++k) gap.push_back(0.01 + 0.01 * k);
  const Bounds bounds = model.bounds(gap, 0.9);
  std::size_t inside = 0;
  for (std::size_t k = 0; k < gap.size(); ++k)
    inside += bounds.lower[k] <= truth(gap[k]) && truth(gap[k]) <= bounds.upper[k] ? 1 : 0;
  EXPECT_EQ(inside, gap.size());
  const std::vector<double> places{-0.5, 0.2, 0.7};
  const Bounds width = model.bounds(places, 0.9);
  const auto half = [&](std::size_t k) { return 0.5 * (width.upper[k] - width.lower[k]); };
  EXPECT_GT(half(1), 2.0 * half(0));
  EXPECT_GT(half(1), 2.0 * half(2));
}

}  // namespace
}  // namespace nomu
