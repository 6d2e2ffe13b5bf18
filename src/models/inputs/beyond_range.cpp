#include "models/inputs/beyond_range.hpp"

#include <algorithm>
#include <cmath>

namespace nomu {
template <class T>
double BeyondRange::deviation(std::span<const T> row) const {
  double variance = 0.0;
  for (std::size_t j = 0; j < slope.size(); ++j) {
    if (slope[j] == 0.0 && bend[j] == 0.0) continue;
    const double number = std::clamp(drawn.out(static_cast<double>(row[j])), -farthest, farthest);
    const double edge = std::clamp(number, low[j], high[j]);
    const double excess = number - edge;
    const double unseen = excess - (drawn.in(number)-drawn.in(edge));
    variance += std::pow(bend[j] * excess, 2) + std::pow(slope[j] * unseen, 2);
  }
  return std::min(std::sqrt(variance), most);
}

template double BeyondRange::deviation(std::span<const float> row) const;
template double BeyondRange::deviation(std::span<const double> row) const;

std::vector<float> BeyondRange::numbers() const {
  std::vector<float> all;
  for (const std::vector<double>* part : {&low, &high, &slope, &bend}) {
    for (const double value : *part) all.push_back(static_cast<float>(value));
  }
  for (const double value : {drawn.reach, drawn.straight, most}) all.push_back(static_cast<float>(value));
  return all;
}

BeyondRange BeyondRange::of(std::span<const float> numbers) {
  const std::size_t d = (numbers.size() - size(0)) / (size(1) - size(0));
  const auto part = [&](std::size_t k) {
    const std::span<const float> own = numbers.subspan(k * d, d);
    return std::vector<double>(own.begin(), own.end());
  };
  const std::span<const float> last = numbers.last(size(0));
  return {.low = part(0),
          .high = part(1),
          .slope = part(2),
          .bend = part(3),
          .drawn = {.reach = static_cast<double>(last[0]), .straight = static_cast<double>(last[1])},
          .most = static_cast<double>(last[2])};
}

BeyondRange range_of(const DataSet& data, std::span<const std::size_t> rows, DrawnIn drawn) {
  const std::span<const double> first = data.row(rows.front());
  BeyondRange range{.low = {first.begin(), first.end()},
                    .high = {first.begin(), first.end()},
                    .slope = std::vector<double>(data.cols(), 0.0),
                    .bend = std::vector<double>(data.cols(), 0.0),
                    .drawn = drawn};
  for (const std::size_t i : rows) {
    for (std::size_t j = 0; j < data.cols(); ++j) {
      range.low[j] = std::min(range.low[j], data.row(i)[j]);
      range.high[j] = std::max(range.high[j], data.row(i)[j]);
    }
  }
  for (std::vector<double>* bound : {&range.low, &range.high}) {
    for (double& value : *bound) value = std::clamp(drawn.out(value), -BeyondRange::farthest, BeyondRange::farthest);
  }
  return range;
}

bool is_beyond_range(std::span<const float> numbers) {
  if (!std::ranges::all_of(numbers, [](float value) { return std::isfinite(value); })) return false;
  const BeyondRange range = BeyondRange::of(numbers);
  for (std::size_t j = 0; j < range.slope.size(); ++j) {
    if (range.low[j] > range.high[j] || range.slope[j] < 0.0 || range.bend[j] < 0.0) return false;
  }
  const DrawnIn& drawn = range.drawn;
  return range.most >= 0.0 && drawn.straight >= 0.0 && (drawn.reach == 0.0 || drawn.reach > drawn.straight);
}

}  // namespace nomu
