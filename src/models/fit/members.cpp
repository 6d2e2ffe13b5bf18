#include "models/fit/members.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/team.hpp"
#include "models/evidence/evidence_fit.hpp"
#include "models/evidence/presentation.hpp"
#include "models/evidence/rows/trend.hpp"
#include "models/network/fitted_network.hpp"
#include "models/network/methods.hpp"
#include "nomu/core/error.hpp"
#include "nomu/core/random.hpp"
#include "nomu/data/split.hpp"

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

std::vector<double> row_key(const DataSet& data, std::size_t row) {
  std::vector<double> key(data.row(row).begin(), data.row(row).end());
  key.push_back(data.targets[row]);
  return key;
}

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

/// Numbers by their quartiles; indicators of names stay 0 and 1, since a rare name would otherwise outweigh all
/// numbers.
Scaling table_scaling(const DataSet& data) {
  Scaling scaling = fit_scaling(data.inputs, data.cols(), ScalingKind::robust);
  for (const InputBlock& block : input_blocks(data)) {
    if (!block.names && !block.indicator) continue;
    for (std::size_t j = block.first; j < block.first + block.size; ++j) {
      scaling.shift[j] = 0.0;
      scaling.factor[j] = 1.0;
    }
  }
  return scaling;
}

MemberScaling scaling_for(const FitSpec& spec, const DataSet& data) {
  return {.inputs = spec.scale_inputs == ScaleChoice::robust ? table_scaling(data)
                                                             : scaling_of(data.inputs, data.cols(), spec.scale_inputs),
          .target = scaling_of(data.targets, 1, spec.scale_target)};
}

namespace {

constexpr std::uint64_t warp_purpose = 0x77617270;
/// With fewer distinct inputs, a few extreme errors on another scale could give absurd bounds on the original one.
constexpr std::size_t enough_to_warp = 40;

/// The rows as the networks see them if the target is warped so.
EvidenceRows version_of(const FitSpec& spec, const DataSet& data, const Warp& warp, const std::vector<Step>& steps,
                        MemberScaling& scaling) {
  DataSet warped = data;
  warped.targets = warp.apply(data.targets);
  scaling.warp = warp;
  scaling.target = scaling_of(warped.targets, 1, spec.scale_target);
  const auto back = [warp, shift = scaling.target.shift[0], factor = scaling.target.factor[0]](double z) {
    return warp.invert(std::fma(z, factor, shift));
  };
  return {.scaled = scaled_dataset(warped, scaling.inputs, scaling.target),
          .steps = steps,
          .back = back,
          .targets = data.targets,
          .warped = warp.active(),
          .drawn = {.reach = scaling.inputs.reach, .straight = scaling.inputs.straight}};
}

/// Counted among the first thousand rows for each, which takes no time in large tables.
bool has_distinct_inputs(const DataSet& data, std::size_t count) {
  const std::size_t rows = std::min(data.rows(), 1000 * count);
  return distinct_rows(std::span(data.inputs).first(rows * data.cols()), data.cols()).count >= count;
}

/// Fits by evidence, which also decides whether the target is warped.
Members fit_evidence(const FitSpec& spec, std::span<const DataSet> data, std::span<const std::uint64_t> seeds,
                     Engine& engine, const Progress& progress) {
  std::vector<std::vector<EvidenceRows>> rows(data.size());
  std::vector<std::vector<MemberScaling>> scalings(data.size());
  const std::int64_t threads = engine.info().threads;
  const std::int64_t of_each = threads_of_each(data.size(), threads);
  side_by_side(data.size(), threads, [&](std::size_t m) {
    const MemberScaling start = scaling_for(spec, data[m]);
    const std::vector<Presentation> presentations =
        presentations_of(spec.evidence, data[m], start.inputs, derived_seed(seeds[m], warp_purpose), of_each);
    std::vector<Warp> warps{{}};
    if (spec.evidence.warp && has_distinct_inputs(data[m], enough_to_warp)) {
      const Warp other = promising_warp(presentations.front().rows, presentations.front().folds, of_each);
      if (other.active()) warps.push_back(other);
    }
    for (std::size_t p = 0; p < presentations.size(); ++p) {
      for (const Warp& warp : warps) {
        scalings[m].push_back({.inputs = presentations[p].inputs, .target = start.target});
        rows[m].push_back(version_of(spec, data[m], warp, presentations[p].steps, scalings[m].back()));
        rows[m].back().presentation = p;
      }
    }
  });
  EvidenceFit fit = fit_by_evidence(std::get<NomuSpec>(spec.method), spec.evidence, rows, seeds, engine, progress);
  Members members{.fitted = std::move(fit.fitted), .scalings = {}};
  for (std::size_t m = 0; m < data.size(); ++m) members.scalings.push_back(std::move(scalings[m][fit.versions[m]]));
  return members;
}

}  // namespace

Members fit_members(const FitSpec& spec, std::span<const DataSet> data, std::span<const std::uint64_t> seeds,
                    Engine& engine, const Progress& progress) {
  if (spec.evidence.use == EvidenceSpec::Use::yes) return fit_evidence(spec, data, seeds, engine, progress);
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

std::optional<FarValue> far_value(std::span<const double> scaled, std::span<const double> x) {
  constexpr double most = 1e15;
  const auto far = std::ranges::find_if(scaled, [](double value) { return !(std::abs(value) <= most); });
  if (far == scaled.end()) return {};
  const auto i = static_cast<std::size_t>(far - scaled.begin());
  return FarValue{.index = i,
                  .text = fmt::format("{} is {:.0e} times the spread of the training data away from them; correct or "
                                      "omit it",
                                      x[i], std::abs(*far))};
}

Tensor<float> scaled_rows(std::span<const MemberScaling> scalings, std::span<const std::vector<double>> x) {
  const std::size_t cols = scalings.front().inputs.cols();
  std::size_t longest = 0;
  for (const std::vector<double>& rows : x) longest = std::max(longest, rows.size() / cols);
  Tensor<float> scaled(scalings.size(), longest, cols);
  for (std::size_t m = 0; m < scalings.size(); ++m) {
    const std::vector<double> values = scalings[m].inputs.apply(x[m]);
    if (const auto far = far_value(values, x[m]))
      throw DataError(where, fmt::format("input {} of row {} (both counted from 0): {}", far->index % cols,
                                         far->index / cols, far->text));
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
