#include "models/nomu/artificial_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/sampling.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr const char* where = "models/augmentation";

/// Lower and upper corners, [1 or M][2][d].
Tensor<double> box_of(const Augmentation& spec, const Cohort& cohort) {
  const std::size_t d = cohort.cols();
  if (spec.box == Augmentation::Box::cube) {
    Tensor<double> box(1, 2, d, spec.reach);
    for (double& low : box.row(0, 0)) low = -low;
    return box;
  }
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Tensor<double> box(cohort.members(), 2, d);
  for (std::size_t m = 0; m < cohort.members(); ++m) {
    std::ranges::fill(box.row(m, 0), infinity);
    std::ranges::fill(box.row(m, 1), -infinity);
    for (std::size_t i = 0; i < cohort.rows(); ++i) {
      if (!cohort.row_weight.empty() && cohort.row_weight(m, i, 0) == 0.0F) continue;
      for (std::size_t j = 0; j < d; ++j) {
        const auto x = static_cast<double>(cohort.x(m, i, j));
        box(m, 0, j) = std::min(box(m, 0, j), x);
        box(m, 1, j) = std::max(box(m, 1, j), x);
      }
    }
    for (std::size_t j = 0; j < d; ++j) {
      const double extra = spec.margin * (box(m, 1, j) - box(m, 0, j));
      box(m, 0, j) -= extra;
      box(m, 1, j) += extra;
    }
  }
  return box;
}

Tensor<float> narrowed(const Tensor<double>& values) {
  Tensor<float> narrow(values.members(), values.rows(), values.cols());
  std::ranges::transform(values.flat(), narrow.flat().begin(), [](double v) { return static_cast<float>(v); });
  return narrow;
}

/// All points of a grid over each box, including its edges, in row-major order.
Tensor<float> grid_points(const Tensor<double>& box, std::size_t per_axis) {
  const std::size_t d = box.cols();
  std::size_t count = 1;
  for (std::size_t j = 0; j < d; ++j) count *= per_axis;
  Tensor<float> points(box.members(), count, d);
  for (std::size_t m = 0; m < box.members(); ++m) {
    for (std::size_t i = 0; i < count; ++i) {
      std::size_t rest = i;
      for (std::size_t j = d; j-- > 0; rest /= per_axis) {
        const double share =
            per_axis == 1 ? 0.5 : static_cast<double>(rest % per_axis) / static_cast<double>(per_axis - 1);
        const double middle = 0.5 * (box(m, 0, j) + box(m, 1, j));
        const double half = 0.5 * (box(m, 1, j) - box(m, 0, j));
        points(m, i, j) = static_cast<float>(middle + half * (2.0 * share - 1.0));
      }
    }
  }
  return points;
}

engine::Augment grid(const Augmentation& spec, const Cohort& cohort) {
  const std::size_t d = cohort.cols();
  const auto count = static_cast<std::size_t>(spec.count);
  const auto per_axis =
      static_cast<std::size_t>(std::llround(std::pow(static_cast<double>(count), 1.0 / static_cast<double>(d))));
  engine::Augment augment{.kind = engine::AugmentKind::fixed,
                          .count = count,
                          .box = {},
                          .points = grid_points(box_of(spec, cohort), per_axis)};
  if (augment.points.rows() != count) {
    throw ConfigError(
        where, fmt::format("augment.count = {} does not make a grid in {} dimensions; use {}, or uniform points", count,
                           d, augment.points.rows()));
  }
  return augment;
}

engine::Augment given(const Augmentation& spec, const Cohort& cohort) {
  const Tensor<float>& points = cohort.unlabelled;
  if (points.empty() || points.cols() != cohort.cols()) {
    throw DataError(
        where,
        fmt::format("augment.kind = given needs points, but {}; give points with {} columns, scaled like x",
                    points.empty() ? std::string("there are none") : fmt::format("they have {} columns", points.cols()),
                    cohort.cols()));
  }
  const auto wanted = static_cast<std::size_t>(spec.count);
  const bool all = wanted >= points.rows();
  return {.kind = all ? engine::AugmentKind::fixed : engine::AugmentKind::pool,
          .count = all ? points.rows() : wanted,
          .box = {},
          .points = points};
}

}  // namespace

Fields fields_of(Augmentation& spec) {
  Fields f(where);
  f.add_choice("kind", spec.kind, {"uniform", "low_discrepancy", "grid", "given"}, "how artificial points are chosen");
  f.add("count", spec.count, Range::between(0, 1e9), "artificial points per step; 0: chosen from the data");
  f.add_choice("box", spec.box, {"cube", "data"}, "where they lie: [-reach, reach]^d or the range of the data");
  f.add("reach", spec.reach, Range::positive(), "the artificial points lie in [-reach, reach]^d of the scaled inputs");
  f.add("margin", spec.margin, Range::at_least(0.0),
        "share of its range by which the box of the data is widened on either side");
  return f;
}

engine::Augment artificial_points(const Augmentation& spec, const Cohort& cohort) {
  if (spec.count < 1) throw ConfigError(where, fmt::format("augment.count must be positive, got {}", spec.count));
  if (spec.kind == Augmentation::Kind::grid) return grid(spec, cohort);
  if (spec.kind == Augmentation::Kind::given) return given(spec, cohort);
  const bool uniform = spec.kind == Augmentation::Kind::uniform;
  return {.kind = uniform ? engine::AugmentKind::uniform : engine::AugmentKind::low_discrepancy,
          .count = static_cast<std::size_t>(spec.count),
          .box = narrowed(box_of(spec, cohort)),
          .points = {}};
}

Tensor<float> draw_points(const engine::Augment& augment, const Cohort& cohort, std::size_t count) {
  engine::Augment once = augment;
  once.count = once.kind == engine::AugmentKind::fixed ? once.points.rows() : count;
  Tensor<float> points(cohort.members(), once.count, cohort.cols());
  for (std::size_t m = 0; m < cohort.members(); ++m) {
    engine::draw_augmented(once, m, cohort.seeds[m], 0, cohort.cols(), points.member(m).data());
  }
  return points;
}

}  // namespace nomu
