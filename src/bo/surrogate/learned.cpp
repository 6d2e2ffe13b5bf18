#include "bo/surrogate/learned.hpp"

#include <algorithm>
#include <utility>

#include "bo/space/history.hpp"

namespace nomu {
namespace {

constexpr std::size_t kernel_rows = 100;  // the search for a kernel is cubic in them, and repeated a hundred times

template <class T>
std::vector<T> chosen(const std::vector<T>& all, const std::vector<std::size_t>& rows) {
  std::vector<T> result;
  result.reserve(rows.size());
  for (const std::size_t k : rows) result.push_back(all[k]);
  return result;
}

/// At most this many, evenly spaced.
std::vector<Point> spaced(const std::vector<Point>& points, std::size_t most) {
  const std::size_t taken = std::min(points.size(), most);
  std::vector<Point> result;
  for (std::size_t k = 0; k < taken; ++k) result.push_back(points[k * points.size() / taken]);
  return result;
}

struct Rows {
  std::vector<Point> points;
  std::vector<double> values;
  std::vector<char> foreign = {};

  void add(const EarlierRows& earlier, double shift) {
    foreign.assign(points.size(), 0);
    points.insert(points.end(), earlier.points.begin(), earlier.points.end());
    for (const double value : earlier.values) values.push_back(value + shift);
    foreign.resize(points.size(), 1);
  }
};

/// What the new results exceed the earlier function by, on average.
double shift_of(const Space& space, const Rows& rows, const EarlierRows& earlier) {
  double sum = 0.0;
  for (std::size_t i = 0; i < rows.points.size(); ++i) {
    const double mean = earlier.learned->process.mean_at(space.to_inputs(rows.points[i]));
    sum += rows.values[i] - earlier.learned->warp.invert(mean);
  }
  return sum / static_cast<double>(rows.points.size());
}

struct Scaled {
  TargetWarp warp;
  ProcessFit fit;
  double evidence = 0.0;  // of the results themselves, so that scales can be compared
};

Scaled fit_scaled(ProcessRows& rows, const std::vector<double>& values, double softness, ProcessKernel::Shape shape,
                  bool noisy) {
  TargetWarp warp(values, softness);
  rows.y = warp.apply(values);
  ProcessFit fit = fit_process(rows, shape, noisy);
  const double evidence = fit.evidence + warp.log_jacobian(values);
  return {warp, std::move(fit), evidence};
}

}  // namespace

ProcessRows process_rows(const Space& space, const std::vector<Point>& points) {
  ProcessRows rows{.x = RowMatrix(static_cast<Eigen::Index>(points.size()), static_cast<Eigen::Index>(space.inputs())),
                   .y = {},
                   .group = {},
                   .groups = space.size()};
  for (std::size_t v = 0; v < space.size(); ++v) {
    const Variable& variable = space.variables()[v];
    rows.group.insert(rows.group.end(), variable.kind == Variable::Kind::categorical ? variable.choices.size() : 1, v);
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::vector<double> inputs = space.to_inputs(points[i]);
    std::copy(inputs.begin(), inputs.end(), rows.x.row(static_cast<Eigen::Index>(i)).data());
  }
  return rows;
}

std::shared_ptr<const Learned> learn(const Space& space, const std::vector<Point>& points,
                                     const std::vector<double>& values, bool noisy, const EarlierRows* earlier) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  if (values.size() < 2 || *low == *high) return {};
  const std::vector<std::size_t> few = fit_subset(values, Direction::maximize, kernel_rows);
  Rows all{.points = points, .values = values};
  Rows some{.points = chosen(points, few), .values = chosen(values, few)};
  if (earlier != nullptr && earlier->learned) {
    const double shift = shift_of(space, all, *earlier);
    all.add(*earlier, shift);
    some.add(*earlier, shift);
  }
  const std::vector<double>& few_values = some.values;
  ProcessRows few_rows = process_rows(space, some.points);
  few_rows.foreign = some.foreign;
  using Shape = ProcessKernel::Shape;
  Scaled best = fit_scaled(few_rows, few_values, 0.0, Shape::matern, noisy);
  if (Scaled other = fit_scaled(few_rows, few_values, 0.0, Shape::gaussian, noisy); other.evidence > best.evidence)
    best = std::move(other);
  for (const double softness : {1.0, 0.1}) {
    Scaled other = fit_scaled(few_rows, few_values, softness, best.fit.kernel.shape, noisy);
    if (!(other.evidence > best.evidence)) break;
    best = std::move(other);
  }
  ProcessRows rows = process_rows(space, all.points);
  rows.y = best.warp.apply(all.values);
  rows.foreign = all.foreign;
  auto learned = std::make_shared<Learned>(Learned{best.warp, Process(std::move(rows), best.fit.kernel)});
  return learned->process.valid() ? learned : nullptr;
}

std::shared_ptr<const Process> learn_success(const Space& space, const std::vector<Point>& finished,
                                             const std::vector<Point>& failed) {
  if (finished.empty() || failed.empty()) return {};
  std::vector<Point> points = spaced(finished, kernel_rows);
  const std::size_t successes = points.size();
  const std::vector<Point> failures = spaced(failed, kernel_rows);
  points.insert(points.end(), failures.begin(), failures.end());
  ProcessRows rows = process_rows(space, points);
  rows.y = Vector::Constant(rows.rows(), -1.0);
  rows.y.head(static_cast<Eigen::Index>(successes)).setOnes();
  const ProcessFit fit = fit_process(rows, ProcessKernel::Shape::matern, false);
  auto process = std::make_shared<Process>(std::move(rows), fit.kernel);
  return process->valid() ? process : nullptr;
}

}  // namespace nomu
