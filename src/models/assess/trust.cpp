#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "nomu/core/random.hpp"
#include "nomu/eval/metrics.hpp"
#include "nomu/eval/statistics.hpp"
#include "nomu/models/assess.hpp"

namespace nomu {
namespace {

constexpr std::size_t most_rows = 400;  ///< enough to rank the inputs
constexpr std::size_t most_drivers = 3;
constexpr double weak_driver = 0.05;  ///< changes below this share are not worth a word
constexpr double much_wider = 5.0;    ///< times the median width: such rows are worth a word
constexpr double memorised = 0.5;     ///< share of the unseen error below which the error of seen rows says little

std::vector<double> total_sigma(const PredictedRows& rows) { return central_sigma({}, rows); }

/// Each row's share of the interval score.
std::vector<double> row_scores(const Bounds& bounds, std::span<const double> targets, double level) {
  const std::span<const double> lower(bounds.lower);
  const std::span<const double> upper(bounds.upper);
  std::vector<double> scores;
  for (std::size_t i = 0; i < targets.size(); ++i)
    scores.push_back(interval_score(lower.subspan(i, 1), upper.subspan(i, 1), targets.subspan(i, 1), level));
  return scores;
}

/// The half width around the means that the held-out rows support at the level, by the rule that the model's own bounds
/// follow: rows of one unit count once together.
double constant_half_width(const HeldOut& held, const Calibration& own, double level) {
  const PredictedRows constant{.mean = held.predicted.mean, .sigma_model = std::vector(held.targets.size(), 1.0)};
  const CalibrationRows known{.unit = own.unit, .units = held.units};
  const bool conformal = own.kind == CalibrationKind::conformal || own.kind == CalibrationKind::cross_conformal;
  const Calibration calibration = conformal ? calibrate_conformal(constant, held.targets, {}, known)
                                  : own.kind == CalibrationKind::coverage
                                      ? calibrate_coverage(constant, held.targets, level)
                                      : with_units(calibrate_nll(constant, held.targets), known);
  return half_width(calibration, 1.0, 0.0, level);
}

Bounds constant_width(std::span<const double> mean, double half) {
  Bounds bounds;
  for (const double centre : mean) {
    bounds.lower.push_back(centre - half);
    bounds.upper.push_back(centre + half);
  }
  return bounds;
}

/// The largest width over the median one.
double widest_over_median(const Bounds& bounds) {
  std::vector<double> widths;
  for (std::size_t i = 0; i < bounds.lower.size(); ++i) widths.push_back(bounds.upper[i] - bounds.lower[i]);
  const double largest = *std::ranges::max_element(widths);
  return largest > 0.0 ? largest / quantile(widths, 0.5) : 1.0;
}

void compare_widths(const Model& model, double level, Trustworthiness& trust) {
  const HeldOut& held = model.held_out();
  trust.constant_half_width = constant_half_width(held, model.calibration(), level);
  const Bounds bounds = model.held_out_bounds(level);
  trust.widest = widest_over_median(bounds);
  const std::vector<double> own = row_scores(bounds, held.targets, level);
  const std::vector<double> constant =
      row_scores(constant_width(held.predicted.mean, trust.constant_half_width), held.targets, level);
  const double sum = std::accumulate(constant.begin(), constant.end(), 0.0);
  trust.level = level;
  trust.ratio = std::accumulate(own.begin(), own.end(), 0.0) / sum;
  // Of a ratio of two means of the same rows; rows of one unit are no evidence for each other.
  std::map<std::size_t, double> differences;
  for (std::size_t i = 0; i < own.size(); ++i)
    differences[held.units.empty() ? i : held.units[i]] += own[i] - trust.ratio * constant[i];
  double squares = 0.0;
  for (const auto& [unit, difference] : differences) squares += difference * difference;
  const auto n = static_cast<double>(differences.size());
  trust.ratio_error = std::sqrt(squares * n / std::max(n - 1.0, 1.0)) / sum;
}

/// The inputs of each column of the table.
std::vector<std::pair<std::string, std::vector<std::size_t>>> columns_of(const DataSet& data) {
  std::vector<std::pair<std::string, std::vector<std::size_t>>> columns;
  std::size_t first = 0;
  for (const FeatureColumn& feature : data.features) {
    std::vector<std::size_t> own(input_count(feature));
    std::iota(own.begin(), own.end(), first);
    first += own.size();
    columns.emplace_back(feature.name, std::move(own));
  }
  return columns;
}

std::vector<UncertaintyDriver> drivers_of(const Model& model) {
  const std::size_t d = model.cols();
  std::vector<std::size_t> rows = model.parts().fitted_rows;
  Random random(static_cast<std::uint64_t>(model.spec().seed));
  const std::vector<std::size_t> order = random.permutation(rows.size());
  std::vector<std::size_t> used;
  for (std::size_t k = 0; k < std::min(order.size(), most_rows); ++k) used.push_back(rows[order[k]]);
  const DataSet sample = subset(model.data(), used);
  const std::vector<double> before = total_sigma(model.predict(sample.inputs, sample.noise));
  const std::vector<std::size_t> other = random.permutation(sample.rows());
  std::vector<UncertaintyDriver> drivers;
  for (const auto& [name, inputs] : columns_of(sample)) {
    std::vector<double> x = sample.inputs;
    for (std::size_t i = 0; i < sample.rows(); ++i) {
      for (const std::size_t j : inputs) x[i * d + j] = sample.inputs[other[i] * d + j];
    }
    const std::vector<double> after = total_sigma(model.predict(x, sample.noise));
    double change = 0.0;
    for (std::size_t i = 0; i < before.size(); ++i) {
      // At the data sigma may be next to nothing, of which any change would be thousands of times as much.
      const double larger = std::max(before[i], after[i]);
      change += larger > 0.0 ? std::abs(after[i] - before[i]) / larger : 0.0;
    }
    drivers.push_back({name, change / static_cast<double>(before.size())});
  }
  std::ranges::stable_sort(drivers, std::ranges::greater{}, &UncertaintyDriver::change);
  if (drivers.size() > most_drivers) drivers.resize(most_drivers);
  return drivers;
}

/// Rows it learned from, at equal distances: tens of thousands tell their error as well as all of them do.
DataSet some_seen_rows(const Model& model) {
  constexpr std::size_t most = 50'000;
  const std::vector<std::size_t>& fitted = model.parts().fitted_rows;
  const std::size_t step = (fitted.size() + most - 1) / most;
  std::vector<std::size_t> rows;
  for (std::size_t k = 0; k < fitted.size(); k += step) rows.push_back(fitted[k]);
  return subset(model.data(), rows);
}

std::string drivers_text(const Trustworthiness& trust) {
  std::string text;
  for (const UncertaintyDriver& driver : trust.drivers) {
    if (driver.change < weak_driver) continue;
    text += fmt::format("{}{} ({:.0f} %)", text.empty() ? "" : ", ", driver.column, 100.0 * driver.change);
  }
  if (!text.empty()) return text;
  return trust.widest < much_wider ? "none: sigma is nearly the same everywhere"
                                   : "none: sigma is nearly the same for most rows";
}

/// Why rows it has not seen are predicted so much worse.
std::string_view memorised_text(const Trustworthiness& trust) {
  if (trust.source == CalibrationSource::given)
    return "those rows differ from the others, or it has memorised the rows it learned from";
  switch (trust.split) {
    case HeldOutSplit::time: return "the latest rows differ from those before, or it has memorised these";
    case HeldOutSplit::group: return "groups differ, or it has memorised the rows it learned from";
    default: return "it has memorised the rows it learned from";
  }
}

}  // namespace

std::optional<Trustworthiness> judge_trust(const Model& model) {
  const HeldOut& held = model.held_out();
  if (held.targets.empty()) return {};
  const DataSet seen = some_seen_rows(model);
  Trustworthiness trust{.seen_error = rmse(model.predict(seen.inputs, seen.noise).mean, seen.targets),
                        .unseen_error = rmse(held.predicted.mean, held.targets),
                        .unseen = held.targets.size(),
                        .source = held.source,
                        .split = held.split};
  if (const std::optional<double> level = model.default_level()) compare_widths(model, *level, trust);
  trust.drivers = drivers_of(model);
  return trust;
}

std::vector<std::string> trust_lines(const Trustworthiness& trust) {
  std::vector<std::string> lines{
      fmt::format("error: RMSE {:.4g} on rows it learned from, {:.4g} on {} rows it had not seen{}", trust.seen_error,
                  trust.unseen_error, trust.unseen,
                  trust.seen_error < memorised * trust.unseen_error
                      ? fmt::format(" ({}; the second number is the one to expect)", memorised_text(trust))
                      : "")};
  if (trust.level > 0.0) {
    lines.push_back(fmt::format(
        "bounds: their interval score is {:.2f} +- {:.2f} times that of bounds of constant width around the same "
        "mean{}",
        trust.ratio, trust.ratio_error, trust.ratio < 1.0 ? "" : ", so their width says nothing about single rows"));
  }
  lines.push_back(fmt::format("uncertainty depends most on: {}", drivers_text(trust)));
  if (trust.level > 0.0 && trust.widest >= much_wider) {
    lines.push_back(fmt::format(
        "a few rows stand out: the widest bounds of unseen rows are {:.3g} times as wide as those of the median row",
        trust.widest));
  }
  if (trust.level > 0.0 && trust.ratio - trust.ratio_error > 1.0) {
    lines.emplace_back(
        "warning: sigma is not informative here; more rows, or inputs that tell easy rows from hard ones, would help");
  }
  return lines;
}

}  // namespace nomu
