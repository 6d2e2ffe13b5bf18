#pragma once
/// Made-up predictions with targets, for tests that need many different ones. The sigmas are wrong by a factor, as
/// those of real models are.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nomu/core/random.hpp"

namespace nomu {

struct RandomRows {
  std::vector<double> mean;
  std::vector<double> sigma;
  std::vector<double> target;
};

/// Targets are Gaussian with standard deviation `error_scale` times the predicted sigma.
inline RandomRows random_rows(std::size_t count, std::uint64_t seed, double error_scale = 1.7) {
  Random random(seed);
  RandomRows rows;
  for (std::size_t i = 0; i < count; ++i) {
    rows.mean.push_back(random.normal());
    rows.sigma.push_back(std::exp(random.normal() - 1.0));
    rows.target.push_back(rows.mean.back() + error_scale * rows.sigma.back() * random.normal());
  }
  return rows;
}

inline std::vector<double> times(std::vector<double> values, double factor) {
  for (double& value : values) value *= factor;
  return values;
}

}  // namespace nomu
