#include "nomu/models/assess.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "models/attached/fitted_attached.hpp"
#include "models/fit/members.hpp"

namespace nomu {
namespace {

/// The box of the data, widened on either side by the share `margin` of its width.
DesiderataSpec box_around(std::span<const double> inputs, std::size_t cols, const CheckSpec& spec) {
  DesiderataSpec box{.low = {inputs.begin(), inputs.begin() + static_cast<std::ptrdiff_t>(cols)},
                     .high = {},
                     .probes = static_cast<std::size_t>(spec.probes),
                     .seed = static_cast<std::uint64_t>(spec.seed)};
  box.high = box.low;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    box.low[i % cols] = std::min(box.low[i % cols], inputs[i]);
    box.high[i % cols] = std::max(box.high[i % cols], inputs[i]);
  }
  for (std::size_t j = 0; j < cols; ++j) {
    const double reach = spec.margin * (box.high[j] - box.low[j]);
    box.low[j] -= reach;
    box.high[j] += reach;
  }
  return box;
}

/// The inputs that are 0 or 1, with the columns of the table that they stand for.
std::vector<NamedInputs> named_inputs(const DataSet& data) {
  std::vector<NamedInputs> named;
  for (const InputBlock& block : input_blocks(data)) {
    if (!block.names && !block.indicator) continue;
    std::size_t end = 0;
    const auto column = std::ranges::find_if(data.features, [&](const FeatureColumn& feature) {
      end += input_count(feature);
      return block.first < end;
    });
    const bool missing = column->missing && block.first + 1 == end;
    named.push_back({block.first, block.size, fmt::format("{}'{}'", missing ? "missing " : "", column->name)});
  }
  return named;
}

/// Predictions of a cohort of one member.
PredictedRows predict_alone(const FittedCohort& fitted, const MemberScaling& scaling, std::span<const double> x) {
  const std::vector<std::vector<double>> rows{{x.begin(), x.end()}};
  return std::move(predict_each(fitted, {&scaling, 1}, rows).front());
}

/// Fits of parts of the rows, on the scale of the target that the model learned: if each fit chose its own, their
/// sigmas could not be compared.
RefitFunction refit_of(const Model& model, const Progress& progress) {
  return [&model, &progress](std::span<const std::vector<std::size_t>> subsets) {
    DataSet all = subset(model.data(), model.parts().fitted_rows);
    all.targets = model.warp().apply(all.targets);
    FitSpec spec = model.spec();
    spec.evidence.warp = false;
    std::vector<DataSet> sets;
    for (const std::vector<std::size_t>& rows : subsets) sets.push_back(subset(all, rows));
    const auto members = std::make_shared<const Members>(fit_members(spec, sets, *model.engine(), progress));
    std::vector<RowFunction> functions;
    for (std::size_t m = 0; m < subsets.size(); ++m) {
      functions.emplace_back(
          [members, alone = std::shared_ptr<const FittedCohort>(members->fitted->select({&m, 1})),
           m](std::span<const double> x) { return predict_alone(*alone, members->scalings[m], x).sigma_model; });
    }
    return functions;
  };
}

}  // namespace

std::size_t seen_rows(const Model& model, const DataSet& rows) {
  const DataSet& known = model.data();
  std::set<std::vector<double>> learned;
  for (std::size_t i = 0; i < known.rows(); ++i) learned.insert(row_key(known, i));
  std::size_t seen = 0;
  for (std::size_t i = 0; i < rows.rows(); ++i) seen += learned.contains(row_key(rows, i)) ? 1 : 0;
  return seen;
}

Evaluation evaluate(const Calibration& calibration, const PredictedRows& predicted, std::span<const double> targets,
                    const Bounds* bounds, double level) {
  Evaluation result{.metrics = measure(predicted.mean, central_sigma(calibration, predicted), targets)};
  if (bounds == nullptr) return result;
  result.level = level;
  result.coverage = coverage(*bounds, targets);
  result.mean_width = mean_width(*bounds);
  result.interval_score = interval_score(*bounds, targets, level);
  if (calibration.kind == CalibrationKind::conformal && calibration.strata.empty()) {
    result.expected = conformal_coverage_interval(unit_count(calibration), targets.size(), level);
  }
  return result;
}

std::optional<MetricsReport> held_out_metrics(const Model& model) {
  const HeldOut& held = model.held_out();
  if (held.targets.empty()) return {};
  return evaluate(model.calibration(), held.predicted, held.targets, nullptr, 0.0).metrics;
}

Evaluation evaluate(const Model& model, const DataSet& rows, std::optional<double> level) {
  const Bounds bounds = level ? model.bounds(rows.inputs, *level, rows.noise, rows.strata) : Bounds{};
  Evaluation result = evaluate(model.calibration(), model.predict_uncalibrated(rows.inputs, rows.noise), rows.targets,
                               level ? &bounds : nullptr, level.value_or(0.0));
  if (level) result.strata = coverage_by_stratum(model.calibration(), bounds, rows.targets, rows.strata, *level);
  std::vector<bool> outside = model.outside(rows.inputs);
  for (const std::size_t i : rows.report.unfamiliar_rows) outside[i] = true;
  result.outside = static_cast<std::size_t>(std::count(outside.begin(), outside.end(), true));
  return result;
}

DesiderataReport check_model(const Model& model, const CheckSpec& spec, const Progress& progress) {
  const std::vector<double> inputs = model.fitted_inputs();
  const MemberScaling& scaling = model.parts().scalings.front();
  DesiderataSubject subject;
  // Data noise does not depend on where the data lie, so only the model's own uncertainty is examined.
  subject.sigma = [&](std::span<const double> x) { return predict_alone(model.own(), scaling, x).sigma_model; };
  subject.mean = [&](std::span<const double> x) { return predict_alone(model.own(), scaling, x).mean; };
  const std::span<const double> first_row = std::span(inputs).first(model.cols());
  if (!model.raw_sigma(first_row).empty()) {
    subject.raw_sigma = [&](std::span<const double> x) { return model.raw_sigma(x); };
  }
  // Bounds for a network cannot be refitted here: D5 is about the method with its own mean.
  const bool attached = dynamic_cast<const FittedAttached*>(&model.fitted()) != nullptr;
  if (spec.refit && !attached) subject.refit = refit_of(model, progress);
  DesiderataSpec where_to_look = box_around(inputs, model.cols(), spec);
  where_to_look.names = model.data().input_names;
  where_to_look.named = named_inputs(model.data());
  return check_desiderata(inputs, subject, where_to_look, progress.stop);
}

}  // namespace nomu
