#pragma once
// Small problems and quick settings that the tests of several methods share.

#include <cmath>
#include <vector>

#include "nomu/data/cohort.hpp"
#include "nomu/models/nomu.hpp"

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

}  // namespace nomu
