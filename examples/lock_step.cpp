// Many fits at once: three NOMU models of the same rows, from three seeds, trained in lock step.

#include <iostream>
#include <nomu/nomu.hpp>

int main() {
  const nomu::DataSet rows = nomu::make_dataset({-0.9, -0.5, -0.1, 0.2, 0.8}, 1, {0.4, -0.9, -0.4, 0.7, -0.1});
  const std::vector<std::uint64_t> seeds{1, 2, 3};
  const auto engine = nomu::make_engine();
  const auto fitted = nomu::fit(nomu::method_of({.preset = "interactive"}, 5, 1), nomu::repeat(rows, seeds), *engine);
  const nomu::Prediction at = fitted->predict(nomu::Tensor<float>(1, 1, 1, 0.5F));  // [3][1][1]
  for (std::size_t m = 0; m < seeds.size(); ++m)
    std::cout << "seed " << seeds[m] << ": " << at.mean(m, 0, 0) << " +- " << at.sigma_model(m, 0, 0) << "\n";
}
