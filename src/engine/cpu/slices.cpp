#include "engine/cpu/slices.hpp"

#include <algorithm>

namespace nomu::engine::cpu {
namespace {

constexpr std::size_t none = static_cast<std::size_t>(-1);
constexpr std::int64_t slices_of_a_member = 16;

}  // namespace

Slices::Slices(std::size_t members, std::int64_t epochs, std::size_t crews)
    : short_slice_((epochs + slices_of_a_member - 1) / slices_of_a_member),
      left_(members, epochs),
      taken_(members, false),
      latest_(crews, none) {}

std::optional<Slices::Slice> Slices::next(std::size_t crew) {
  const std::scoped_lock lock(mutex_);
  std::size_t& own = latest_[crew];
  if (own != none) taken_[own] = false;
  std::size_t best = own != none && left_[own] > 0 ? own : none;
  const auto at_home = [&](std::size_t m) { return home_of(m, latest_.size()) == crew; };
  std::size_t free = 0;
  for (std::size_t m = 0; m < left_.size(); ++m) {
    if (taken_[m] || left_[m] == 0) continue;
    ++free;
    const bool longer = best != none && left_[m] > left_[best];
    const bool nearer = best != none && left_[m] == left_[best] && at_home(m) && !at_home(best);
    if (best == none || longer || (nearer && best != own)) best = m;
  }
  own = best;
  if (best == none) return std::nullopt;
  const std::int64_t epochs = free > latest_.size() ? left_[best] : std::min(left_[best], short_slice_);
  left_[best] -= epochs;
  taken_[best] = true;
  return Slice{best, epochs};
}

}  // namespace nomu::engine::cpu
