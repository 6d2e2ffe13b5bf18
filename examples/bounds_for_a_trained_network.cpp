// Bounds for a network that was trained elsewhere: all it has to tell is its prediction and its last hidden layer.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

#include "nomu/nomu.hpp"

namespace {

/// Stands for any framework's network: two hidden tanh units and a linear head.
class TinyNetwork : public nomu::ForeignNetwork {
 public:
  [[nodiscard]] std::size_t inputs() const override { return 1; }
  [[nodiscard]] std::size_t features() const override { return 2; }
  [[nodiscard]] Evaluation evaluate(const nomu::Tensor<float>& x) const override {
    Evaluation answer{.mean = nomu::Tensor<float>(1, x.rows(), 1), .features = nomu::Tensor<float>(1, x.rows(), 2)};
    for (std::size_t i = 0; i < x.rows(); ++i) {
      const float a = answer.features(0, i, 0) = std::tanh(2.0F * x(0, i, 0) + 1.0F);
      const float b = answer.features(0, i, 1) = std::tanh(3.0F * x(0, i, 0) - 1.0F);
      answer.mean(0, i, 0) = a - 0.8F * b - 0.5F;
    }
    return answer;
  }
};

}  // namespace

int main() {
  // The rows the network was trained on; sigma is pinned to zero there.
  const std::vector<double> x{-0.9, -0.5, -0.1, 0.2, 0.8};
  const std::vector<double> y(x.size(), 0.0);  // the mean is given: targets do not matter
  const nomu::NomuSpec spec;
  const std::vector<std::uint64_t> seeds{1};
  const auto engine = nomu::make_engine();
  const auto fitted =
      nomu::fit_sigma(spec, std::make_shared<TinyNetwork>(), nomu::repeat(nomu::make_dataset(x, 1, y), seeds), *engine);

  nomu::Tensor<float> probes(1, 9, 1);
  for (std::size_t i = 0; i < probes.rows(); ++i) probes(0, i, 0) = -1.0F + 0.25F * static_cast<float>(i);
  const nomu::Prediction p = fitted->predict(probes);
  for (std::size_t i = 0; i < probes.rows(); ++i) {
    std::printf("x %+.2f  mean %+.3f  sigma %.3f\n", static_cast<double>(probes(0, i, 0)),
                static_cast<double>(p.mean(0, i, 0)), static_cast<double>(p.sigma_model(0, i, 0)));
  }
  return 0;
}
