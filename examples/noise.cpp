// Noisy measurements: learns the noise of the targets beside the model uncertainty, and prints both.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "nomu/nomu.hpp"

int main() {
  nomu::Random random(1);
  std::vector<double> x;
  std::vector<double> y;
  for (int i = 0; i < 100; ++i) {
    x.push_back(random.uniform(-1.0, 0.4));  // nothing was measured further right
    y.push_back(std::sin(3.0 * x.back()) + (0.05 + 0.2 * std::abs(x.back())) * random.normal());
  }

  nomu::NomuSpec spec;
  spec.noise = nomu::Noise::learned;
  spec.augment.box = nomu::Augmentation::Box::cube;  // ask about all of [-1, 1], not only where data lie
  spec.ensemble = 2;
  const std::vector<std::uint64_t> seeds{1};
  const auto engine = nomu::make_engine();
  const auto fitted = nomu::fit(spec, nomu::repeat(nomu::make_dataset(x, 1, y), seeds), *engine);

  nomu::Tensor<float> probes(1, 9, 1);
  for (std::size_t i = 0; i < probes.rows(); ++i) probes(0, i, 0) = -1.0F + 0.25F * static_cast<float>(i);
  const nomu::Prediction p = fitted->predict(probes);
  for (std::size_t i = 0; i < probes.rows(); ++i) {
    std::printf("x %+.2f  mean %+.3f  model %.3f  noise %.3f\n", static_cast<double>(probes(0, i, 0)),
                static_cast<double>(p.mean(0, i, 0)), static_cast<double>(p.sigma_model(0, i, 0)),
                static_cast<double>(p.sigma_noise(0, i, 0)));
  }
  return 0;
}
