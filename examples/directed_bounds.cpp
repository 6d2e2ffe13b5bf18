// Bounds that need not be symmetric: one network for the mean, one above it, one below.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "nomu/nomu.hpp"

int main() {
  const std::vector<double> x{-0.9, -0.5, -0.1, 0.2, 0.8};
  std::vector<double> y(x.size());
  std::transform(x.begin(), x.end(), y.begin(), [](double value) { return std::sin(4.0 * value); });

  const nomu::DirectedSpec spec;
  const std::vector<std::uint64_t> seeds{1};
  const auto engine = nomu::make_engine();
  const auto fitted = nomu::fit(spec, nomu::repeat(nomu::make_dataset(x, 1, y), seeds), *engine);

  nomu::Tensor<float> probes(1, 9, 1);
  for (std::size_t i = 0; i < probes.rows(); ++i) probes(0, i, 0) = -1.0F + 0.25F * static_cast<float>(i);
  const nomu::Prediction p = fitted->predict(probes);
  for (std::size_t i = 0; i < probes.rows(); ++i) {
    std::printf("x %+.2f  lower %+.3f  mean %+.3f  upper %+.3f\n", static_cast<double>(probes(0, i, 0)),
                static_cast<double>(p.mean(0, i, 0) - p.sigma_below(0, i, 0)), static_cast<double>(p.mean(0, i, 0)),
                static_cast<double>(p.mean(0, i, 0) + p.sigma_model(0, i, 0)));
  }
  return 0;
}
