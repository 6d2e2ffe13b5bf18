#include "models/network/mixture.hpp"

#include <algorithm>
#include <cmath>

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

double NetworkHead::distance(double raw_sigma) const {
  return shaped_distance((raw_sigma - raw_near) / (raw_far - raw_near), power);
}

double NetworkHead::noise(double at_row, double distance) const {
  const double near = std::clamp(noise_scale * at_row, noise_low, noise_high);
  const double far = std::max(near, noise_far);
  const double share = std::min(distance, 1.0);
  return std::sqrt((1.0 - share) * near * near + share * far * far);
}

void NetworkHead::store(std::span<float> numbers) const {
  const double all[size] = {noise_scale, noise_low, noise_high, noise_far, raw_near, raw_far, sigma_far, power};
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
          .power = at(7)};
}

Mixture::Mixture(const OutputMap& map, std::size_t members, std::size_t rows)
    : map_(map), members_(members), rows_(rows), all_(members * rows) {}

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
    const double distance = head.distance(static_cast<double>(own.back()));
    row.mean.add(static_cast<double>(own[0]) + trend[i], weight);
    row.variance.add(std::pow(head.sigma(distance), 2), weight);
    row.noise.add(std::pow(head.noise(noise_of(map_, own[1]), distance), 2), weight);
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
    case OutputMap::Sigma::spread:
    case OutputMap::Sigma::constant: break;
  }
  if (map_.noise == OutputMap::Noise::output) add_square(row.noise, noise_of(map_, outputs[1]));
}

float Mixture::sigma_of(const Row& row, const RunningMoments& own) const {
  if (map_.sigma == OutputMap::Sigma::constant) return static_cast<float>(map_.sigma_constant);
  const auto sigma = static_cast<float>(std::sqrt(std::max(0.0, own.mean + row.mean.variance())));
  return map_.variance_as_sigma ? sigma * sigma : sigma;
}

Prediction Mixture::prediction() const {
  const Tensor<float> blank(members_, rows_, 1);
  Prediction prediction{.mean = blank, .sigma_model = blank, .sigma_noise = {}, .sigma_below = {}};
  if (map_.noise == OutputMap::Noise::output) prediction.sigma_noise = blank;
  if (map_.sigma == OutputMap::Sigma::directed) prediction.sigma_below = blank;
  for (std::size_t e = 0; e < all_.size(); ++e) {
    const Row& row = all_[e];
    prediction.mean.flat()[e] = static_cast<float>(row.mean.mean);
    prediction.sigma_model.flat()[e] = sigma_of(row, row.variance);
    if (!prediction.sigma_below.empty()) prediction.sigma_below.flat()[e] = sigma_of(row, row.variance_below);
    if (!prediction.sigma_noise.empty())
      prediction.sigma_noise.flat()[e] = static_cast<float>(std::sqrt(row.noise.mean));
  }
  return prediction;
}

}  // namespace nomu
