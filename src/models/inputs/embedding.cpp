#include "models/inputs/embedding.hpp"

#include <algorithm>
#include <cmath>

#include "core/team.hpp"

namespace nomu {
namespace {

template <class T>
T step_at(T x, T low, T width) {
  return width > T(0) ? std::clamp((x - low) / width, T(0), T(1)) : T(0);
}

}  // namespace

std::vector<Step> steps_of(std::vector<double> values, std::size_t source, std::size_t count) {
  std::ranges::sort(values);
  std::vector<double> distinct = values;
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  std::vector<double> knots;
  if (distinct.size() <= count + 1) {
    knots = distinct;
  } else {
    for (std::size_t k = 0; k <= count; ++k) knots.push_back(values[k * (values.size() - 1) / count]);
    knots.erase(std::unique(knots.begin(), knots.end()), knots.end());
  }
  std::vector<Step> steps;
  if (knots.size() < 3) return steps;  // a single step says nothing that the number itself does not
  for (std::size_t k = 0; k + 1 < knots.size(); ++k) steps.push_back({source, knots[k], knots[k + 1] - knots[k]});
  return steps;
}

std::vector<double> embedded(std::span<const double> x, std::size_t cols, std::span<const Step> steps,
                             std::int64_t threads) {
  const std::size_t rows = x.size() / cols;
  const std::size_t width = cols + steps.size();
  std::vector<double> wide(rows * width);
  for_each_part(rows, threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      std::ranges::copy(x.subspan(i * cols, cols), wide.begin() + static_cast<std::ptrdiff_t>(i * width));
      for (std::size_t e = 0; e < steps.size(); ++e)
        wide[i * width + cols + e] = step_at(x[i * cols + steps[e].source], steps[e].low, steps[e].width);
    }
  });
  return wide;
}

Tensor<float> embedded(const Tensor<float>& x, const Tensor<float>& steps, std::int64_t threads) {
  const std::size_t d = x.cols();
  const std::size_t count = steps.cols();
  Tensor<float> wide(steps.members(), x.rows(), d + count);
  for_each_part(steps.members() * x.rows(), threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t at = begin; at < end; ++at) {
      const std::size_t m = at / x.rows();
      const std::size_t i = at % x.rows();
      const std::size_t from = x.members() == 1 ? 0 : m;
      const std::span<float> to = wide.row(m, i);
      std::ranges::copy(x.row(from, i), to.begin());
      for (std::size_t e = 0; e < count; ++e)
        to[d + e] = step_at(x(from, i, static_cast<std::size_t>(steps(m, 0, e))), steps(m, 1, e), steps(m, 2, e));
    }
  });
  return wide;
}

void store_steps(std::span<const Step> steps, std::span<float> numbers) {
  for (std::size_t e = 0; e < steps.size(); ++e) {
    numbers[e] = static_cast<float>(steps[e].source);
    numbers[steps.size() + e] = static_cast<float>(steps[e].low);
    numbers[2 * steps.size() + e] = static_cast<float>(steps[e].width);
  }
}

bool are_steps(std::span<const float> numbers, std::size_t cols) {
  const std::size_t count = numbers.size() / 3;
  for (std::size_t e = 0; e < count; ++e) {
    const float source = numbers[e];
    if (!(source >= 0.0F && source < static_cast<float>(cols)) || source != std::floor(source)) return false;
    if (!std::isfinite(numbers[count + e]) || !std::isfinite(numbers[2 * count + e]) || numbers[2 * count + e] < 0.0F)
      return false;
  }
  return true;
}

}  // namespace nomu
