#pragma once
/// Plots as data, drawn as SVG: a `Plot` lists layers and axes, and `render_svg` turns it into one self-contained
/// picture. The pictures carry no scripts, style sheets, ids or references, so one HTML page can hold any number of
/// them.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace nomu {

/// Colours that remain distinct for people with any common colour vision deficiency. Each `automatic` layer takes the
/// next of blue, orange, green, purple, red and sky.
enum class PlotColor { automatic, blue, orange, green, purple, red, sky, grey, ink };

enum class PlotStroke { solid, dashed, dotted };
enum class PlotMarker { circle, square, cross };
enum class PlotDirection { horizontal, vertical };
enum class PlotCorner { top_left, top_right, bottom_left, bottom_right };
enum class AxisScale { linear, log10 };

/// The ends of an axis, in the units of the data.
struct PlotRange {
  double low = 0.0;
  double high = 1.0;
};

/// One axis. Without a range it shows all the data plus some padding, or all of its names.
struct PlotAxis {
  std::string label = {};
  AxisScale scale = AxisScale::linear;
  std::optional<PlotRange> range = {};
  std::vector<std::string> names = {};  ///< labels of the values 0, 1, 2, ...; linear scale only
  bool dates = false;                   ///< values are days since 1970-01-01, labelled as dates; linear scale only
  bool hidden = false;                  ///< has a scale, but no line, ticks, grid or numbers
};

// Layers. `name` is the legend entry: layers without a name have none, layers with the same name share the first one's.
// Samples with a value that is not finite (or beyond 1e305) are left out and interrupt lines and bands.

/// The area between two curves over x; all [n].
struct PlotBand {
  std::string name = {};
  std::vector<double> x = {};
  std::vector<double> lower = {};
  std::vector<double> upper = {};
  PlotColor color = PlotColor::automatic;
  double opacity = 0.2;
};

/// Straight segments from sample to sample; x and y are [n].
struct PlotLine {
  std::string name = {};
  std::vector<double> x = {};
  std::vector<double> y = {};
  PlotColor color = PlotColor::automatic;
  PlotStroke stroke = PlotStroke::solid;
};

/// y[i] holds from x[i] to x[i + 1]; y is [n], x is [n] or, to give the end of the last step, [n + 1].
struct PlotSteps {
  std::string name = {};
  std::vector<double> x = {};
  std::vector<double> y = {};
  PlotColor color = PlotColor::automatic;
  PlotStroke stroke = PlotStroke::solid;
};

/// Markers; x and y are [n], lower and upper the ends of error bars, [n] each or both empty.
struct PlotPoints {
  std::string name = {};
  std::vector<double> x = {};
  std::vector<double> y = {};
  std::vector<double> lower = {};
  std::vector<double> upper = {};
  PlotColor color = PlotColor::automatic;
  PlotMarker marker = PlotMarker::circle;
};

/// Values on a regular grid as colours, with a colour bar; at most one in a plot.
struct PlotHeatMap {
  std::vector<double> values = {};  ///< [rows][cols], the row of the smallest y first
  std::size_t cols = 0;
  PlotRange x = {};     ///< outer edges of the first and last column; cells are equally wide on the axis as drawn
  PlotRange y = {};     ///< outer edges of the first and last row
  PlotAxis color = {};  ///< axis of the colour bar
};

/// A reference line across the whole plot.
struct PlotRule {
  std::string name = {};
  PlotDirection direction = PlotDirection::horizontal;
  double at = 0.0;
  PlotColor color = PlotColor::grey;
  PlotStroke stroke = PlotStroke::dashed;
};

/// Text next to the point (x, y) or in a corner, kept inside the plot; '\n' starts a new line.
struct PlotNote {
  std::string text = {};
  double x = 0.0;
  double y = 0.0;
  std::optional<PlotCorner> corner = {};
  PlotColor color = PlotColor::ink;
};

using PlotLayer = std::variant<PlotBand, PlotLine, PlotSteps, PlotPoints, PlotHeatMap, PlotRule, PlotNote>;

/// A picture with one pair of axes; later layers are drawn over earlier ones.
struct Plot {
  std::string title = {};
  PlotAxis x = {};
  PlotAxis y = {};
  std::vector<PlotLayer> layers = {};
};

/// Size in CSS pixels before scaling. Text is sized for it, so render a picture for a phone at a width of 360.
struct PlotSize {
  int width = 640;
  int height = 400;
};

/// Several plots in one picture, row by row.
struct PlotGrid {
  std::string title = {};
  std::size_t columns = 2;
  PlotSize cell = {};
};

/// The plot as an SVG document that can also be embedded in HTML and shrinks with its container. The same plot gives
/// the same bytes in every locale. A plot without any sample to draw says "no data". Throws DataError naming the layer
/// when vectors differ in length or a value on a logarithmic axis is not positive; ConfigError for sizes outside 160 x
/// 120 to 10000 x 10000, ranges that are empty or not finite, names on a logarithmic axis, opacities outside (0, 1] and
/// a second heat map.
[[nodiscard]] std::string render_svg(const Plot& plot, PlotSize size = {});

/// Plots in a grid with `columns` per row. Throws what render_svg does, and ConfigError for 0 columns.
[[nodiscard]] std::string render_svg_grid(std::span<const Plot> plots, const PlotGrid& grid = {});

}  // namespace nomu
