#include "data/did_you_mean.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "nomu/core/fields.hpp"
#include "nomu/core/printable.hpp"

namespace nomu {
namespace {

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

}  // namespace

std::string did_you_mean(std::string_view name, std::span<const std::string> candidates) {
  const std::string wanted = lower_case(name);
  std::vector<std::string> lower;
  for (const std::string& candidate : candidates) lower.push_back(lower_case(candidate));
  const std::string near = nearest(wanted, lower);
  // Names of one or two letters are all near each other, so only a match up to case counts.
  if (near.empty() || (wanted.size() < 3 && near != wanted)) return {};
  const auto at = static_cast<std::size_t>(std::ranges::find(lower, near) - lower.begin());
  return fmt::format("; did you mean '{}'?", as_shown(candidates[at]));
}

std::string as_shown(std::string_view text) {
  constexpr std::size_t most_bytes = 200;
  return printable(text, most_bytes);
}

std::string quoted_list(std::span<const std::string> names, std::size_t limit) {
  std::string text;
  for (std::size_t i = 0; i < std::min(limit, names.size()); ++i) {
    text += fmt::format("{}'{}'", i == 0 ? "" : ", ", as_shown(names[i]));
  }
  if (names.size() > limit) text += fmt::format(" and {} more", names.size() - limit);
  return text;
}

}  // namespace nomu
