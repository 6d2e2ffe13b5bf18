#include "report/plot/cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/plot/color.hpp"
#include "report/plot/text.hpp"

namespace nomu {
namespace {

/// Marks a cell without a colour.
constexpr std::size_t hole = ramp_levels;

std::size_t level_of(double fraction) {
  if (std::isnan(fraction)) return hole;
  return std::min(static_cast<std::size_t>(std::clamp(fraction, 0.0, 1.0) * ramp_levels), ramp_levels - 1);
}

/// The visible part of a row's cells from column `left` up to `right`.
std::string cell_path(std::size_t left, std::size_t right, std::size_t row, const PlotBox& visible) {
  const auto x = [&](std::size_t i) { return std::clamp(static_cast<double>(i), visible.left, visible.right); };
  const auto y = [&](std::size_t i) { return std::clamp(static_cast<double>(i), visible.top, visible.bottom); };
  const double width = x(right) - x(left);
  const double height = y(row + 1) - y(row);
  if (width <= 0.0 || height <= 0.0) return {};
  return fmt::format("M{} {}h{}v{}h-{}z", svg_number(x(left)), svg_number(y(row)), svg_number(width),
                     svg_number(height), svg_number(width));
}

}  // namespace

std::string draw_cells(std::span<const double> fractions, std::size_t cols, const PlotBox& box,
                       const PlotBox& visible) {
  std::array<std::string, ramp_levels> paths;
  for (std::size_t begin = 0; begin < fractions.size();) {
    const std::size_t level = level_of(fractions[begin]);
    const std::size_t row = begin / cols;
    std::size_t end = begin + 1;
    while (end < (row + 1) * cols && level_of(fractions[end]) == level) ++end;
    if (level != hole) paths.at(level) += cell_path(begin - row * cols, end - row * cols, row, visible);
    begin = end;
  }
  const double rows = static_cast<double>(fractions.size()) / static_cast<double>(cols);
  // With smoothing, the background would show between neighbours.
  std::string out = fmt::format(
      "<g data-part=\"map\" shape-rendering=\"crispEdges\" transform=\"translate({} {}) scale({:.6f} {:.6f})\">\n",
      svg_number(box.left), svg_number(box.bottom), box.width() / static_cast<double>(cols), -box.height() / rows);
  for (std::size_t level = 0; level < ramp_levels; ++level) {
    if (paths.at(level).empty()) continue;
    out += fmt::format("<path fill=\"{}\" d=\"{}\"/>\n", ramp_color(level), paths.at(level));
  }
  return out + "</g>\n";
}

}  // namespace nomu
