#pragma once
/// Small cohorts, quick settings and the checks that every method has to stand: members apart are members together, and
/// a fitted cohort comes back from its state.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "nomu/data/cohort.hpp"
#include "nomu/models/method.hpp"

namespace nomu {

/// Four points of sin(3 x), once per seed.
inline Cohort line_of_points(const std::vector<std::uint64_t>& seeds) {
  const std::vector<double> x{-0.8, -0.3, 0.1, 0.7};
  std::vector<double> y;
  y.reserve(x.size());
  for (const double value : x) y.push_back(std::sin(3.0 * value));
  return repeat(make_dataset(x, 1, y), seeds);
}

/// The points of `line_of_points`, then one outside and one in a gap, [1][6][1].
inline Tensor<float> line_probes() {
  Tensor<float> probes(1, 6, 1);
  const float places[] = {-0.8F, -0.3F, 0.1F, 0.7F, -1.0F, 0.4F};
  for (std::size_t i = 0; i < 6; ++i) probes(0, i, 0) = places[i];
  return probes;
}

/// The paper's text with networks that learn `line_of_points` in a second.
inline NomuSpec small_nomu() {
  NomuSpec spec = NomuSpec::written(1);
  spec.mean_net.hidden = spec.sigma_net.hidden = {64, 64};
  spec.mean_net.init = spec.sigma_net.init = Init::he;  // small networks need a start of their own size
  spec.mean_net.init_scale = 0.5;
  spec.sigma_net.init_scale = 0.3;
  spec.stable = true;
  spec.train.learning_rate = 1e-2;
  spec.train.epochs = 1000;
  spec.augment.count = 32;
  return spec;
}

/// `auto` with less of everything.
inline NomuSpec quick_spec(Noise noise = Noise::none) {
  NomuSpec spec;
  spec.noise = noise;
  spec.ensemble = 1;
  spec.mean_net.hidden = spec.sigma_net.hidden = {32, 32};
  spec.train.epochs = 600;
  spec.augment.count = 32;
  return spec;
}

/// `count` rows of sin(3 x) on [-0.9, 0.9]; `noise` is added with alternating sign.
inline DataSet sine_rows(std::size_t count, double noise = 0.0) {
  std::vector<double> x;
  std::vector<double> y;
  for (std::size_t i = 0; i < count; ++i) {
    x.push_back(-0.9 + 1.8 * static_cast<double>(i) / static_cast<double>(count - 1));
    y.push_back(std::sin(3.0 * x.back()) + (i % 2 == 0 ? noise : -noise));
  }
  return make_dataset(x, 1, y);
}

inline Tensor<float> points(const std::vector<float>& places) {
  Tensor<float> x(1, places.size(), 1);
  for (std::size_t i = 0; i < places.size(); ++i) x(0, i, 0) = places[i];
  return x;
}

/// A network that a test can train in milliseconds.
inline MlpSpec small_net() { return {.hidden = {24, 24}, .init = Init::he, .init_scale = 0.7}; }

inline void expect_member(const Tensor<float>& together, std::size_t member, const Tensor<float>& alone) {
  if (together.empty()) {
    EXPECT_TRUE(alone.empty());
    return;
  }
  ASSERT_EQ(together.member(member).size(), alone.size());
  for (std::size_t i = 0; i < alone.size(); ++i) EXPECT_EQ(together.member(member)[i], alone.flat()[i]);
}

/// Three problems of unequal length, fitted together and apart, agree bit for bit; so does the restored cohort.
inline void expect_members_apart_and_state(const MethodSpec& spec) {
  const auto two = make_engine({.device = "cpu", .threads = 2});
  const auto one = make_engine({.device = "cpu", .threads = 1});
  const std::vector<DataSet> sets{sine_rows(9), sine_rows(6, 0.1), sine_rows(12, 0.2)};
  const std::vector<std::uint64_t> seeds{11, 12, 13};
  const auto fitted = fit(spec, pack(sets, seeds), *two);
  ASSERT_EQ(fitted->members(), 3U);
  ASSERT_EQ(fitted->reports().size(), 3U);
  Tensor<float> x(3, 5, 1);
  for (std::size_t i = 0; i < x.size(); ++i) x.flat()[i] = -1.0F + 0.13F * static_cast<float>(i);
  const Prediction together = fitted->predict(x);
  for (std::size_t m = 0; m < 3; ++m) {
    SCOPED_TRACE(m);
    const auto alone = fit(spec, pack({&sets[m], 1}, {&seeds[m], 1}), *one);
    Tensor<float> own(1, 5, 1);
    for (std::size_t i = 0; i < 5; ++i) own(0, i, 0) = x(m, i, 0);
    const Prediction apart = alone->predict(own);
    expect_member(together.mean, m, apart.mean);
    expect_member(together.sigma_model, m, apart.sigma_model);
    expect_member(together.sigma_noise, m, apart.sigma_noise);
    EXPECT_EQ(fitted->reports()[m].seed, alone->reports()[0].seed);
  }
  const auto again = restore(spec, fitted->state(), fitted->reports(), *one);
  EXPECT_EQ(again->state(), fitted->state());
  const Prediction later = again->predict(x);
  EXPECT_EQ(later.mean, together.mean);
  EXPECT_EQ(later.sigma_model, together.sigma_model);
  EXPECT_EQ(later.sigma_noise, together.sigma_noise);
}

}  // namespace nomu
