#include "models/fit/members.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "models/network/fitted_network.hpp"
#include "models/network/methods.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr std::string_view where = "models/model";

ScalingKind kind_of(ScaleChoice choice) {
  switch (choice) {
    case ScaleChoice::min_max: return ScalingKind::min_max;
    case ScaleChoice::identity: return ScalingKind::identity;
    default: return ScalingKind::standardise;
  }
}

Scaling scaling_of(std::span<const double> values, std::size_t cols, ScaleChoice choice) {
  if (choice != ScaleChoice::together) return fit_scaling(values, cols, kind_of(choice));
  const Scaling one = fit_scaling(values, 1, ScalingKind::min_max);
  return {.shift = std::vector<double>(cols, one.shift[0]), .factor = std::vector<double>(cols, one.factor[0])};
}

/// One quantity of member m for its first `rows` rows.
std::vector<double> front_rows(const Tensor<float>& values, std::size_t m, std::size_t rows) {
  if (values.empty()) return {};
  const std::span<const float> front = values.member(m).first(rows);
  return {front.begin(), front.end()};
}

}  // namespace

void refuse_diverged(const std::vector<FitReport>& reports) {
  for (std::size_t m = 0; m < reports.size(); ++m) {
    if (!reports[m].diverged) continue;
    throw Error(
        where,
        fmt::format("the fit diverged{}, even after {} restarts; try a smaller train.learning_rate or another seed",
                    reports.size() > 1 ? fmt::format(" (member {} of {})", m + 1, reports.size()) : "",
                    reports[m].restarts));
  }
}

MemberScaling scaling_for(const FitSpec& spec, const DataSet& data) {
  return {.inputs = scaling_of(data.inputs, data.cols(), spec.scale_inputs),
          .target = scaling_of(data.targets, 1, spec.scale_target)};
}

Members fit_members(const FitSpec& spec, std::span<const DataSet> data, std::span<const std::uint64_t> seeds,
                    Engine& engine, const Progress& progress) {
  Members members;
  std::vector<DataSet> scaled;
  for (const DataSet& one : data) {
    members.scalings.push_back(scaling_for(spec, one));
    scaled.push_back(scaled_dataset(one, members.scalings.back().inputs, members.scalings.back().target));
  }
  members.fitted = fit_cohort(spec.method, pack(scaled, seeds), engine, progress);
  return members;
}

Members fit_members(const FitSpec& spec, std::span<const DataSet> data, Engine& engine, const Progress& progress) {
  const std::vector<std::uint64_t> seeds(data.size(), static_cast<std::uint64_t>(spec.seed));
  Members members = fit_members(spec, data, seeds, engine, progress);
  refuse_diverged(members.fitted->reports());
  members.fitted = row_by_row(std::move(members.fitted));
  return members;
}

namespace {

/// Networks compute in single precision, where larger numbers overflow and the results become meaningless.
void require_in_reach(std::span<const double> scaled, std::span<const double> x, std::size_t cols) {
  constexpr double most = 1e15;
  const auto far = std::ranges::find_if(scaled, [](double value) { return !(std::abs(value) <= most); });
  if (far == scaled.end()) return;
  const auto i = static_cast<std::size_t>(far - scaled.begin());
  throw DataError(where, fmt::format("input {} of row {} (both counted from 0) is {}, which is {:.0e} times the spread "
                                     "of the training data away from them; correct or omit it",
                                     i % cols, i / cols, x[i], std::abs(*far)));
}

}  // namespace

Tensor<float> scaled_rows(std::span<const MemberScaling> scalings, std::span<const std::vector<double>> x) {
  const std::size_t cols = scalings.front().inputs.cols();
  std::size_t longest = 0;
  for (const std::vector<double>& rows : x) longest = std::max(longest, rows.size() / cols);
  Tensor<float> scaled(scalings.size(), longest, cols);
  for (std::size_t m = 0; m < scalings.size(); ++m) {
    const std::vector<double> values = scalings[m].inputs.apply(x[m]);
    require_in_reach(values, x[m], cols);
    std::ranges::transform(values, scaled.member(m).begin(), [](double value) { return static_cast<float>(value); });
  }
  return scaled;
}

std::vector<PredictedRows> predict_each(const FittedCohort& fitted, std::span<const MemberScaling> scalings,
                                        std::span<const std::vector<double>> x) {
  const Prediction prediction = fitted.predict(scaled_rows(scalings, x));
  std::vector<PredictedRows> each;
  for (std::size_t m = 0; m < scalings.size(); ++m) {
    const Scaling& target = scalings[m].target;
    const std::size_t rows = x[m].size() / scalings[m].inputs.cols();
    // A standard deviation is only scaled, never shifted: an offset would create or remove uncertainty.
    each.push_back({.mean = target.invert(front_rows(prediction.mean, m, rows)),
                    .sigma_model = target.invert_width(front_rows(prediction.sigma_model, m, rows)),
                    .sigma_noise = target.invert_width(front_rows(prediction.sigma_noise, m, rows)),
                    .sigma_below = target.invert_width(front_rows(prediction.sigma_below, m, rows))});
  }
  return each;
}

}  // namespace nomu
