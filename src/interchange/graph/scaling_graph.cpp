#include "interchange/graph/scaling_graph.hpp"

#include <algorithm>
#include <vector>

#include "nomu/core/error.hpp"

namespace nomu {
namespace {

/// One double per member and column, [M][1][1][cols].
template <class F>
GraphValue each_member(GraphWriter& graph, std::string_view name, std::span<const MemberScaling> scalings,
                       std::size_t cols, const F& values_of) {
  std::vector<double> values;
  for (const MemberScaling& scaling : scalings) {
    const std::vector<double>& own = values_of(scaling);
    values.insert(values.end(), own.begin(), own.end());
  }
  return graph.doubles(name, values,
                       {static_cast<std::int64_t>(scalings.size()), 1, 1, static_cast<std::int64_t>(cols)});
}

/// One double per member, [M][1][1][1].
template <class F>
GraphValue one_per_member(GraphWriter& graph, std::string_view name, std::span<const MemberScaling> scalings,
                          const F& value_of) {
  std::vector<double> values;
  for (const MemberScaling& scaling : scalings) values.push_back(value_of(scaling.inputs));
  return graph.doubles(name, values, {static_cast<std::int64_t>(values.size()), 1, 1, 1});
}

/// What Scaling::apply does with values far out, for members with a reach.
GraphValue drawn_in(GraphWriter& graph, const GraphValue& z, std::span<const MemberScaling> scalings) {
  if (std::ranges::none_of(scalings, [](const MemberScaling& s) { return s.inputs.reach > 0.0; })) return z;
  const GraphValue factor = one_per_member(graph, "reach", scalings, [](const Scaling& own) {
    return own.reach > 0.0 ? 1.0 / (own.reach - own.straight) : 0.0;
  });
  if (std::ranges::all_of(scalings, [](const MemberScaling& s) { return s.inputs.straight == 0.0; }))
    return add_drawn_in(graph, z, factor, graph.number(0.0));
  const GraphValue end = one_per_member(graph, "straight", scalings, [](const Scaling& own) { return own.straight; });
  return add_drawn_in(graph, z, factor, end);
}

}  // namespace

GraphValue add_drawn_in(GraphWriter& graph, const GraphValue& z, const GraphValue& factor, const GraphValue& straight) {
  // Squares of larger numbers might overflow; the result no longer depends on how large they are.
  constexpr double most = 1e100;
  const GraphValue safe = graph.limited(z, graph.number(-most), graph.number(most));
  const GraphValue inner = graph.limited(safe, graph.multiply(straight, graph.number(-1.0)), straight);
  const GraphValue excess = graph.subtract(safe, inner);
  const GraphValue square = graph.square(graph.multiply(excess, factor));
  const GraphValue curved = graph.divide(excess, graph.root(graph.add(graph.number(1.0), square)));
  return graph.add(inner, curved);
}

GraphValue add_input_scaling(GraphWriter& graph, const GraphValue& x, std::span<const MemberScaling> scalings) {
  const std::size_t cols = scalings.front().inputs.cols();
  const GraphValue shift = each_member(
      graph, "input_shift", scalings, cols, [](const MemberScaling& s) -> const auto& { return s.inputs.shift; });
  const GraphValue factor = each_member(
      graph, "input_factor", scalings, cols, [](const MemberScaling& s) -> const auto& { return s.inputs.factor; });
  const GraphValue z = graph.divide(graph.subtract(graph.to_double(x), shift), factor);
  return graph.to_float(drawn_in(graph, z, scalings));
}

GraphPrediction add_target_scaling(GraphWriter& graph, const GraphPrediction& scaled,
                                   std::span<const MemberScaling> scalings) {
  if (std::ranges::any_of(scalings, [](const MemberScaling& s) { return s.target.reach > 0.0; }))
    throw ConfigError("interchange/onnx", "there is no graph for a target whose far values are compressed");
  const GraphValue shift = each_member(
      graph, "target_shift", scalings, 1, [](const MemberScaling& s) -> const auto& { return s.target.shift; });
  const GraphValue factor = each_member(
      graph, "target_factor", scalings, 1, [](const MemberScaling& s) -> const auto& { return s.target.factor; });
  const auto widened = [&](const std::optional<GraphValue>& width) -> std::optional<GraphValue> {
    if (!width) return {};
    return graph.multiply(*width, factor);
  };
  return {.mean = graph.add(graph.multiply(scaled.mean, factor), shift),
          .sigma_model = graph.multiply(scaled.sigma_model, factor),
          .sigma_noise = widened(scaled.sigma_noise),
          .sigma_below = widened(scaled.sigma_below)};
}

}  // namespace nomu
