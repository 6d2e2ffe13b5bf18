#include "bo/surrogate/learned.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "bo/space/history.hpp"

namespace nomu {
namespace {

constexpr std::size_t bowl_rows = 8;      // fewer results would be taken for a bowl that has no uncertainty
constexpr int usual_scales = 2;           // softnesses 1, 0.1
constexpr int wide_scales = 6;            // down to 1e-5
constexpr double most_more = 20.0;        // where a few results are larger by orders of magnitude
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
  double evidence = 0.0;  // of the results themselves, less what each free number costs, so that all can be compared
};

struct Explanation {
  double softness = 0.0;  // of the scale
  ProcessKernel::Shape shape = ProcessKernel::Shape::matern;
  bool bowl = false;
  bool tied = false;                        // one length for all variables
  std::vector<std::size_t> stretched = {};  // variables whose ranges have more room at one end
};

/// A number that is fitted costs half the logarithm of the number of results (the criterion of Schwarz). A stretched
/// range costs twice that: it is chosen as well.
double cost_of(const ProcessRows& rows, const Explanation& by) {
  const double numbers = (by.bowl ? 1.0 : 0.0) - (by.tied ? static_cast<double>(rows.variables) - 1.0 : 0.0) +
                         2.0 * static_cast<double>(by.stretched.size());
  return 0.5 * numbers * std::log(static_cast<double>(rows.rows()));
}

std::vector<char> curved_columns(const Space& space) {
  std::vector<char> curved;
  for (const Variable& variable : space.variables()) {
    const bool number = variable.kind != Variable::Kind::categorical;
    curved.insert(curved.end(), number ? 1 : variable.choices.size(), number ? 1 : 0);
  }
  return curved;
}

/// The stretch of every column, if the ranges of these variables have one.
std::vector<std::size_t> stretch_of_columns(const Space& space, const std::vector<std::size_t>& variables) {
  std::vector<std::size_t> columns;
  if (variables.empty()) return columns;
  for (std::size_t v = 0; v < space.size(); ++v) {
    const auto own = std::find(variables.begin(), variables.end(), v);
    const auto place = static_cast<std::size_t>(own - variables.begin());
    const Variable& variable = space.variables()[v];
    columns.insert(columns.end(), variable.kind == Variable::Kind::categorical ? variable.choices.size() : 1,
                   own == variables.end() ? ProcessRows::as_it_is : place);
  }
  return columns;
}

Scaled fit_scaled(const Space& space, ProcessRows rows, const std::vector<double>& values, const Explanation& by,
                  bool noisy) {
  TargetWarp warp(values, by.softness);
  rows.y = warp.apply(values);
  if (by.bowl) rows.curved = curved_columns(space);
  rows.stretch = stretch_of_columns(space, by.stretched);
  const std::size_t lengths = rows.groups;
  if (by.tied) {
    rows.group.assign(rows.group.size(), 0);
    rows.groups = 1;
  }
  ProcessFit fit = fit_process(rows, by.shape, noisy);
  if (by.tied && fit.kernel.lengths.size() == 1)
    fit.kernel.lengths = Vector(Vector::Constant(static_cast<Eigen::Index>(lengths), fit.kernel.lengths[0]));
  const double evidence = fit.evidence + warp.log_jacobian(values) - cost_of(rows, by);
  return {warp, std::move(fit), evidence};
}

/// Explanations of the same results, of which the one with the largest evidence is kept.
class Contest {
 public:
  Contest(const Space& space, ProcessRows rows, const std::vector<double>& values, bool noisy)
      : space_(space),
        rows_(std::move(rows)),
        values_(values),
        noisy_(noisy),
        best_(fit_scaled(space, rows_, values, by_, noisy)) {}

  [[nodiscard]] const Explanation& by() const { return by_; }
  [[nodiscard]] const Scaled& best() const { return best_; }

  /// Whether results suffice for a bowl, and for stretched ranges, is the caller's to say.
  void weigh(const LearnSpec& spec, bool suffice) {
    improves({.shape = Shape::gaussian});
    // A few results cannot teach what each of many variables does, but what all of them do alike.
    if (spec.simpler && suffice) improves({.shape = by_.shape, .bowl = true});
    if (spec.simpler && space_.size() > 1) improves({.shape = by_.shape, .bowl = by_.bowl, .tied = true});
    double softness = 1.0;
    for (int tenths = 0; tenths < scales(spec.wide); ++tenths, softness *= 0.1) {
      Explanation other = by_;
      other.softness = softness;
      if (!improves(other)) break;
    }
    if (spec.wide && by_.softness > 0.0) weigh_again(spec, suffice);
    if (spec.stretch && suffice) weigh_stretches();
  }

 private:
  using Shape = ProcessKernel::Shape;

  bool improves(const Explanation& other) { return improves(other, fit_scaled(space_, rows_, values_, other, noisy_)); }

  bool improves(const Explanation& other, Scaled found) {
    if (!(found.evidence > best_.evidence)) return false;
    best_ = std::move(found);
    by_ = other;
    return true;
  }

  /// The ranges of all numbers may be stretched; or only of the one or two that then are stretched most.
  void weigh_stretches() {
    Explanation other = by_;
    for (std::size_t v = 0; v < space_.size(); ++v) {
      if (space_.variables()[v].kind != Variable::Kind::categorical) other.stretched.push_back(v);
    }
    if (other.stretched.empty()) return;
    const Scaled all = fit_scaled(space_, rows_, values_, other, noisy_);
    improves(other, all);
    if (!std::isfinite(all.evidence)) return;
    std::vector<std::size_t> order(other.stretched.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const std::vector<Stretch>& stretches = all.fit.kernel.stretches;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return std::abs(stretches[a].setting()) > std::abs(stretches[b].setting());
    });
    const std::vector<std::size_t> numbers = std::exchange(other.stretched, {});
    for (std::size_t k = 0; k < std::min<std::size_t>(order.size() - 1, 2); ++k) {
      other.stretched.push_back(numbers[order[k]]);
      improves(other);
    }
  }

  /// How many scales are tried. Where a few huge results rule the unit of softness, those of the others come later.
  [[nodiscard]] int scales(bool wide) const {
    if (!wide) return usual_scales;
    const double orders = std::ceil(std::log10(TargetWarp(values_, 1.0).medians()));
    return wide_scales + static_cast<int>(std::min(orders, most_more));
  }

  /// What was chosen on a scale that a few huge results ruled may be wrong on the scale that was found.
  void weigh_again(const LearnSpec& spec, bool suffice) {
    Explanation other = by_;
    other.shape = by_.shape == Shape::matern ? Shape::gaussian : Shape::matern;
    improves(other);
    if (spec.simpler && suffice) {
      other = by_;
      other.bowl = !by_.bowl;
      improves(other);
    }
    if (spec.simpler && space_.size() > 1) {
      other = by_;
      other.tied = !by_.tied;
      improves(other);
    }
  }

  const Space& space_;
  ProcessRows rows_;
  const std::vector<double>& values_;
  bool noisy_;
  Explanation by_;
  Scaled best_;
};

}  // namespace

ProcessRows process_rows(const Space& space, const std::vector<Point>& points) {
  ProcessRows rows{.x = RowMatrix(static_cast<Eigen::Index>(points.size()), static_cast<Eigen::Index>(space.inputs())),
                   .y = {},
                   .group = {},
                   .groups = space.size(),
                   .variables = space.size()};
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
                                     const std::vector<double>& values, const LearnSpec& spec,
                                     const EarlierRows* earlier) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  if (values.size() < 2 || *low == *high) return {};
  const std::vector<std::size_t> few = fit_subset(values, Direction::maximize, kernel_rows);
  Rows all{.points = points, .values = values};
  Rows some{.points = chosen(points, few), .values = chosen(values, few)};
  if (earlier != nullptr && earlier->learned) {
    const double shift = shift_of(space, all, *earlier);
    const auto shifted = [&](double value) { return std::isfinite(value + shift); };
    // Results among the largest of numbers may be too far from the earlier ones to be compared.
    if (std::ranges::all_of(earlier->values, shifted)) {
      all.add(*earlier, shift);
      some.add(*earlier, shift);
    }
  }
  ProcessRows few_rows = process_rows(space, some.points);
  few_rows.foreign = some.foreign;
  Contest contest(space, std::move(few_rows), some.values, spec.noisy);
  contest.weigh(spec, values.size() >= bowl_rows);
  const Scaled& best = contest.best();
  if (!std::isfinite(best.evidence)) return {};  // no kernel explains them: there is nothing to go by
  ProcessRows rows = process_rows(space, all.points);
  rows.y = best.warp.apply(all.values);
  rows.foreign = all.foreign;
  if (contest.by().bowl) rows.curved = curved_columns(space);
  rows.stretch = stretch_of_columns(space, contest.by().stretched);
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
