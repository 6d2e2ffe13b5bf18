#include "interchange/graph/warp_graph.hpp"

#include <algorithm>
#include <vector>

namespace nomu {
namespace {

/// The operator Sinh has no kernel for doubles in ONNX Runtime.
GraphValue sinh(GraphWriter& graph, const GraphValue& z) {
  const GraphValue up = graph.apply("Exp", {z});
  const GraphValue down = graph.apply("Exp", {graph.apply("Neg", {z})});
  return graph.multiply(graph.number(0.5), graph.subtract(up, down));
}

}  // namespace

GraphValue add_unwarping(GraphWriter& graph, std::span<const Warp> warps, const GraphValue& z) {
  if (std::ranges::none_of(warps, &Warp::active)) return z;
  const auto constant = [&](const char* name, const auto& number) {
    std::vector<double> values;
    for (const Warp& warp : warps) values.push_back(number(warp));
    return graph.doubles(name, values, {static_cast<std::int64_t>(warps.size()), 1, 1, 1});
  };
  const GraphValue centre = constant("warp_centre", [](const Warp& w) { return w.active() ? w.centre : 0.0; });
  const GraphValue scale = constant("warp_scale", [](const Warp& w) { return w.active() ? w.scale : 0.0; });
  const auto invert = [&](const GraphValue& own) { return graph.add(graph.multiply(scale, sinh(graph, own)), centre); };
  if (std::ranges::all_of(warps, &Warp::active)) return invert(z);
  // Where there is no warp, z may be too large for sinh: that of 0 is taken instead, and z added.
  const GraphValue warped = constant("warped", [](const Warp& w) { return w.active() ? 1.0 : 0.0; });
  const GraphValue kept = constant("kept", [](const Warp& w) { return w.active() ? 0.0 : 1.0; });
  return graph.add(invert(graph.multiply(z, warped)), graph.multiply(z, kept));
}

UnwarpedMoments unwarped_moments(GraphWriter& graph, const Warp& warp, const GraphValue& mean, const GraphValue& sigma,
                                 const GraphValue& noise) {
  const GraphValue noise_variance = graph.square(noise);
  const GraphValue total = graph.root(graph.add(graph.square(sigma), noise_variance));
  const GraphValue half = graph.multiply(graph.number(0.5), graph.least(noise_variance, graph.number(1.0)));
  const GraphValue raised = graph.multiply(sinh(graph, mean), graph.apply("Exp", {half}));
  const auto inverted = [&](const GraphValue& z) { return add_unwarping(graph, {&warp, 1}, z); };
  const GraphValue width = graph.subtract(inverted(graph.add(mean, total)), inverted(graph.subtract(mean, total)));
  // Without any deviation, width and factor are 0.
  const GraphValue twice = graph.multiply(graph.number(2.0), graph.most(total, graph.number(1e-300)));
  return {.mean = graph.add(graph.multiply(graph.number(warp.scale), raised), graph.number(warp.centre)),
          .factor = graph.divide(width, twice)};
}

}  // namespace nomu
