#pragma once
/// Grids of coloured cells for heat maps and colour bars. Cells of one colour share one path in units of cells, which
/// takes about a dozen bytes per cell.

#include <cstddef>
#include <span>
#include <string>

#include "report/plot/geometry.hpp"

namespace nomu {

/// A grid of cells over `box`, the first row at the bottom; fractions outside [0, 1] take the end colours, NaN leaves a
/// hole. `visible` clips the grid, in cells from the lower left corner.
[[nodiscard]] std::string draw_cells(std::span<const double> fractions, std::size_t cols, const PlotBox& box,
                                     const PlotBox& visible);

}  // namespace nomu
