// How sigma begins and rises between the data and artificial points.

#include <gtest/gtest.h>

#include <cmath>

#include "models/evidence/sigma_stage.hpp"
#include "nomu/core/random.hpp"

namespace nomu {
namespace {

constexpr double far = 1.5;

struct Rows {
  std::vector<double> errors, noise, distance;
};

/// Rows up to `reach` from the data, with errors of the deviation that `sigma` gives them.
template <class F>
Rows rows_of(double reach, const F& sigma) {
  Random random(3);
  Rows rows;
  for (std::size_t i = 0; i < 2000; ++i) {
    rows.distance.push_back(reach * random.uniform());
    rows.noise.push_back(0.02);
    rows.errors.push_back(sigma(rows.distance.back()) * random.normal());
  }
  return rows;
}

TEST(SigmaShape, ErrorsThatRiseFromTheDataOnLetSigmaDoSo) {
  const Rows rows = rows_of(0.5, [](double d) { return std::hypot(far * d, 0.02); });
  const SigmaShape shape = choose_shape(rows.errors, rows.noise, rows.distance, far, 2);
  EXPECT_EQ(shape.start, 0.0);
  EXPECT_EQ(shape.power, 1.0);
  EXPECT_EQ(shape.far, far);
}

TEST(SigmaShape, LittleNoiseAmongTheDataLeavesSigmaInGaps) {
  // Errors are the same up to 0.35, and nothing is known beyond: sigma must not be in the way there, but a slow rise
  // would also leave hardly any in gaps.
  const Rows rows = rows_of(0.35, [](double) { return 0.02; });
  const SigmaShape shape = choose_shape(rows.errors, rows.noise, rows.distance, far, 2);
  EXPECT_EQ(shape.power, 1.0);
  EXPECT_LT(shape.sigma(0.25), 0.05);
  EXPECT_GT(shape.sigma(0.6), 0.3) << "the sixth power would give 0.07";
  EXPECT_DOUBLE_EQ(shape.sigma(1.0), far);
}

TEST(SigmaShape, RowsFarAwayThatArePredictedWellMakeItSmall) {
  const Rows rows = rows_of(1.2, [](double) { return 0.02; });
  const SigmaShape shape = choose_shape(rows.errors, rows.noise, rows.distance, far, 2);
  EXPECT_LT(shape.far, 0.01 * far);
  EXPECT_GT(shape.sigma(1.2), shape.sigma(0.9)) << "but it still grows";
}

}  // namespace
}  // namespace nomu
