#include "nomu/eval/desiderata.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "eval/row_checks.hpp"
#include "nomu/core/error.hpp"
#include "nomu/core/random.hpp"
#include "nomu/eval/statistics.hpp"

namespace nomu {
namespace {

constexpr std::string_view where = "eval/desiderata";
constexpr double d2_threshold = 0.25;
constexpr double d3_threshold = 0.5;
constexpr double difference_step = 0.02;            // of the box's width
constexpr std::size_t fewest_fit_rows = 4;          // the fewest a data set may have
constexpr std::size_t most_posterior_probes = 200;  // of a region: each solves a system of its own

struct Box {
  std::vector<double> low;
  std::vector<double> high;
  std::vector<NamedInputs> named = {};

  [[nodiscard]] std::size_t cols() const { return low.size(); }
  [[nodiscard]] double width(std::size_t j) const { return high[j] - low[j]; }
  [[nodiscard]] bool contains(std::span<const double> x) const {
    for (std::size_t j = 0; j < cols(); ++j) {
      if (x[j] < low[j] || x[j] > high[j]) return false;
    }
    return true;
  }
};

void check_setup(std::span<const double> train, const DesiderataSubject& subject, const DesiderataSpec& spec) {
  if (!subject.sigma) throw ConfigError(where, "there is no sigma to check");
  if (spec.probes < 2) throw ConfigError(where, fmt::format("at least 2 probes are needed, got {}", spec.probes));
  const std::size_t cols = spec.low.size();
  if (cols == 0 || spec.high.size() != cols) {
    throw ConfigError(where, fmt::format("the box has {} lower and {} upper ends; give one of each per input", cols,
                                         spec.high.size()));
  }
  if (!spec.names.empty() && spec.names.size() != cols) {
    throw ConfigError(where, fmt::format("{} names given for {} inputs", spec.names.size(), cols));
  }
  bool empty = true;
  for (std::size_t j = 0; j < cols; ++j) {
    if (!(std::isfinite(spec.low[j]) && std::isfinite(spec.high[j]) && spec.low[j] <= spec.high[j])) {
      throw ConfigError(
          where, fmt::format(
                     "the box goes from {} to {} along input {} (counted from 0); its ends must be finite and in order",
                     spec.low[j], spec.high[j], j));
    }
    empty = empty && spec.low[j] == spec.high[j];
  }
  if (empty) throw ConfigError(where, "every input is constant, so there is nothing to check");
  std::size_t next = 0;
  for (const NamedInputs& named : spec.named) {
    if (named.first < next || named.size == 0 || named.size > cols - std::min(cols, named.first)) {
      throw ConfigError(where, fmt::format("the {} inputs of {} from {} on (counted from 0) are not in order or not "
                                           "among the {} inputs",
                                           named.size, named.name, named.first, cols));
    }
    next = named.first + named.size;
  }
  if (train.size() % cols != 0) {
    throw DataError(where, fmt::format("{} values do not fill rows of {} inputs", train.size(), cols));
  }
  if (train.size() < 2 * cols) throw DataError(where, "at least 2 training rows are needed");
  require_finite(where, "training input", train);
}

Box data_box(std::span<const double> train, std::size_t cols, const std::vector<NamedInputs>& named) {
  Box box{.low = {train.begin(), train.begin() + static_cast<std::ptrdiff_t>(cols)}, .high = {}, .named = named};
  box.high = box.low;
  for (std::size_t i = 0; i < train.size(); ++i) {
    box.low[i % cols] = std::min(box.low[i % cols], train[i]);
    box.high[i % cols] = std::max(box.high[i % cols], train[i]);
  }
  return box;
}

/// Names count from 0 and begin again after the last.
void set_name(std::span<double> x, const NamedInputs& named, std::size_t chosen) {
  const std::span<double> own = x.subspan(named.first, named.size);
  if (named.size == 1) {
    own[0] = static_cast<double>(chosen % 2);
    return;
  }
  std::ranges::fill(own, 0.0);
  own[chosen % named.size] = 1.0;
}

/// Uniform points of a box outside `except`, [count][d]; fewer than `count` if `except` leaves hardly any room.
std::vector<double> uniform_points(const Box& box, std::size_t count, Random random, const Box* except = nullptr) {
  constexpr std::size_t tries = 100;
  std::vector<double> points;
  std::vector<double> x(box.cols());
  for (std::size_t trial = 0; trial < tries * count && points.size() < count * box.cols(); ++trial) {
    for (std::size_t j = 0; j < x.size(); ++j) x[j] = std::lerp(box.low[j], box.high[j], random.uniform());
    for (const NamedInputs& named : box.named) set_name(x, named, random.below(std::max<std::size_t>(named.size, 2)));
    if (except == nullptr || !except->contains(x)) points.insert(points.end(), x.begin(), x.end());
  }
  return points;
}

std::vector<double> evaluate(const RowFunction& function, std::span<const double> points, std::size_t cols,
                             std::string_view what) {
  std::vector<double> values = function(points);
  require_rows(where, what, values, points.size() / cols);
  return values;
}

std::vector<double> distances(std::span<const double> points, std::span<const double> train, const Box& box) {
  return distances_to_data(points, train, box.low, box.high);
}

void heed(const std::stop_token& stop) {
  if (stop.stop_requested()) throw Cancelled(where, "stopped on request");
}

bool constant(std::span<const double> values) {
  return std::ranges::all_of(values, [&](double value) { return value == values.front(); });
}

Finding skipped(Desideratum desideratum, std::string name, std::string why) {
  return {.name = std::move(name), .desideratum = desideratum, .verdict = Verdict::skipped, .sentence = std::move(why)};
}

Finding judged(Desideratum desideratum, std::string name, double measured, double threshold, bool holds,
               std::string sentence) {
  return {.name = std::move(name),
          .desideratum = desideratum,
          .verdict = holds ? Verdict::holds : Verdict::fails,
          .measured = measured,
          .threshold = threshold,
          .sentence = std::move(sentence)};
}

Finding examine_d1(const DesiderataSubject& subject, std::span<const double> probes, std::size_t cols) {
  if (!subject.raw_sigma)
    return skipped(Desideratum::d1, "D1", "The method has no raw sigma, so its uncertainty cannot be negative.");
  const std::vector<double> raw = evaluate(subject.raw_sigma, probes, cols, "raw sigma");
  const auto negative = std::ranges::count_if(raw, [](double value) { return value < 0.0; });
  const double share = static_cast<double>(negative) / static_cast<double>(raw.size());
  return {.name = "D1",
          .desideratum = Desideratum::d1,
          .verdict = Verdict::reported,
          .measured = share,
          .sentence = fmt::format("The raw sigma is below 0 at {} of {} probes ({:.3g} %).", negative, raw.size(),
                                  100.0 * share)};
}

Finding examine_d2(std::span<const double> at_data, std::span<const double> elsewhere) {
  const double here = median(at_data);
  const double there = median(elsewhere);
  if (!(there > 0.0))
    return skipped(Desideratum::d2, "D2", "The median sigma at the probes is 0, so there is nothing to compare with.");
  const double ratio = here / there;
  return judged(Desideratum::d2, "D2", ratio, d2_threshold, ratio < d2_threshold,
                fmt::format("Sigma at the training points is {:.3g} times sigma elsewhere (medians {:.3g} and {:.3g}); "
                            "the ratio should be below {}.",
                            ratio, here, there, d2_threshold));
}

Finding examine_d3(std::string name, std::string_view region, std::span<const double> sigma,
                   std::span<const double> distance, std::string_view what = "the distance to the data") {
  if (sigma.size() < 2 || constant(distance)) {
    return skipped(Desideratum::d3, std::move(name), fmt::format("There is no room to probe {}.", region));
  }
  if (constant(sigma)) {
    return judged(Desideratum::d3, std::move(name), 0.0, d3_threshold, false,
                  fmt::format("Sigma is the same everywhere {}.", region));
  }
  const double correlation = spearman(sigma, distance);
  return judged(Desideratum::d3, std::move(name), correlation, d3_threshold, correlation > d3_threshold,
                fmt::format("Sigma and {} have rank correlation {:.3g} {}; it should be above {}.", what, correlation,
                            region, d3_threshold));
}

/// The first rows of `points` [q][d] and their values, appended to `to`.
struct ProbedRows {
  std::vector<double> points;
  std::vector<double> sigma;

  void add_some(std::span<const double> from, std::span<const double> values, std::size_t cols) {
    const std::size_t rows = std::min(values.size(), most_posterior_probes);
    points.insert(points.end(), from.begin(), from.begin() + static_cast<std::ptrdiff_t>(rows * cols));
    sigma.insert(sigma.end(), values.begin(), values.begin() + static_cast<std::ptrdiff_t>(rows));
  }
};

void examine_distances(const DesiderataSubject& subject, const DesiderataSpec& spec, std::span<const double> train,
                       const Box& box, const std::stop_token& stop, std::vector<Finding>& findings) {
  const Box data = data_box(train, box.cols(), box.named);
  const std::vector<double> inside = uniform_points(data, spec.probes, Random(spec.seed, 1));
  const std::vector<double> outside = uniform_points(box, spec.probes, Random(spec.seed, 2), &data);
  std::vector<double> sigma = evaluate(subject.sigma, inside, box.cols(), "sigma");
  heed(stop);
  std::vector<double> distance = distances(inside, train, box);
  heed(stop);
  Finding gaps = examine_d3("D3 gaps", "in the gaps between the data", sigma, distance);
  ProbedRows some;
  some.add_some(inside, sigma, box.cols());
  Finding beyond = skipped(Desideratum::d3, "D3 outside",
                           "The box does not extend beyond the data, so there is nothing outside to probe.");
  if (!outside.empty()) {
    const std::vector<double> far_sigma = evaluate(subject.sigma, outside, box.cols(), "sigma");
    heed(stop);
    const std::vector<double> far_distance = distances(outside, train, box);
    beyond = examine_d3("D3 outside", "outside the range of the data", far_sigma, far_distance);
    some.add_some(outside, far_sigma, box.cols());
    sigma.insert(sigma.end(), far_sigma.begin(), far_sigma.end());
    distance.insert(distance.end(), far_distance.begin(), far_distance.end());
  }
  findings.push_back(examine_d3("D3", "over the whole box", sigma, distance));
  findings.push_back(std::move(gaps));
  findings.push_back(std::move(beyond));
  heed(stop);
  findings.push_back(examine_d3("D3 posterior", "over the whole box", some.sigma,
                                posterior_deviations(some.points, train, box.low, box.high),
                                "the posterior deviation of a Gaussian process that saw the same rows"));
}

/// Inputs that are numbers and vary.
std::vector<std::size_t> numbers_of(const Box& box) {
  std::vector<std::size_t> numbers;
  auto named = box.named.begin();
  for (std::size_t j = 0; j < box.cols();) {
    if (named != box.named.end() && named->first == j) {
      j += named++->size;
      continue;
    }
    if (box.width(j) > 0.0) numbers.push_back(j);
    ++j;
  }
  return numbers;
}

/// All, or `count` of them in the same order.
std::vector<std::size_t> some_of(std::span<const std::size_t> all, std::size_t count, Random random) {
  std::vector<std::size_t> some(all.begin(), all.end());
  if (all.size() <= count) return some;
  std::vector<std::size_t> places = random.permutation(all.size());
  places.resize(count);
  std::ranges::sort(places);
  some.clear();
  for (const std::size_t place : places) some.push_back(all[place]);
  return some;
}

/// Mean absolute change of a function per step along each of the inputs.
std::vector<double> sensitivities(const RowFunction& function, std::span<const double> probes, const Box& box,
                                  std::span<const std::size_t> inputs, std::string_view what,
                                  const std::stop_token& stop) {
  const std::vector<double> base = evaluate(function, probes, box.cols(), what);
  std::vector<double> result;
  for (const std::size_t j : inputs) {
    heed(stop);
    std::vector<double> moved(probes.begin(), probes.end());
    const double step = difference_step * box.width(j);
    for (std::size_t at = j; at < moved.size(); at += box.cols())
      moved[at] += moved[at] + step > box.high[j] ? -step : step;
    const std::vector<double> values = evaluate(function, moved, box.cols(), what);
    double sum = 0.0;
    for (std::size_t i = 0; i < base.size(); ++i) sum += std::abs(values[i] - base[i]);
    result.push_back(sum / static_cast<double>(base.size()));
  }
  return result;
}

/// Names are left out: from one name that the data know to another there is no distance to the data that could grow,
/// so sigma has no reason to follow how much the name matters.
void examine_d4(const DesiderataSubject& subject, const DesiderataSpec& spec, std::span<const double> probes,
                const Box& box, const std::stop_token& stop, std::vector<Finding>& findings) {
  if (!subject.mean)
    return findings.push_back(skipped(Desideratum::d4, "D4", "There is no mean to compare sigma with."));
  const std::vector<std::size_t> numbers = numbers_of(box);
  const std::vector<std::size_t> inputs = some_of(numbers, spec.most_inputs, Random(spec.seed, 4));
  if (inputs.size() < 2) {
    return findings.push_back(skipped(Desideratum::d4, "D4",
                                      box.named.empty()
                                          ? "With one input there is nothing to compare."
                                          : "With fewer than two inputs that are numbers there is nothing to compare; "
                                            "another name is not farther from the data."));
  }
  const auto called = [&](std::size_t k) {
    return spec.names.empty() ? fmt::format("{}", inputs[k] + 1) : fmt::format("'{}'", spec.names[inputs[k]]);
  };
  const std::string what = box.named.empty() ? "inputs" : "inputs that are numbers";
  const std::string drawn =
      inputs.size() < numbers.size() ? fmt::format("{} drawn from {} {}", inputs.size(), numbers.size(), what) : "";
  const std::vector<double> of_mean = sensitivities(subject.mean, probes, box, inputs, "mean", stop);
  const std::vector<double> of_sigma = sensitivities(subject.sigma, probes, box, inputs, "sigma", stop);
  if (constant(of_mean))
    return findings.push_back(skipped(Desideratum::d4, "D4", "All inputs matter equally to the mean."));
  const auto most = static_cast<std::size_t>(std::ranges::max_element(of_mean) - of_mean.begin());
  const auto least = static_cast<std::size_t>(std::ranges::min_element(of_mean) - of_mean.begin());
  // A sigma that ignores the least important input would give an infinite ratio, which reports cannot store.
  const double ratio = of_sigma[most] > 0.0 ? of_sigma[most] / std::max(of_sigma[least], 1e-9 * of_sigma[most]) : 0.0;
  const std::string among = !drawn.empty() ? " of " + drawn : box.named.empty() ? "" : " of the numbers";
  findings.push_back(judged(Desideratum::d4, "D4", ratio, 1.0, ratio > 1.0,
                            fmt::format("Sigma changes {:.3g} times as much along input {}, which matters most to the "
                                        "mean{}, as along input {}, which matters least; the ratio should be above 1.",
                                        ratio, called(most), among, called(least))));
  if (inputs.size() < 3) return;
  const double correlation = constant(of_sigma) ? 0.0 : spearman(of_mean, of_sigma);
  findings.push_back(
      judged(Desideratum::d4, "D4 across inputs", correlation, 0.0, correlation > 0.0,
             fmt::format("Over {}, the effect on the mean and the effect on sigma have rank "
                         "correlation {:.3g}; it should be above 0.",
                         drawn.empty() ? fmt::format("all {} {}", inputs.size(), what) : drawn, correlation)));
}

Finding examine_d5(const DesiderataSubject& subject, std::size_t rows, std::span<const double> probes, std::size_t cols,
                   std::uint64_t seed) {
  if (!subject.refit) return skipped(Desideratum::d5, "D5", "No function to refit the model was given.");
  const std::vector<std::size_t> order = Random(seed, 3).permutation(rows);
  std::vector<std::vector<std::size_t>> subsets;
  for (const std::size_t size : {rows / 4, rows / 2, rows}) {
    if (size < fewest_fit_rows) continue;
    subsets.emplace_back(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(size));
    std::ranges::sort(subsets.back());
  }
  if (subsets.size() < 2)
    return skipped(Desideratum::d5, "D5", fmt::format("{} rows are too few to refit on a part of them.", rows));
  const std::vector<RowFunction> fits = subject.refit(subsets);
  if (fits.size() != subsets.size()) {
    throw DataError(where, fmt::format("refitting {} subsets gave {} fits", subsets.size(), fits.size()));
  }
  std::string means_text;
  std::vector<double> means;
  for (std::size_t k = 0; k < fits.size(); ++k) {
    means.push_back(mean(evaluate(fits[k], probes, cols, "sigma after refitting")));
    means_text += fmt::format("{}{:.3g} with {} rows", k == 0 ? "" : ", ", means.back(), subsets[k].size());
  }
  if (!(means.front() > 0.0))
    return skipped(Desideratum::d5, "D5", "Sigma is 0 with the fewest rows, so it cannot shrink.");
  const double ratio = means.back() / means.front();
  return judged(Desideratum::d5, "D5", ratio, 1.0, ratio < 1.0,
                fmt::format("The mean sigma is {}; it should fall.", means_text));
}

}  // namespace

const Finding& DesiderataReport::find(std::string_view name) const {
  const auto found = std::ranges::find(findings, name, &Finding::name);
  if (found == findings.end()) throw ConfigError(where, fmt::format("there is no finding '{}'", name));
  return *found;
}

DesiderataReport check_desiderata(std::span<const double> train_inputs, const DesiderataSubject& subject,
                                  const DesiderataSpec& spec, const std::stop_token& stop) {
  check_setup(train_inputs, subject, spec);
  const Box box{.low = spec.low, .high = spec.high, .named = spec.named};
  const std::size_t cols = box.cols();
  const std::vector<double> probes = uniform_points(box, spec.probes, Random(spec.seed, 0));
  DesiderataReport report;
  report.findings.push_back(examine_d1(subject, probes, cols));
  const std::vector<double> at_data = evaluate(subject.sigma, train_inputs, cols, "sigma at the training point");
  heed(stop);
  report.findings.push_back(examine_d2(at_data, evaluate(subject.sigma, probes, cols, "sigma")));
  examine_distances(subject, spec, train_inputs, box, stop, report.findings);
  examine_d4(subject, spec, probes, box, stop, report.findings);
  heed(stop);
  report.findings.push_back(examine_d5(subject, train_inputs.size() / cols, probes, cols, spec.seed));
  return report;
}

}  // namespace nomu
