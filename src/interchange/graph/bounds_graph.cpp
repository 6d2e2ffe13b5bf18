#include "interchange/graph/bounds_graph.hpp"

#include <fmt/format.h>

#include <vector>

#include "interchange/graph/bayesian_graph.hpp"
#include "interchange/graph/warp_graph.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

GraphValue total(GraphWriter& graph, const GraphValue& model, const std::optional<GraphValue>& noise) {
  return noise ? graph.root(graph.add(graph.square(model), graph.square(*noise))) : model;
}

/// mean + z sigma, with the sigma of the side that z points to.
GraphValue bound_at(GraphWriter& graph, const GraphValue& mean, double z, const GraphValue& below,
                    const GraphValue& above) {
  return graph.add(mean, graph.multiply(graph.number(z), z < 0.0 ? below : above));
}

struct Calibrated {
  GraphValue mean, above, below;
};

/// CV+: ranks over all calibration rows, each score applied to the fold model fitted without its row, on the scale
/// which that model learned. Throws ConfigError for levels at which the ends might cross.
void add_cross_bounds(GraphWriter& graph, const Calibrated& all, const Calibration& calibration,
                      std::span<const MemberScaling> scalings, double level, GraphBounds& bounds) {
  const std::size_t rank = conformal_rank(calibration.scores.size(), level);
  if (2 * rank <= calibration.scores.size())
    throw ConfigError("interchange/onnx",
                      fmt::format("an ONNX file holds CV+ bounds of levels from one half on, got {}", level));
  std::vector<std::int64_t> folds;
  std::vector<Warp> warps;
  for (const std::size_t fold : calibration.score_folds) {
    folds.push_back(static_cast<std::int64_t>(fold) + 1);
    warps.push_back(scalings[fold + 1].warp);
  }
  const auto count = static_cast<std::int64_t>(calibration.scores.size());
  const GraphValue scores = graph.doubles("scores", calibration.scores, {count, 1, 1, 1});
  const GraphValue mean = graph.pick(all.mean, folds);
  const GraphValue below = graph.multiply(scores, graph.pick(all.below, folds));
  const GraphValue above = graph.multiply(scores, graph.pick(all.above, folds));
  const GraphValue low = add_unwarping(graph, warps, graph.subtract(mean, below));
  const GraphValue high = add_unwarping(graph, warps, graph.add(mean, above));
  // The rank-th smallest is the (n + 1 - rank)-th largest, and the lower one its mirror image.
  const std::int64_t k = count + 1 - static_cast<std::int64_t>(rank);
  bounds.lower = graph.apply("Neg", {graph.kth_largest(graph.apply("Neg", {low}), k)});
  bounds.upper = graph.kth_largest(high, k);
}

/// The model's own predictions in the units of the target; the bounds are left alone.
void unwarp(GraphWriter& graph, const Warp& warp, GraphBounds& own) {
  if (!warp.active()) return;
  const UnwarpedMoments found = unwarped_moments(graph, warp, own.mean, own.sigma_model, own.sigma_noise);
  own.mean = found.mean;
  own.sigma_model = graph.multiply(own.sigma_model, found.factor);
  own.sigma_noise = graph.multiply(own.sigma_noise, found.factor);
  if (own.sigma_below) own.sigma_below = graph.multiply(*own.sigma_below, found.factor);
}

}  // namespace

GraphBounds add_bounds(GraphWriter& graph, const GraphPrediction& members, const Calibration& calibration,
                       std::span<const MemberScaling> scalings, std::optional<double> level) {
  const auto times = [&](const GraphValue& value, double c) {
    return c == 1.0 ? value : graph.multiply(value, graph.number(c));
  };
  const std::int64_t first = 0;
  const auto own = [&](const GraphValue& value) {
    return scalings.size() == 1 ? value : graph.pick(value, {&first, 1});
  };
  const GraphValue model = times(members.sigma_model, calibration.c_model);
  std::optional<GraphValue> noise;
  if (members.sigma_noise) noise = times(*members.sigma_noise, calibration.c_noise);
  Calibrated all{.mean = members.mean, .above = total(graph, model, noise), .below = {}};
  all.below = all.above;
  GraphBounds bounds{.mean = own(members.mean), .sigma_model = own(model), .sigma_noise = {}};
  bounds.sigma_noise = noise ? own(*noise) : constant_like(graph, graph.number(0.0), bounds.mean);
  if (members.sigma_below) {
    const GraphValue below = times(*members.sigma_below, calibration.c_model);
    all.below = total(graph, below, noise);
    bounds.sigma_below = own(below);
  }
  const Warp& warp = scalings.front().warp;
  if (level && calibration.kind == CalibrationKind::cross_conformal) {
    add_cross_bounds(graph, all, calibration, scalings, *level, bounds);
  } else if (level) {
    const Multipliers interval = multipliers(calibration, *level);
    const auto end = [&](double z) {
      return add_unwarping(graph, {&warp, 1}, bound_at(graph, bounds.mean, z, own(all.below), own(all.above)));
    };
    bounds.lower = end(-interval.below);
    bounds.upper = end(interval.above);
  }
  unwarp(graph, warp, bounds);
  return bounds;
}

void move_into(GraphWriter& graph, const TargetRange& range, GraphBounds& bounds) {
  const auto moved = [&](GraphValue& value) {
    if (range.low > -TargetRange::infinity) value = graph.apply("Max", {value, graph.number(range.low)});
    if (range.high < TargetRange::infinity) value = graph.apply("Min", {value, graph.number(range.high)});
  };
  moved(bounds.mean);
  if (bounds.lower) moved(*bounds.lower);
  if (bounds.upper) moved(*bounds.upper);
}

}  // namespace nomu
