#include "models/network/mixture.hpp"

#include <algorithm>
#include <cmath>

#include "models/network/network_plan.hpp"

namespace nomu {

void Mixture::add(std::size_t member, std::span<const float> outputs, double weight) {
  const std::size_t width = outputs.size() / std::max<std::size_t>(rows_, 1);
  noisy_ = noisy_ || width == 2;
  for (std::size_t i = 0; i < rows_; ++i) {
    means_[member * rows_ + i].add(static_cast<double>(outputs[i * width]), weight);
    if (width != 2) continue;
    const double noise = noise_of(outputs[i * width + 1]);
    noises_[member * rows_ + i].add(noise * noise, weight);
  }
}

Prediction Mixture::prediction() const {
  const Tensor<float> blank(members_, rows_, 1);
  Prediction prediction{.mean = blank, .sigma_model = blank, .sigma_noise = {}, .sigma_below = {}};
  if (noisy_) prediction.sigma_noise = blank;
  for (std::size_t e = 0; e < means_.size(); ++e) {
    prediction.mean.flat()[e] = static_cast<float>(means_[e].mean);
    prediction.sigma_model.flat()[e] = static_cast<float>(std::sqrt(std::max(0.0, means_[e].variance())));
    if (noisy_) prediction.sigma_noise.flat()[e] = static_cast<float>(std::sqrt(noises_[e].mean));
  }
  return prediction;
}

}  // namespace nomu
