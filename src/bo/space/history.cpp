#include "bo/space/history.hpp"

#include <algorithm>
#include <numeric>
#include <set>

namespace nomu {

std::vector<std::size_t> fit_subset(const std::vector<double>& values, Direction direction, std::size_t most) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (values.size() <= most) return order;
  const double sign = direction == Direction::maximize ? 1.0 : -1.0;
  std::set<std::size_t> chosen;
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(most / 2), order.end(),
                    [&](std::size_t a, std::size_t b) {
                      return values[a] != values[b] ? sign * values[a] > sign * values[b] : a < b;
                    });
  chosen.insert(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(most / 2));
  for (std::size_t k = 0; k < most / 4; ++k) chosen.insert(values.size() - 1 - k);
  const std::size_t left = most - chosen.size();
  for (std::size_t k = 0; k < left; ++k) chosen.insert(k * values.size() / left);
  return {chosen.begin(), chosen.end()};
}

}  // namespace nomu
