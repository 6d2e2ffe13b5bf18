#include "interchange/graph/bounds_graph.hpp"

#include <vector>

#include "interchange/graph/bayesian_graph.hpp"

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

/// CV+: ranks over all calibration rows, each score applied to the fold model fitted without its row.
void add_cross_bounds(GraphWriter& graph, const Calibrated& all, const Calibration& calibration, double level,
                      GraphBounds& bounds) {
  std::vector<std::int64_t> folds;
  for (const std::size_t fold : calibration.score_folds) folds.push_back(static_cast<std::int64_t>(fold) + 1);
  const auto count = static_cast<std::int64_t>(calibration.scores.size());
  const GraphValue scores = graph.doubles("scores", calibration.scores, {count, 1, 1, 1});
  const GraphValue mean = graph.pick(all.mean, folds);
  const GraphValue low = graph.subtract(mean, graph.multiply(scores, graph.pick(all.below, folds)));
  const GraphValue high = graph.add(mean, graph.multiply(scores, graph.pick(all.above, folds)));
  // The rank-th smallest is the (n + 1 - rank)-th largest, and the lower one its mirror image.
  const std::int64_t k = count + 1 - static_cast<std::int64_t>(conformal_rank(calibration.scores.size(), level));
  const GraphValue from = graph.apply("Neg", {graph.kth_largest(graph.apply("Neg", {low}), k)});
  const GraphValue to = graph.kth_largest(high, k);
  bounds.lower = graph.apply("Min", {from, to});
  bounds.upper = graph.apply("Max", {from, to});
}

}  // namespace

GraphValue add_input_scaling(GraphWriter& graph, const GraphValue& x, std::span<const MemberScaling> scalings) {
  const std::size_t cols = scalings.front().inputs.cols();
  const GraphValue shift = each_member(
      graph, "input_shift", scalings, cols, [](const MemberScaling& s) -> const auto& { return s.inputs.shift; });
  const GraphValue factor = each_member(
      graph, "input_factor", scalings, cols, [](const MemberScaling& s) -> const auto& { return s.inputs.factor; });
  return graph.to_float(graph.divide(graph.subtract(graph.to_double(x), shift), factor));
}

GraphPrediction add_target_scaling(GraphWriter& graph, const GraphPrediction& scaled,
                                   std::span<const MemberScaling> scalings) {
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

GraphBounds add_bounds(GraphWriter& graph, const GraphPrediction& members, const Calibration& calibration,
                       std::size_t count, std::optional<double> level) {
  const auto times = [&](const GraphValue& value, double c) {
    return c == 1.0 ? value : graph.multiply(value, graph.number(c));
  };
  const std::int64_t first = 0;
  const auto own = [&](const GraphValue& value) { return count == 1 ? value : graph.pick(value, {&first, 1}); };
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
  if (!level) return bounds;
  if (calibration.kind == CalibrationKind::cross_conformal) {
    add_cross_bounds(graph, all, calibration, *level, bounds);
    return bounds;
  }
  const Multipliers interval = multipliers(calibration, *level);
  bounds.lower = bound_at(graph, bounds.mean, -interval.below, own(all.below), own(all.above));
  bounds.upper = bound_at(graph, bounds.mean, interval.above, own(all.below), own(all.above));
  return bounds;
}

}  // namespace nomu
