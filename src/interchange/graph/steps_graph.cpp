#include "interchange/graph/steps_graph.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "nomu/core/error.hpp"

namespace nomu {
namespace {

/// Column of x that each step belongs to, [E].
std::vector<std::int64_t> sources_of(const Tensor<float>& steps) {
  const std::span<const float> first = steps.row(0, 0);
  for (std::size_t m = 1; m < steps.members(); ++m) {
    if (!std::ranges::equal(steps.row(m, 0), first))
      throw ConfigError("interchange/onnx", "there is no graph for members whose steps belong to different columns");
  }
  std::vector<std::int64_t> sources;
  for (const float source : first) sources.push_back(static_cast<std::int64_t>(source));
  return sources;
}

}  // namespace

// In single precision, like the library.
GraphValue add_steps(GraphWriter& graph, const GraphValue& x, const Tensor<float>& steps) {
  if (steps.empty()) return x;
  const GraphWriter::Shape shape{static_cast<std::int64_t>(steps.members()), 1, 1,
                                 static_cast<std::int64_t>(steps.cols())};
  std::vector<float> lows;
  std::vector<float> widths;
  for (std::size_t m = 0; m < steps.members(); ++m) {
    for (std::size_t e = 0; e < steps.cols(); ++e) {
      const bool real = steps(m, 2, e) > 0.0F;
      // A step without width is always 0, like one that begins beyond all numbers.
      lows.push_back(real ? steps(m, 1, e) : std::numeric_limits<float>::max());
      widths.push_back(real ? steps(m, 2, e) : 1.0F);
    }
  }
  const float limits[] = {0.0F, 1.0F};
  const GraphValue zero = graph.floats("zero", {&limits[0], 1}, {});
  const GraphValue one = graph.floats("one", {&limits[1], 1}, {});
  const GraphValue from = graph.subtract(graph.columns(x, sources_of(steps)), graph.floats("step_low", lows, shape));
  const GraphValue share = graph.divide(from, graph.floats("step_width", widths, shape));
  const GraphValue both[] = {x, graph.limited(share, zero, one)};
  return graph.concat(both, 3);
}

}  // namespace nomu
