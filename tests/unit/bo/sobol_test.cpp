#include "bo/space/sobol.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "message_of.hpp"
#include "nomu/bo/space.hpp"

namespace nomu {
namespace {

/// The unshifted points of the sequence in [0,1), [count][dimension].
std::vector<double> unshifted(std::size_t dimension, std::size_t count) {
  std::vector<double> points;
  for (const std::uint32_t bits : published_sobol(dimension, count)) points.push_back(bits / 4294967296.0);
  return points;
}

TEST(Sobol, BeginsWithTheKnownPoints) {
  // As printed by Joe and Kuo's own program for their table new-joe-kuo-6.
  EXPECT_EQ(unshifted(1, 8), (std::vector<double>{0, 0.5, 0.75, 0.25, 0.375, 0.875, 0.625, 0.125}));
  EXPECT_EQ(unshifted(2, 8), (std::vector<double>{0, 0, 0.5, 0.5, 0.75, 0.25, 0.25, 0.75, 0.375, 0.375, 0.875, 0.875,
                                                  0.625, 0.125, 0.125, 0.625}));
  EXPECT_EQ(unshifted(3, 6), (std::vector<double>{0, 0, 0, 0.5, 0.5, 0.5, 0.75, 0.25, 0.25, 0.25, 0.75, 0.75, 0.375,
                                                  0.375, 0.625, 0.875, 0.875, 0.125}));
}

TEST(Sobol, UsesTheDirectionNumbersOfJoeAndKuo) {
  // Rows d = 2 to 8 of the table: m_1, m_2, ... as far as they are given. Point 2^k of the sequence in Gray's order is
  // v_k xor v_(k+1), where v_k = m_k / 2^k.
  const std::vector<std::vector<std::uint32_t>> table{{1},          {1, 3},        {1, 3, 1},       {1, 1, 1},
                                                      {1, 1, 3, 3}, {1, 3, 5, 13}, {1, 1, 5, 5, 17}};
  const std::size_t dimension = table.size() + 1;
  const std::vector<std::uint32_t> points = published_sobol(dimension, 32);
  for (std::size_t d = 0; d < table.size(); ++d) {
    std::uint32_t previous = 0;
    for (std::size_t k = 0; k < table[d].size(); ++k) {
      const std::uint32_t direction = table[d][k] << (31 - k);
      EXPECT_EQ(points[(std::size_t{1} << k) * dimension + d + 1], direction ^ previous) << "dimension " << d + 2;
      previous = direction;
    }
  }
}

TEST(Sobol, EveryCellOfAGridHoldsOnePoint) {
  for (const SobolNumbers numbers : {SobolNumbers::published, SobolNumbers::drawn}) {
    const std::vector<double> points = sobol_points(2, 256, 9, numbers);
    std::vector<int> cells(256, 0);
    for (std::size_t i = 0; i < 256; ++i) {
      ++cells[static_cast<std::size_t>(points[2 * i] * 16.0) * 16 + static_cast<std::size_t>(points[2 * i + 1] * 16.0)];
    }
    EXPECT_EQ(cells, std::vector<int>(256, 1));
  }
}

/// Warnock's formula for the L2 star discrepancy.
double discrepancy(const std::vector<double>& points, std::size_t d) {
  const std::size_t n = points.size() / d;
  const auto count = static_cast<double>(n);
  double single = 0.0;
  double pairs = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    double product = 1.0;
    for (std::size_t j = 0; j < d; ++j) product *= (1.0 - points[i * d + j] * points[i * d + j]) / 2.0;
    single += product;
    for (std::size_t k = 0; k < n; ++k) {
      double both = 1.0;
      for (std::size_t j = 0; j < d; ++j) both *= 1.0 - std::max(points[i * d + j], points[k * d + j]);
      pairs += both;
    }
  }
  return std::sqrt(std::pow(3.0, -static_cast<double>(d)) - 2.0 * single / count + pairs / (count * count));
}

TEST(Sobol, HasALowerDiscrepancyThanRandomPoints) {
  std::mt19937 generator(1);
  std::uniform_real_distribution<double> uniform;
  for (const std::size_t d : {2U, 5U, 10U}) {
    double random = 0.0;
    double sobol = 0.0;
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      std::vector<double> points(256 * d);
      for (double& x : points) x = uniform(generator);
      random += discrepancy(points, d) / 5.0;
      sobol += discrepancy(sobol_points(d, 256, seed), d) / 5.0;
    }
    EXPECT_LT(sobol, (d < 10 ? 0.5 : 0.9) * random) << "dimension " << d;
  }
}

TEST(Sobol, TooManyVariablesAreRefused) {
  EXPECT_EQ(sobol_points(3667, 2, 1).size(), 7334U);
  EXPECT_THAT(message_of<ConfigError>([] { return sobol_points(3668, 2, 1); }),
              testing::HasSubstr("up to 3667 variables, the space has 3668"));
}

}  // namespace
}  // namespace nomu
