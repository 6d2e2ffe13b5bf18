// Fits a small NOMU model through the public headers only.

#include <cmath>
#include <cstdint>
#include <nomu/core/random.hpp>
#include <nomu/data/cohort.hpp>
#include <nomu/engine/engine.hpp>
#include <nomu/models/nomu.hpp>
#include <nomu/models/method.hpp>
#include <vector>

int main() {
  nomu::NomuSpec spec = nomu::NomuSpec::written(1);
  spec.mean_net.hidden = spec.sigma_net.hidden = {16};
  spec.train.epochs = 5;
  const std::vector<std::uint64_t> seeds{1};
  const nomu::Cohort cohort = nomu::repeat(nomu::make_dataset({-0.5, 0.0, 0.5, 1.0}, 1, {1.0, 0.0, 1.0, 4.0}), seeds);
  const auto engine = nomu::make_engine();
  const auto fitted = nomu::fit(spec, cohort, *engine);
  const nomu::Prediction prediction = fitted->predict(nomu::Tensor<float>(1, 3, 1, 0.25F));
  return std::isfinite(prediction.mean(0, 0, 0)) && prediction.sigma_model(0, 0, 0) > 0.0F ? 0 : 1;
}
