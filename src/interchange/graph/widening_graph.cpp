#include "interchange/graph/widening_graph.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

#include "interchange/graph/scaling_graph.hpp"
#include "models/inputs/beyond_range.hpp"

namespace nomu {
namespace {

/// How far the mean may be off at rows with names that training did not have, [M][1][n][1]; 0 at other rows.
GraphValue deviation_of_unknown_names(GraphWriter& graph, const Tensor<float>& unknown, const GraphValue& x) {
  const GraphValue variances =
      graph.floats("unknown", unknown.flat(),
                   {static_cast<std::int64_t>(unknown.members()), 1, static_cast<std::int64_t>(unknown.cols()), 1});
  // Inputs are 0 or 1 here, but for rows that no table has.
  return graph.root(graph.positive(graph.matmul(x, graph.to_double(variances))));
}

/// BeyondRange::deviation, [M][1][n][1].
GraphValue deviation_beyond_range(GraphWriter& graph, const Tensor<float>& beyond, const GraphValue& x) {
  std::vector<BeyondRange> ranges;
  for (std::size_t m = 0; m < beyond.members(); ++m) ranges.push_back(BeyondRange::of(beyond.member(m)));
  const auto members = static_cast<std::int64_t>(ranges.size());
  const auto of_inputs = [&](std::string_view name, std::vector<double> BeyondRange::*part) {
    std::vector<double> values;
    for (const BeyondRange& range : ranges) values.insert(values.end(), (range.*part).begin(), (range.*part).end());
    return graph.doubles(name, values, {members, 1, 1, static_cast<std::int64_t>(values.size()) / members});
  };
  const auto of_members = [&](std::string_view name, const auto& value_of) {
    std::vector<double> values;
    values.reserve(ranges.size());
    for (const BeyondRange& range : ranges) values.push_back(value_of(range));
    return graph.doubles(name, values, {members, 1, 1, 1});
  };
  const GraphValue straight =
      of_members("range_straight", [](const BeyondRange& range) { return range.drawn.straight; });
  const GraphValue factor = of_members("range_reach", [](const BeyondRange& range) {
    return range.drawn.reach > 0.0 ? 1.0 / (range.drawn.reach - range.drawn.straight) : 0.0;
  });
  const GraphValue inner = graph.limited(x, graph.multiply(straight, graph.number(-1.0)), straight);
  const GraphValue outer = graph.subtract(x, inner);
  const GraphValue square = graph.square(graph.multiply(outer, factor));
  const GraphValue left = graph.positive(graph.subtract(graph.number(1.0), square));
  // Nothing is left where rounding has made a number the reach itself; the quotient then is huge instead of infinite.
  const GraphValue out = graph.divide(outer, graph.root(graph.most(left, graph.number(1e-30))));
  const GraphValue number =
      graph.limited(graph.add(inner, out), graph.number(-BeyondRange::farthest), graph.number(BeyondRange::farthest));
  const GraphValue edge =
      graph.limited(number, of_inputs("range_low", &BeyondRange::low), of_inputs("range_high", &BeyondRange::high));
  const auto drawn_in = [&](const GraphValue& value) { return add_drawn_in(graph, value, factor, straight); };
  const GraphValue excess = graph.subtract(number, edge);
  const GraphValue unseen = graph.subtract(excess, graph.subtract(drawn_in(number), drawn_in(edge)));
  const GraphValue bent = graph.multiply(excess, of_inputs("range_bend", &BeyondRange::bend));
  const GraphValue missed = graph.multiply(unseen, of_inputs("range_slope", &BeyondRange::slope));
  const GraphValue variance = graph.sum(graph.add(graph.square(bent), graph.square(missed)), 3);
  return graph.least(graph.root(variance),
                     of_members("range_most", [](const BeyondRange& range) { return range.most; }));
}

}  // namespace

GraphValue add_widening(GraphWriter& graph, const FittedNetwork& fitted, const GraphValue& sigma, const GraphValue& x) {
  const NetworkParts& parts = fitted.parts();
  if (parts.unknown.empty() && parts.beyond.empty()) return sigma;
  const GraphValue inputs = graph.to_double(x);
  GraphValue wider = sigma;
  if (!parts.beyond.empty()) {
    const GraphValue beyond = graph.square(deviation_beyond_range(graph, parts.beyond, inputs));
    wider = graph.root(graph.add(graph.square(wider), beyond));
  }
  if (!parts.unknown.empty()) wider = graph.most(wider, deviation_of_unknown_names(graph, parts.unknown, inputs));
  return wider;
}

}  // namespace nomu
