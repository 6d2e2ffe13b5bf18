// How sigma begins and rises between the data and artificial points.

#include "models/evidence/sigma_shape.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "nomu/core/random.hpp"

namespace nomu {
namespace {

constexpr double far = 1.5;

/// Rows up to `reach` from the data, with errors of the deviation that `sigma` gives them.
template <class F>
JudgedRows rows_of(double reach, const F& sigma) {
  Random random(3);
  JudgedRows rows;
  for (std::size_t i = 0; i < 2000; ++i) {
    rows.distance.push_back(reach * random.uniform());
    rows.noise.push_back(0.02);
    rows.errors.push_back(sigma(rows.distance.back()) * random.normal());
  }
  return rows;
}

TEST(SigmaShape, ErrorsThatRiseFromTheDataOnLetSigmaDoSo) {
  const JudgedRows rows = rows_of(0.5, [](double d) { return std::hypot(far * d, 0.02); });
  const SigmaShape shape = choose_shape(rows, {}, far, 2);
  EXPECT_EQ(shape.start, 0.0);
  EXPECT_EQ(shape.power, 1.0);
  EXPECT_EQ(shape.far, far);
}

TEST(SigmaShape, LittleNoiseAmongTheDataLeavesSigmaInGaps) {
  // Errors are the same up to 0.35, and nothing is known beyond: sigma must not be in the way there, but a slow rise
  // would also leave hardly any in gaps.
  const JudgedRows rows = rows_of(0.35, [](double) { return 0.02; });
  const SigmaShape shape = choose_shape(rows, {}, far, 2);
  EXPECT_EQ(shape.power, 1.0);
  EXPECT_LT(shape.sigma(0.25), 0.05);
  EXPECT_GT(shape.sigma(0.6), 0.3) << "the sixth power would give 0.07";
  EXPECT_DOUBLE_EQ(shape.sigma(1.0), far);
}

TEST(SigmaShape, RowsFarAwayThatArePredictedWellMakeItSmall) {
  const JudgedRows rows = rows_of(1.2, [](double) { return 0.02; });
  const SigmaShape shape = choose_shape(rows, {}, far, 2);
  EXPECT_LE(shape.far, 0.01 * far);
  EXPECT_GT(shape.sigma(1.2), shape.sigma(0.9)) << "but it still grows";
}

TEST(SigmaShape, ErrorsInMadeGapsKeepItLargeWhereAFewRowsSpeakAgainstIt) {
  // One row in a hundred is as far away as a gap, and well predicted because it lies just outside the data.
  JudgedRows rows = rows_of(0.2, [](double) { return 0.1; });
  std::ranges::fill(rows.noise, 0.1);
  for (std::size_t i = 0; i < rows.distance.size(); i += 100) rows.distance[i] = 1.0;
  EXPECT_LT(choose_shape(rows, {}, far, 2).sigma(1.0), 0.2 * far);
  JudgedRows gap{.errors = std::vector(40, 0.25), .noise = std::vector(40, 0.1), .distance = {}};
  for (std::size_t i = 0; i < gap.errors.size(); ++i) gap.distance.push_back(0.8 + 0.01 * static_cast<double>(i));
  EXPECT_GT(choose_shape(rows, std::vector{gap}, far, 2).sigma(1.0), 2.0 * choose_shape(rows, {}, far, 2).sigma(1.0));
  gap.errors.assign(40, 0.1);
  EXPECT_EQ(choose_shape(rows, std::vector{gap}, far, 2).far, choose_shape(rows, {}, far, 2).far)
      << "errors no larger than the noise ask for nothing";
}

}  // namespace
}  // namespace nomu
