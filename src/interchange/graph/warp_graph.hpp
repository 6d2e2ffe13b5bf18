#pragma once
// The way back from a warped target (nomu/eval/warp.hpp), as part of an ONNX graph.

#include <span>

#include "interchange/graph_writer.hpp"
#include "nomu/eval/warp.hpp"

namespace nomu {

/// Warp::invert of z, double [W][...], with one warp for each entry of the first axis; z itself if none is active.
[[nodiscard]] GraphValue add_unwarping(GraphWriter& graph, std::span<const Warp> warps, const GraphValue& z);

/// What `unwarped` makes of predictions: their mean, and what all their deviations are multiplied by.
struct UnwarpedMoments {
  GraphValue mean;
  GraphValue factor;
};

/// For an active warp; `noise` is a deviation, too.
[[nodiscard]] UnwarpedMoments unwarped_moments(GraphWriter& graph, const Warp& warp, const GraphValue& mean,
                                               const GraphValue& sigma, const GraphValue& noise);

}  // namespace nomu
