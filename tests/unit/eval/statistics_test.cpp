#include "nomu/eval/statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "eval/bootstrap.hpp"
#include "message_of.hpp"
#include "nomu/core/random.hpp"

namespace nomu {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Values = std::vector<double>;

Values normals(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  Values values(count);
  for (double& value : values) value = random.normal();
  return values;
}

TEST(Statistics, CentresByHand) {
  EXPECT_EQ(mean(Values{1, 2, 6}), 3.0);
  EXPECT_EQ(median(Values{6, 1, 2}), 2.0);
  EXPECT_EQ(median(Values{6, 1, 2, 4}), 3.0);
  EXPECT_NEAR(standard_deviation(Values{1, 2, 6}), std::sqrt(7.0), 1e-15);
  EXPECT_NEAR(standard_error(Values{1, 2, 6}), std::sqrt(7.0 / 3.0), 1e-15);
  EXPECT_EQ(standard_error(Values{5}), 0.0);
}

TEST(Statistics, QuantilesInterpolateLikeTypeSeven) {
  const Values values = {4, 1, 3, 2};
  EXPECT_EQ(quantile(values, 0.0), 1.0);
  EXPECT_EQ(quantile(values, 1.0), 4.0);
  EXPECT_NEAR(quantile(values, 0.25), 1.75, 1e-15);  // R: quantile(1:4, 0.25)
  EXPECT_NEAR(quantile(values, 0.9), 3.7, 1e-15);
  EXPECT_EQ(quantile(Values{7}, 0.3), 7.0);
  const Values many = normals(101, 1);
  Values sorted = many;
  std::ranges::sort(sorted);
  for (std::size_t i = 0; i <= 100; ++i) EXPECT_NEAR(quantile(many, static_cast<double>(i) / 100), sorted[i], 1e-12);
}

TEST(Statistics, NormalInterval) {
  const Values values = normals(200, 2);
  const Interval interval = normal_interval(values);
  EXPECT_NEAR(0.5 * (interval.lower + interval.upper), mean(values), 1e-12);
  EXPECT_NEAR(interval.upper - mean(values), 1.959963984540054 * standard_error(values), 1e-12);
}

TEST(Statistics, BootstrapIsDeterministicAndNearTheory) {
  const Values values = normals(400, 3);
  EXPECT_EQ(bootstrap_median_interval(values), bootstrap_median_interval(values));
  EXPECT_NE(bootstrap_median_interval(values), bootstrap_median_interval(values, {.seed = 1}));
  // The exact distribution of the resampled median of an odd sample lies on its order statistics.
  const Interval small = bootstrap_median_interval(Values{1, 2, 3}, {.level = 0.99});
  EXPECT_EQ(small, (Interval{1, 3}));
  EXPECT_EQ(bootstrap_median_interval(Values{5, 5, 5}), (Interval{5, 5}));
}

TEST(Statistics, BootstrapIntervalsOfTheMedianCoverIt) {
  int covered = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Interval interval = bootstrap_median_interval(normals(80, 1000 + seed), {.resamples = 300, .seed = seed});
    if (interval.lower <= 0.0 && 0.0 <= interval.upper) ++covered;
  }
  EXPECT_NEAR(covered / 300.0, 0.95, 0.04);
}

TEST(Statistics, RanksShareTies) { EXPECT_THAT(ranks_of(Values{10, 30, 20, 30, 30}), ElementsAre(1, 4, 2, 4, 4)); }

TEST(Statistics, SpearmanByHand) {
  EXPECT_NEAR(spearman(Values{1, 2, 3, 4}, Values{10, 20, 30, 1e9}), 1.0, 1e-15);
  EXPECT_NEAR(spearman(Values{1, 2, 3, 4}, Values{4, 3, 2, 1}), -1.0, 1e-15);
  // Without ties 1 - 6 sum d^2 / (n (n^2 - 1)): d = 0, -1, 1, 0.
  EXPECT_NEAR(spearman(Values{1, 2, 3, 4}, Values{1, 3, 2, 4}), 0.8, 1e-15);
  // Ranks 1.5 1.5 3 against 1 2 3.
  EXPECT_NEAR(spearman(Values{5, 5, 6}, Values{1, 2, 3}), 1.5 / std::sqrt(1.5 * 2.0), 1e-15);
  EXPECT_NEAR(spearman(normals(20000, 4), normals(20000, 5)), 0.0, 0.03);
}

/// Beta-binomial probabilities straight from gamma functions.
double beta_binomial_cdf(std::size_t count, std::size_t trials, double a, double b) {
  const auto log_beta = [](double x, double y) { return std::lgamma(x) + std::lgamma(y) - std::lgamma(x + y); };
  const auto m = static_cast<double>(trials);
  double sum = 0.0;
  for (std::size_t i = 0; i <= count; ++i) {
    const auto j = static_cast<double>(i);
    sum += std::exp(std::lgamma(m + 1) - std::lgamma(j + 1) - std::lgamma(m - j + 1) + log_beta(a + j, b + m - j) -
                    log_beta(a, b));
  }
  return sum;
}

TEST(Statistics, ConformalCoverageIntervalHasItsProbability) {
  for (const std::size_t n : {9U, 19U, 100U, 411U, 5000U}) {
    for (const std::size_t m : {1U, 17U, 100U, 1030U}) {
      for (const double confidence : {0.9, 0.95, 0.999}) {
        const Interval interval = conformal_coverage_interval(n, m, 0.9, confidence);
        const auto low = static_cast<std::size_t>(std::lround(interval.lower * static_cast<double>(m)));
        const auto high = static_cast<std::size_t>(std::lround(interval.upper * static_cast<double>(m)));
        const double a = std::ceil(static_cast<double>(n + 1) * 0.9 - 1e-9);
        const double b = static_cast<double>(n + 1) - a;
        const double tail = 0.5 * (1.0 - confidence) + 1e-9;
        // What is cut off fits into the tails, and one count more would not.
        EXPECT_LE(low == 0 ? 0.0 : beta_binomial_cdf(low - 1, m, a, b), tail) << n << ' ' << m;
        EXPECT_GE(beta_binomial_cdf(low, m, a, b), tail - 2e-9) << n << ' ' << m;
        EXPECT_LE(1.0 - beta_binomial_cdf(high, m, a, b), tail) << n << ' ' << m;
        EXPECT_GE(high == 0 ? 1.0 : 1.0 - beta_binomial_cdf(high - 1, m, a, b), tail - 2e-9) << n << ' ' << m;
      }
    }
  }
  const Interval usual = conformal_coverage_interval(100, 50, 0.9);
  EXPECT_LT(usual.lower, 0.9);
  EXPECT_GT(usual.upper, 0.9);
}

TEST(Statistics, RefusesWhatCannotBeSummarised) {
  EXPECT_EQ(message_of([] { return mean({}); }), "[eval/statistics] no rows: the value is empty");
  EXPECT_THAT(message_of([] {
                return median(Values{1, std::nan("")});
              }),
              HasSubstr("the value of row 1 (counted from 0) is nan; it must be finite"));
  EXPECT_EQ(message_of<ConfigError>([] { return quantile(Values{1}, 1.1); }),
            "[eval/statistics] p must be in [0, 1], got 1.1");
  EXPECT_THAT(message_of<ConfigError>([] { return normal_interval(Values{1}, 1.0); }),
              HasSubstr("level must be in (0, 1), got 1"));
  EXPECT_THAT(message_of<ConfigError>([] { return bootstrap_median_interval(Values{1}, {.resamples = 0}); }),
              HasSubstr("at least one resample is needed, got 0"));
  EXPECT_THAT(message_of<ConfigError>([] { return bootstrap_median_interval(Values{1}, {.level = 0.0}); }),
              HasSubstr("level must be in (0, 1), got 0"));
  EXPECT_THAT(message_of([] {
                return spearman(Values{1, 2}, Values{1});
              }),
              HasSubstr("2 and 1 values cannot be paired"));
  EXPECT_THAT(message_of([] { return spearman(Values{1}, Values{1}); }), HasSubstr("at least 2 pairs, got 1"));
  EXPECT_THAT(message_of([] {
                return spearman(Values{1, 1}, Values{1, 2});
              }),
              HasSubstr("a constant has no correlation"));
  EXPECT_THAT(message_of<ConfigError>([] { return conformal_coverage_interval(100, 10, 0.9, 1.0); }),
              HasSubstr("confidence must be in (0, 1), got 1"));
  EXPECT_THAT(message_of<ConfigError>([] { return conformal_coverage_interval(100, 0, 0.9); }),
              HasSubstr("at least one test row, got 0"));
  EXPECT_THAT(message_of<ConfigError>([] { return conformal_coverage_interval(8, 10, 0.9); }),
              HasSubstr("level 0.9 needs at least 9 calibration rows, but there are 8"));
}

}  // namespace
}  // namespace nomu
