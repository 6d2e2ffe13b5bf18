// Appendix A of the paper in numbers: the pointwise worst-case bound is the solution of one optimisation problem where
// the class of functions is upwards directed, and what that problem gives where it is not.

#include "paper/figures/worst_case.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "nomu/core/random.hpp"
#include "nomu/eval/statistics.hpp"
#include "nomu/models/method.hpp"
#include "unit/models/small_problems.hpp"

namespace nomu {
namespace {

/// Functions on a grid through some data that change by at most `most` from one point to the next. The largest of two
/// of them is one of them again: the class is upwards directed.
struct LipschitzClass {
  double most = 0.03;  // a slope of 3 on 201 points from -1 to 1
  std::vector<std::size_t> at{10, 80, 95, 170};
  std::vector<double> y{-0.2, 0.5, 0.3, 0.9};
  static constexpr std::size_t size = 201;

  /// Straight lines between the data: the prediction.
  [[nodiscard]] std::vector<double> mean() const {
    std::vector<double> f(size, y.front());
    for (std::size_t i = at.front(); i < size; ++i) {
      const auto next = static_cast<std::size_t>(std::ranges::upper_bound(at, i) - at.begin());
      if (next == at.size()) {
        f[i] = y.back();
        continue;
      }
      const double share = static_cast<double>(i - at[next - 1]) / static_cast<double>(at[next] - at[next - 1]);
      f[i] = std::lerp(y[next - 1], y[next], share);
    }
    return f;
  }

  /// sup f(x) over the class, from the definition.
  [[nodiscard]] std::vector<double> pointwise() const {
    std::vector<double> bound(size, 1e300);
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t k = 0; k < at.size(); ++k)
        bound[i] = std::min(bound[i], y[k] + most * std::abs(static_cast<double>(i) - static_cast<double>(at[k])));
    }
    return bound;
  }

  /// What the slope leaves free at point i.
  [[nodiscard]] std::pair<double, double> range(const std::vector<double>& f, std::size_t i) const {
    double low = -1e300;
    double high = 1e300;
    for (const std::size_t other : {i - 1, i + 1}) {  // i - 1 wraps for i = 0
      if (other >= size) continue;
      low = std::max(low, f[other] - most);
      high = std::min(high, f[other] + most);
    }
    return {low, high};
  }

  [[nodiscard]] bool fixed(std::size_t i) const { return std::ranges::find(at, i) != at.end(); }
};

double integral(const Gain& u, const std::vector<double>& f, const std::vector<double>& mean) {
  double sum = 0.0;
  for (std::size_t i = 0; i < f.size(); ++i) sum += u.value(f[i] - mean[i]);
  return sum / static_cast<double>(f.size());
}

/// The place in [low, high] where u(z - mean) is largest, found without using that u increases.
double best_place(const Gain& u, double mean, double low, double high) {
  for (int i = 0; i < 60; ++i) {
    const double left = low + (high - low) / 3.0;
    const double right = high - (high - low) / 3.0;
    const bool rises = u.value(left - mean) < u.value(right - mean);
    (rises ? low : high) = rises ? left : right;
  }
  return high;
}

Gain arctan_gain() {
  return {.value = [](double z) { return std::atan(z); }, .slope = {}, .curvature = {}};
}

TEST(WorstCase, OneProblemGivesThePointwiseBoundsOfADirectedClass) {
  const LipschitzClass all;
  const std::vector<double> mean = all.mean();
  const std::vector<double> bound = all.pointwise();
  for (const Gain& u : {identity_gain(), exponential_gain(5.0), arctan_gain()}) {
    // Ascent of the integral one point at a time, from the prediction, within the class.
    std::vector<double> h = mean;
    for (int sweep = 0; sweep < 300; ++sweep) {
      for (std::size_t i = 0; i < h.size(); ++i) {
        if (all.fixed(i)) continue;
        const auto [low, high] = all.range(h, i);
        h[i] = best_place(u, mean[i], low, high);
      }
    }
    for (std::size_t i = 0; i < h.size(); ++i) ASSERT_NEAR(h[i], bound[i], 1e-6) << i;
    EXPECT_GT(integral(u, bound, mean), integral(u, mean, mean));
  }
}

TEST(WorstCase, NoOtherFunctionOfADirectedClassReachesTheMaximum) {
  const LipschitzClass all;
  const std::vector<double> mean = all.mean();
  const std::vector<double> bound = all.pointwise();
  Random random(3);
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<double> f = mean;
    for (int sweep = 0; sweep < 30; ++sweep) {
      for (std::size_t i = 0; i < f.size(); ++i) {
        if (all.fixed(i)) continue;
        const auto [low, high] = all.range(f, i);
        f[i] = random.uniform(low, high);
      }
    }
    for (std::size_t i = 0; i < f.size(); ++i) ASSERT_LE(f[i], bound[i] + 1e-9);
    for (const Gain& u : {identity_gain(), exponential_gain(5.0), arctan_gain()})
      EXPECT_LT(integral(u, f, mean), integral(u, bound, mean));
  }
}

TEST(WorstCase, PointwiseBoundsOfSmoothFunctionsAreThoseOfABeam) {
  // Held at both ends, a beam that is loaded at one point bends there by a^2 b^2 / (3 (a + b)).
  const SmoothClass all(81, {0, 80});
  const std::vector<double> bound = all.pointwise();
  for (std::size_t i = 1; i < 80; ++i) {
    const double a = all.grid()[i] + 1.0;
    const double b = 1.0 - all.grid()[i];
    EXPECT_NEAR(bound[i], a * b / std::sqrt(6.0), 0.01 * a * b) << i;
  }
}

/// Two close points between two far ones, on 81 points: the example of Appendix A.3.
struct Example {
  std::vector<std::size_t> at{0, 36, 44, 80};
  SmoothClass all{81, at};
  std::vector<double> bound = all.pointwise();

  /// The function that one problem gives, after checking that the class's bound holds for it.
  [[nodiscard]] std::vector<double> found(const Gain& u) const {
    std::vector<double> h = all.maximiser(u, 1e-3);
    const double radius = std::sqrt(all.penalty(h));
    for (std::size_t i = 0; i < h.size(); ++i) EXPECT_LE(h[i], radius * bound[i] + 1e-9) << i;
    // No small change of the function improves on it.
    const auto objective = [&](const std::vector<double>& f) {
      return 2.0 / 80.0 * 81.0 * integral(u, f, std::vector<double>(81)) - 1e-3 * all.penalty(f);
    };
    for (const double change : {-1e-3, 1e-3}) {
      for (std::size_t i = 0; i < h.size(); ++i) {
        if (std::ranges::find(at, i) != at.end()) continue;
        std::vector<double> other = h;
        other[i] += change;
        EXPECT_LT(objective(other), objective(h)) << i;
      }
    }
    return h;
  }
};

TEST(WorstCase, TheIdentityFallsBelowTheMeanBetweenClosePoints) {
  const Example example;
  const std::vector<double> h = example.found(identity_gain());
  EXPECT_LT(h[40], -0.05 * *std::ranges::max_element(h)) << "D1 is broken";
  EXPECT_GT(h[18], 0.0);
}

TEST(WorstCase, TheExponentialStaysAboveTheMeanAndBelowTheBound) {
  const Example example;
  const std::vector<double> h = example.found(exponential_gain(30.0));
  EXPECT_GE(*std::ranges::min_element(h), -1e-9) << "D1";
  for (const std::size_t i : example.at) EXPECT_EQ(h[i], 0.0) << "D2";
  EXPECT_GT(h[18], 3.0 * h[40]) << "D3: the larger gap";
  EXPECT_GT(spearman(h, example.bound), 0.95);
  // The class is not upwards directed: one function does not reach the bound of all.
  const double radius = std::sqrt(example.all.penalty(h));
  EXPECT_LT(h[18], 0.7 * radius * example.bound[18]);
}

TEST(WorstCase, SigmaOfNomuFollowsThePointwiseBound) {
  const Example example;
  NomuSpec spec = small_nomu();
  spec.train.epochs = 2000;
  spec.augment.count = 64;
  std::vector<double> x;
  std::vector<double> y;
  for (const std::size_t i : example.at) {
    x.push_back(example.all.grid()[i]);
    y.push_back(std::sin(2.0 * x.back()));
  }
  const std::vector<std::uint64_t> seeds{1};
  const auto engine = make_engine({.device = "cpu"});
  const auto fitted = fit(spec, repeat(make_dataset(x, 1, y), seeds), *engine);
  Tensor<float> grid(1, 81, 1);
  for (std::size_t i = 0; i < 81; ++i) grid(0, i, 0) = static_cast<float>(example.all.grid()[i]);
  const Tensor<float> raw = fitted->raw_sigma(grid);
  const std::vector<double> sigma(raw.flat().begin(), raw.flat().end());
  EXPECT_GT(spearman(sigma, example.bound), 0.8);
}

}  // namespace
}  // namespace nomu
