#include "models/network/mixture.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/math.hpp"

namespace nomu {

double noise_of(const OutputMap& map, float raw) {
  if (map.noise_in_float) return static_cast<double>(engine::softplus(raw) + static_cast<float>(map.noise_floor));
  return engine::softplus(static_cast<double>(raw)) + map.noise_floor;
}

double shaped_distance(double share, double power) {
  const double limited = std::clamp(share, 0.0, 1.5);
  return std::pow(std::min(limited, 1.0), power) * std::max(limited, 1.0);
}

double NetworkHead::share(double raw_sigma) const {
  return std::clamp((raw_sigma - raw_near) / (raw_far - raw_near), 0.0, 1.5);
}

double NetworkHead::distance(double share) const { return shaped_distance((share - start) / (1.0 - start), power); }

double NetworkHead::noise(double at_row, double distance) const {
  const double near = std::clamp(noise_scale * at_row, noise_low, noise_high);
  const double far = std::max(near, noise_far);
  const double share = std::min(distance, 1.0);
  return std::sqrt((1.0 - share) * near * near + share * far * far);
}

void NetworkHead::store(std::span<float> numbers) const {
  const double all[size] = {noise_scale, noise_low, noise_high, noise_far, raw_near, raw_far, sigma_far, power, start};
  std::ranges::transform(all, numbers.begin(), [](double value) { return static_cast<float>(value); });
}

NetworkHead NetworkHead::load(std::span<const float> numbers) {
  const auto at = [&](std::size_t i) { return static_cast<double>(numbers[i]); };
  return {.noise_scale = at(0),
          .noise_low = at(1),
          .noise_high = at(2),
          .noise_far = at(3),
          .raw_near = at(4),
          .raw_far = at(5),
          .sigma_far = at(6),
          .power = at(7),
          .start = numbers.size() > size_without_start ? at(8) : 0.0};
}

Mixture::Mixture(const OutputMap& map, std::size_t members, std::size_t rows, std::vector<NetworkHead> shapes)
    : map_(map), members_(members), rows_(rows), shapes_(std::move(shapes)), all_(members * rows) {}

void Mixture::add(std::size_t member, RowRange rows, std::span<const float> outputs, double weight) {
  if (rows.count == 0) return;
  const std::size_t width = outputs.size() / rows.count;
  for (std::size_t i = 0; i < rows.count; ++i)
    add_row(all_[member * rows_ + rows.first + i], outputs.subspan(i * width, width), weight);
}

void Mixture::add(std::size_t member, RowRange rows, std::span<const float> outputs, double weight,
                  const NetworkHead& head, std::span<const double> trend) {
  if (rows.count == 0) return;
  const std::size_t width = outputs.size() / rows.count;
  for (std::size_t i = 0; i < rows.count; ++i) {
    Row& row = all_[member * rows_ + rows.first + i];
    const std::span<const float> own = outputs.subspan(i * width, width);
    const double share = head.share(static_cast<double>(own.back()));
    const double noise = noise_of(map_, own[1]);
    row.mean.add(static_cast<double>(own[0]) + trend[i], weight);
    if (shapes_.empty()) {
      const double distance = head.distance(share);
      row.variance.add(std::pow(head.sigma(distance), 2), weight);
      row.noise.add(std::pow(head.noise(noise, distance), 2), weight);
    } else {
      row.noise.add(std::pow(head.noise(noise, 0.0), 2), weight);
      const double step = weight / row.noise.count;
      row.noise_far += step * (std::pow(head.noise(noise, 1.0), 2) - row.noise_far);
      row.share += step * (share - row.share);
    }
  }
}

void Mixture::add_row(Row& row, std::span<const float> outputs, double weight) const {
  const auto output = [&](std::size_t k) { return static_cast<double>(outputs[k]); };
  const auto add_square = [weight](RunningMoments& moments, double value) { moments.add(value * value, weight); };
  row.mean.add(output(0), weight);
  switch (map_.sigma) {
    case OutputMap::Sigma::readout: add_square(row.variance, map_.readout(output(outputs.size() - 1))); break;
    case OutputMap::Sigma::noise: add_square(row.variance, noise_of(map_, outputs[1])); break;
    case OutputMap::Sigma::directed:
      add_square(row.variance, map_.readout(output(1) - output(0)));
      add_square(row.variance_below, map_.readout(output(0) - output(2)));
      break;
    case OutputMap::Sigma::above: add_square(row.variance, map_.readout(output(1) - output(0))); break;
    case OutputMap::Sigma::below: add_square(row.variance, map_.readout(output(0) - output(1))); break;
    case OutputMap::Sigma::between_networks:
    case OutputMap::Sigma::constant: break;
  }
  if (map_.noise == OutputMap::Noise::output) add_square(row.noise, noise_of(map_, outputs[1]));
}

float Mixture::sigma_of(const Row& row, double own) const {
  if (map_.sigma == OutputMap::Sigma::constant) return static_cast<float>(map_.sigma_constant);
  const auto sigma = static_cast<float>(std::sqrt(std::max(0.0, own + row.mean.variance())));
  return map_.variance_as_sigma ? sigma * sigma : sigma;
}

Prediction Mixture::prediction() const {
  const Tensor<float> blank(members_, rows_, 1);
  Prediction prediction{.mean = blank, .sigma_model = blank, .sigma_noise = {}, .sigma_below = {}};
  if (map_.noise == OutputMap::Noise::output) prediction.sigma_noise = blank;
  if (map_.sigma == OutputMap::Sigma::directed) prediction.sigma_below = blank;
  for (std::size_t e = 0; e < all_.size(); ++e) {
    const Row& row = all_[e];
    double variance = row.variance.mean;
    double noise = row.noise.mean;
    if (!shapes_.empty()) {
      const NetworkHead& shape = shapes_[e / rows_];
      const double distance = shape.distance(row.share);
      variance = std::pow(shape.sigma(distance), 2);
      noise = std::lerp(noise, row.noise_far, std::min(distance, 1.0));
    }
    prediction.mean.flat()[e] = static_cast<float>(row.mean.mean);
    prediction.sigma_model.flat()[e] = sigma_of(row, variance);
    if (!prediction.sigma_below.empty()) prediction.sigma_below.flat()[e] = sigma_of(row, row.variance_below.mean);
    if (!prediction.sigma_noise.empty()) prediction.sigma_noise.flat()[e] = static_cast<float>(std::sqrt(noise));
  }
  return prediction;
}

}  // namespace nomu
