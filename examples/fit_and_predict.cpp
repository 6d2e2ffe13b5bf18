// Fits three NOMU models to a handful of points in lock step and prints their bounds on a line of probes.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "nomu/data/cohort.hpp"
#include "nomu/engine/engine.hpp"
#include "nomu/models/nomu.hpp"
#include "nomu/models/method.hpp"

int main() {
  const std::vector<double> x{-0.9, -0.5, -0.1, 0.2, 0.8};
  std::vector<double> y(x.size());
  std::transform(x.begin(), x.end(), y.begin(), [](double value) { return std::sin(4.0 * value); });

  nomu::NomuSpec spec = nomu::NomuSpec::written(1);
  spec.mean_net.hidden = spec.sigma_net.hidden = {256, 256};  // the paper's 1024 x 3 takes half a minute
  spec.train.epochs = 500;

  const std::vector<std::uint64_t> seeds{1, 2, 3};
  const auto engine = nomu::make_engine();
  const auto fitted = nomu::fit(spec, nomu::repeat(nomu::make_dataset(x, 1, y), seeds), *engine);

  nomu::Tensor<float> probes(1, 9, 1);
  for (std::size_t i = 0; i < probes.rows(); ++i) probes(0, i, 0) = -1.0F + 0.25F * static_cast<float>(i);
  const nomu::Prediction prediction = fitted->predict(probes);
  for (std::size_t m = 0; m < seeds.size(); ++m) {
    std::printf("seed %d, loss %.2e\n", static_cast<int>(seeds[m]), fitted->reports()[m].best_loss);
    for (std::size_t i = 0; i < probes.rows(); ++i) {
      std::printf("  x %+.2f  mean %+.3f  sigma %.3f\n", static_cast<double>(probes(0, i, 0)),
                  static_cast<double>(prediction.mean(m, i, 0)), static_cast<double>(prediction.sigma_model(m, i, 0)));
    }
  }
  return 0;
}
