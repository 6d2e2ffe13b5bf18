#include "models/bayes/linearised_net.hpp"

#include <algorithm>

#include "engine/math.hpp"

namespace nomu {

LinearisedNet::LinearisedNet(const engine::Layout& layout, std::span<const float> parameters)
    : layout_(layout), values_(parameters.begin(), parameters.end()) {
  activity_.emplace_back(layout.inputs);
  for (const engine::Layer& layer : layout.layers) {
    count_ += (layer.fan_in() + 1) * layer.units;
    activity_.emplace_back(layer.units);
    delta_.emplace_back(layer.units);
  }
}

double LinearisedNet::forward(std::span<const float> x) {
  std::copy(x.begin(), x.end(), activity_[0].begin());
  for (std::size_t l = 0; l < layout_.layers.size(); ++l) {
    const engine::Layer& layer = layout_.layers[l];
    std::vector<double>& out = activity_[l + 1];
    std::copy_n(values_.data() + layer.bias, layer.units, out.begin());
    for (std::size_t i = 0; i < activity_[l].size(); ++i) {
      const double source = activity_[l][i];
      if (source == 0.0) continue;
      const double* weights = values_.data() + layer.weights + i * layer.units;
      for (std::size_t k = 0; k < layer.units; ++k) out[k] += source * weights[k];
    }
    for (double& value : out) value = engine::activate(layer.activation, value);
  }
  return activity_.back()[0];
}

double LinearisedNet::evaluate(std::span<const float> x, std::span<double> features) {
  const double value = forward(x);
  const std::vector<double>& last = activity_[activity_.size() - 2];
  *std::copy(last.begin(), last.end(), features.begin()) = 1.0;
  return value;
}

double LinearisedNet::differentiate(std::span<const float> x, std::span<double> slopes) {
  const double value = forward(x);
  delta_.back()[0] = 1.0;
  std::size_t end = count_;
  for (std::size_t l = layout_.layers.size(); l-- > 0;) {
    const engine::Layer& layer = layout_.layers[l];
    const std::vector<double>& delta = delta_[l];
    const std::size_t first = end - (layer.fan_in() + 1) * layer.units;
    std::copy(delta.begin(), delta.end(), slopes.begin() + static_cast<std::ptrdiff_t>(end - layer.units));
    for (std::size_t i = 0; i < activity_[l].size(); ++i) {
      const double* weights = values_.data() + layer.weights + i * layer.units;
      double back = 0.0;
      for (std::size_t k = 0; k < layer.units; ++k) {
        slopes[first + i * layer.units + k] = activity_[l][i] * delta[k];
        back += weights[k] * delta[k];
      }
      if (l > 0) delta_[l - 1][i] = back * engine::activation_slope(layout_.layers[l - 1].activation, activity_[l][i]);
    }
    end = first;
  }
  return value;
}

double LinearisedNet::squares(bool head_only) const {
  double sum = 0.0;
  for (const engine::Layer& layer : layout_.layers) {
    if (head_only && !layer.head) continue;
    for (std::size_t e = 0; e < layer.fan_in() * layer.units; ++e)
      sum += values_[layer.weights + e] * values_[layer.weights + e];
    for (std::size_t k = 0; k < layer.units; ++k) sum += values_[layer.bias + k] * values_[layer.bias + k];
  }
  return sum;
}

}  // namespace nomu
