#pragma once
// What NetworkHead computes, for the heads of many networks at once.

#include <functional>
#include <vector>

#include "interchange/graph/network_graph.hpp"
#include "interchange/graph_writer.hpp"
#include "models/network/output_map.hpp"
#include "nomu/core/tensor.hpp"

namespace nomu {

// A number added to the head changes what networks say, so that the graph has to change, too.
static_assert(NetworkHead::size == 9, "GraphHeads must use every number of a head");

[[nodiscard]] inline GraphWriter::Shape numbers_shape(const GraphParts& parts, std::size_t rows) {
  return {static_cast<std::int64_t>(parts.members), static_cast<std::int64_t>(parts.parts),
          static_cast<std::int64_t>(rows), 1};
}

/// The heads of all networks: one constant [M][K][1][1] for each of their numbers.
class GraphHeads {
 public:
  GraphHeads(GraphWriter& graph, const Tensor<float>& numbers, const GraphParts& parts)
      : graph_(graph), shape_(numbers_shape(parts, 1)) {
    for (const std::size_t source : parts.source) heads_.push_back(NetworkHead::load(numbers.member(source)));
  }

  /// What NetworkHead::share computes.
  [[nodiscard]] GraphValue share(const GraphValue& raw_sigma) const {
    const auto span = [](const NetworkHead& head) { return head.raw_far - head.raw_near; };
    const GraphValue share = graph_.divide(graph_.subtract(raw_sigma, constant("raw_near", &NetworkHead::raw_near)),
                                           constant("raw_span", span));
    return graph_.limited(share, graph_.number(0.0), graph_.number(1.5));
  }

  /// What NetworkHead::distance computes.
  [[nodiscard]] GraphValue distance(const GraphValue& share) const {
    const auto rest = [](const NetworkHead& head) { return 1.0 - head.start; };
    const GraphValue from_start =
        graph_.divide(graph_.subtract(share, constant("start", &NetworkHead::start)), constant("rest", rest));
    const GraphValue limited = graph_.limited(from_start, graph_.number(0.0), graph_.number(1.5));
    const GraphValue one = graph_.number(1.0);
    const GraphValue near = graph_.apply("Pow", {graph_.least(limited, one), constant("power", &NetworkHead::power)});
    return graph_.multiply(near, graph_.most(limited, one));
  }

  /// The square of NetworkHead::sigma.
  [[nodiscard]] GraphValue variance(const GraphValue& distance) const {
    return graph_.square(graph_.multiply(constant("sigma_far", &NetworkHead::sigma_far), distance));
  }

  /// The square of NetworkHead::noise.
  [[nodiscard]] GraphValue noise(const GraphValue& at_row, const GraphValue& distance) const {
    const GraphValue near = graph_.limited(graph_.multiply(constant("noise_scale", &NetworkHead::noise_scale), at_row),
                                           constant("noise_low", &NetworkHead::noise_low),
                                           constant("noise_high", &NetworkHead::noise_high));
    const GraphValue far = graph_.most(near, constant("noise_far", &NetworkHead::noise_far));
    const GraphValue one = graph_.number(1.0);
    const GraphValue share = graph_.least(distance, one);
    return graph_.add(graph_.multiply(graph_.subtract(one, share), graph_.square(near)),
                      graph_.multiply(share, graph_.square(far)));
  }

 private:
  template <class Number>
  [[nodiscard]] GraphValue constant(const char* name, Number number) const {
    std::vector<double> values;
    for (const NetworkHead& head : heads_) values.push_back(std::invoke(number, head));
    return graph_.doubles(name, values, shape_);
  }

  GraphWriter& graph_;
  GraphWriter::Shape shape_;
  std::vector<NetworkHead> heads_;  ///< [M][K]
};

}  // namespace nomu
