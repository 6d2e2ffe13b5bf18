#include "report/study/study_quality.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bo/space/history.hpp"
#include "nomu/core/random.hpp"
#include "nomu/data/cohort.hpp"
#include "nomu/data/scaling.hpp"
#include "nomu/eval/statistics.hpp"

namespace nomu {
namespace {

constexpr std::size_t folds = 5;
constexpr std::size_t least_results = 10;
constexpr std::size_t most_results = 200;

/// Results that models are fitted to.
struct Rows {
  std::vector<double> inputs;  // [n][inputs]
  std::vector<double> values;  // [n], larger is better
};

/// Models of a study learn values of which larger is better.
double sign_of(const OptimizeSpec& spec) { return spec.direction == Direction::maximize ? 1.0 : -1.0; }

Rows rows_of(const Space& space, const OptimizeSpec& spec, const std::vector<Trial>& trials) {
  std::vector<const Trial*> finished;
  std::vector<double> values;
  for (const Trial& trial : trials) {
    if (!trial.value) continue;
    finished.push_back(&trial);
    values.push_back(*trial.value);
  }
  Rows rows;
  const std::size_t most = std::min(static_cast<std::size_t>(spec.fit_rows), most_results);
  for (const std::size_t k : fit_subset(values, spec.direction, most)) {
    const std::vector<double> inputs = space.to_inputs(finished[k]->point);
    rows.inputs.insert(rows.inputs.end(), inputs.begin(), inputs.end());
    rows.values.push_back(sign_of(spec) * values[k]);
  }
  return rows;
}

/// The rows of one fold, or those of all others.
Rows part_of(const Rows& rows, std::size_t width, std::size_t fold, bool inside) {
  Rows part;
  for (std::size_t i = 0; i < rows.values.size(); ++i) {
    if ((i % folds == fold) != inside) continue;
    const auto from = rows.inputs.begin() + static_cast<std::ptrdiff_t>(i * width);
    part.inputs.insert(part.inputs.end(), from, from + static_cast<std::ptrdiff_t>(width));
    part.values.push_back(rows.values[i]);
  }
  return part;
}

/// Predictions of one member for the rows it was fitted without.
void add_fold(UnseenResults& unseen, const FittedCohort& model, const Rows& rows, const Scaling& scaling, double c) {
  const std::size_t width = rows.inputs.size() / rows.values.size();
  Tensor<float> x(1, rows.values.size(), width);
  std::ranges::transform(rows.inputs, x.flat().begin(), [](double v) { return static_cast<float>(v); });
  const Prediction prediction = model.predict(x);
  std::vector<double> means;
  std::vector<double> sigmas;
  for (std::size_t i = 0; i < rows.values.size(); ++i) {
    means.push_back(static_cast<double>(prediction.mean(0, i, 0)));
    sigmas.push_back(c * static_cast<double>(prediction.sigma_model(0, i, 0)));
  }
  const auto append = [](std::vector<double>& all, const std::vector<double>& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  append(unseen.value, rows.values);
  append(unseen.mean, scaling.invert(means));
  append(unseen.sigma, scaling.invert_width(sigmas));
}

void judge(UnseenResults& unseen) {
  const double middle = mean(unseen.value);
  double errors = 0.0;
  double spread = 0.0;
  double inside = 0.0;
  for (std::size_t i = 0; i < unseen.value.size(); ++i) {
    const double error = unseen.value[i] - unseen.mean[i];
    errors += error * error;
    spread += (unseen.value[i] - middle) * (unseen.value[i] - middle);
    inside += std::abs(error) <= unseen.sigma[i] ? 1.0 : 0.0;
  }
  unseen.inside = inside / static_cast<double>(unseen.value.size());
  unseen.explained = spread > 0.0 ? 1.0 - errors / spread : 0.0;
}

/// A Gaussian process like that of method auto.
MethodSpec process_like_that_of(const OptimizeSpec& spec, std::size_t width) {
  OptimizeSpec process = spec;
  process.method = "gp";
  process.settings.clear();
  return method_of(process, width);
}

}  // namespace

UnseenResults predict_unseen(const Space& space, const OptimizeSpec& spec, const std::vector<Trial>& trials, double c,
                             Engine& engine, const Progress& progress) {
  const Rows rows = rows_of(space, spec, trials);
  const std::size_t width = space.inputs();
  if (proposer_of(spec) == Proposer::random || rows.values.size() < least_results) return {};
  if (std::ranges::max(rows.values) == std::ranges::min(rows.values)) return {};
  std::vector<DataSet> members;
  std::vector<std::uint64_t> seeds;
  std::vector<Scaling> scalings;
  for (std::size_t fold = 0; fold < folds; ++fold) {
    const Rows seen = part_of(rows, width, fold, false);
    scalings.push_back(fit_scaling(seen.values, 1, ScalingKind::min_max));
    members.push_back(make_dataset(seen.inputs, width, scalings.back().apply(seen.values)));
    seeds.push_back(derived_seed(static_cast<std::uint64_t>(spec.seed), fold));
  }
  // The process that auto relies on lives in the study; one of the same kind, fitted anew to each part, stands for it.
  const bool automatic = proposer_of(spec) == Proposer::automatic;
  const auto fitted = fit(automatic ? process_like_that_of(spec, width) : method_of(spec, width), pack(members, seeds),
                          engine, progress);
  UnseenResults unseen{.stand_ins = automatic};
  for (std::size_t fold = 0; fold < folds; ++fold) {
    if (fitted->reports()[fold].diverged) return {};
    const std::vector<std::size_t> one{fold};
    add_fold(unseen, *fitted->select(one), part_of(rows, width, fold, true), scalings[fold], c);
  }
  for (double& value : unseen.value) value *= sign_of(spec);
  for (double& predicted : unseen.mean) predicted *= sign_of(spec);
  judge(unseen);
  return unseen;
}

NamedPlot unseen_figure(const UnseenResults& unseen) {
  NamedPlot figure{
      .name = "unseen",
      .plot = {},
      .caption = fmt::format("Predictions of {}, which explain {:.0f} % of the variance; {:.0f} % of the results are "
                             "within one bar.",
                             unseen.stand_ins ? "Gaussian processes like the study's own, fitted without the result"
                                              : "models that had not seen the result",
                             100.0 * std::max(unseen.explained, 0.0), 100.0 * unseen.inside)};
  figure.plot.x.label = "result";
  figure.plot.y.label = "predicted";
  PlotPoints points{.x = unseen.value, .y = unseen.mean, .color = PlotColor::blue};
  for (std::size_t i = 0; i < unseen.mean.size(); ++i) {
    points.lower.push_back(unseen.mean[i] - unseen.sigma[i]);
    points.upper.push_back(unseen.mean[i] + unseen.sigma[i]);
  }
  const auto [low, high] = std::ranges::minmax_element(unseen.value);
  figure.plot.layers.emplace_back(PlotLine{
      .name = "equal", .x = {*low, *high}, .y = {*low, *high}, .color = PlotColor::grey, .stroke = PlotStroke::dashed});
  figure.plot.layers.emplace_back(std::move(points));
  return figure;
}

}  // namespace nomu
