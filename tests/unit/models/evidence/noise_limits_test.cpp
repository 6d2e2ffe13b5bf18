#include "models/evidence/noise_limits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "nomu/core/random.hpp"

namespace nomu {
namespace {

Units each_row(std::size_t rows) {
  Units units{.of_row = {}, .count = rows};
  for (std::size_t i = 0; i < rows; ++i) units.of_row.push_back(i);
  return units;
}

/// Standard deviations from 0.5 to 1.5, and errors that follow them or not.
struct Rows {
  std::vector<double> sigma, errors;
};

Rows rows_of(std::size_t count, bool follow, double scale = 1.0) {
  Random random(5);
  Rows rows;
  for (std::size_t i = 0; i < count; ++i) {
    rows.sigma.push_back(0.5 + random.uniform());
    rows.errors.push_back(scale * random.normal() * (follow ? rows.sigma.back() : 1.0));
  }
  return rows;
}

TEST(NoiseLimits, ErrorsThatFollowTheNoiseLetItDiffer) {
  const Rows rows = rows_of(400, true, 3.0);
  const NoiseLimits limits = choose_limits(rows.sigma, rows.errors, each_row(400));
  EXPECT_NEAR(limits.factor, 3.0, 0.3);
  EXPECT_GT(limits.high / limits.low, 2.0);
  EXPECT_NEAR(limits.applied(1.0), 3.0, 0.3);
}

TEST(NoiseLimits, ErrorsThatDoNotMakeItTheSameEverywhere) {
  const Rows rows = rows_of(400, false);
  const NoiseLimits limits = choose_limits(rows.sigma, rows.errors, each_row(400));
  EXPECT_DOUBLE_EQ(limits.low, limits.high);
  EXPECT_NEAR(limits.low, 1.0, 0.1);
}

TEST(NoiseLimits, RowsOfOneGroupCountOnce) {
  // Errors follow the noise within one group of 300 rows, against it in three groups of 30.
  Rows rows = rows_of(300, true);
  Units units{.of_row = std::vector<std::size_t>(300, 0), .count = 4};
  Random random(6);
  for (std::size_t i = 0; i < 90; ++i) {
    rows.sigma.push_back(0.5 + random.uniform());
    rows.errors.push_back(random.normal() / rows.sigma.back());
    units.of_row.push_back(1 + i / 30);
  }
  EXPECT_GT(choose_limits(rows.sigma, rows.errors, each_row(390)).high, 1.0);
  const NoiseLimits limits = choose_limits(rows.sigma, rows.errors, units);
  EXPECT_DOUBLE_EQ(limits.low, limits.high);
}

TEST(NoiseLimits, PartsAreGroupsOrStretchesOfTimeOrDistinctRows) {
  DataSet data = make_dataset(std::vector<double>{1, 1, 2, 3}, 1, std::vector<double>{1, 2, 3, 4});
  EXPECT_EQ(independent_parts(data).count, 3U);
  data.times = {4, 3, 2, 1};
  EXPECT_THAT(independent_parts(data).of_row, testing::ElementsAre(3, 2, 1, 0));
  data.groups = {"a", "b", "a", "b"};
  EXPECT_EQ(independent_parts(data).count, 2U);
}

}  // namespace
}  // namespace nomu
