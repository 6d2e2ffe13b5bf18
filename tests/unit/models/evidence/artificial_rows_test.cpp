#include "models/evidence/rows/artificial_rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "nomu/core/random.hpp"

namespace nomu {
namespace {

/// Columns: three names (two inputs of their own and one for others), a number in [-1, 1] with an indicator of missing
/// cells, and a boolean.
DataSet mixed_columns(std::size_t rows) {
  Random random(6);
  std::vector<double> inputs;
  std::vector<double> targets;
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t name = random.below(3);
    for (std::size_t k = 0; k < 3; ++k) inputs.push_back(k == name ? 1.0 : 0.0);
    inputs.insert(inputs.end(), {random.uniform(-1.0, 1.0), static_cast<double>(random.below(2)),
                                 static_cast<double>(random.below(2))});
    targets.push_back(random.normal());
  }
  DataSet data = make_dataset(inputs, 6, targets);
  data.features = {{.name = "site", .levels = {"north", "south"}, .kind = ColumnKind::names, .unknown = true},
                   {.name = "size", .missing = true},
                   {.name = "new", .kind = ColumnKind::boolean}};
  return data;
}

TEST(ArtificialRows, AreRowsThatCouldExist) {
  const DataSet data = mixed_columns(80);
  ASSERT_EQ(input_blocks(data).size(), 4U);
  const Tensor<float> points = artificial_rows(data, 500, 3);
  ASSERT_EQ(points.rows(), 500U);
  ASSERT_EQ(points.cols(), 6U);
  std::vector<double> seen(6, 0.0);
  for (std::size_t k = 0; k < 500; ++k) {
    const std::span<const float> point = points.row(0, k);
    EXPECT_EQ(std::ranges::count(point.first(3), 1.0F), 1) << "one name";
    EXPECT_EQ(std::ranges::count(point.first(3), 0.0F), 2);
    EXPECT_GE(point[3], -1.2F);
    EXPECT_LE(point[3], 1.2F);
    for (const std::size_t j : {4U, 5U}) EXPECT_TRUE(point[j] == 0.0F || point[j] == 1.0F);
    for (std::size_t j = 0; j < 6; ++j) seen[j] += static_cast<double>(point[j]);
  }
  for (const std::size_t j : {0U, 1U, 2U, 4U, 5U}) {
    EXPECT_GT(seen[j], 50.0) << "every name and both sides of an indicator occur, input " << j;
    EXPECT_LT(seen[j], 450.0);
  }
}

TEST(ArtificialRows, ReachALittleBeyondTheData) {
  const DataSet data = mixed_columns(80);
  const Tensor<float> points = artificial_rows(data, 2000, 3);
  std::size_t beyond = 0;
  for (std::size_t k = 0; k < 2000; ++k) beyond += std::abs(points(0, k, 3)) > 1.0F ? 1U : 0U;
  EXPECT_GT(beyond, 20U);
  EXPECT_LT(beyond, 500U);
}

TEST(ArtificialRows, DependOnTheSeedAlone) {
  const DataSet data = mixed_columns(40);
  EXPECT_EQ(artificial_rows(data, 50, 3), artificial_rows(data, 50, 3));
  EXPECT_NE(artificial_rows(data, 50, 3), artificial_rows(data, 50, 4));
}

}  // namespace
}  // namespace nomu
