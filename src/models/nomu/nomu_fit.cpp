#include "models/nomu/nomu_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "engine/layout.hpp"
#include "models/network/ensemble.hpp"
#include "models/network/methods.hpp"
#include "models/network/train.hpp"
#include "models/nomu/nomu_plan.hpp"
#include "nomu/core/error.hpp"
#include "nomu/models/nomu.hpp"

namespace nomu {
namespace {

using Clock = std::chrono::steady_clock;

/// Reports the progress of one of `stages` equally long stages as progress of the whole.
Progress stage_of(const Progress& progress, std::int64_t stage, std::int64_t stages, Clock::time_point begin) {
  if (!progress.report) return progress;
  const auto whole = [report = progress.report, stage, stages, begin](ProgressEvent event) {
    event.done += stage * event.total;
    event.total *= stages;
    event.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    report(event);
  };
  return {.report = whole, .stop = progress.stop};
}

/// Trains sigma with the mean of `first` frozen, continuing its reports and final seeds.
Trained train_sigma(const NomuSpec& spec, Cohort cohort, Trained first, Engine& engine, const Progress& progress) {
  for (std::size_t m = 0; m < first.reports.size(); ++m) cohort.seeds[m] = first.reports[m].seed;
  Trained second = train(sigma_plan(spec, cohort, first.parameters), engine, progress);
  for (std::size_t m = 0; m < first.reports.size(); ++m) {
    second.reports[m] = joined(std::move(first.reports[m]), second.reports[m]);
  }
  return second;
}

Trained train_parts(const NomuSpec& spec, const Cohort& cohort, Engine& engine, const Progress& progress) {
  if (spec.stages == Stages::joint) return train(joint_plan(spec, cohort), engine, progress);
  const Clock::time_point begin = Clock::now();
  Trained first = train(mean_plan(spec, cohort), engine, stage_of(progress, 0, 2, begin));
  return train_sigma(spec, cohort, std::move(first), engine, stage_of(progress, 1, 2, begin));
}

/// The given parameters; members whose parameters are not finite start from their seeds instead.
Tensor<float> start_of(const engine::TrainPlan& plan, const Tensor<float>& given) {
  const engine::Layout layout = engine::make_layout(plan.networks, plan.loss.kind);
  if (given.members() != plan.members() || given.size() != plan.members() * layout.parameters) {
    throw DataError("models/warm_start",
                    fmt::format("the earlier fit has {} networks with {} parameters in total, but this one has {} with "
                                "{}; both must have the same networks",
                                given.members(), given.size(), plan.members(), plan.members() * layout.parameters));
  }
  Tensor<float> start = given;
  for (std::size_t m = 0; m < plan.members(); ++m) {
    const std::span<float> own = start.member(m);
    if (std::ranges::all_of(own, [](float value) { return std::isfinite(value); })) continue;
    engine::initialise(plan.networks, layout, plan.seeds[m], own.data());
  }
  return start;
}

FittedPointer finished(const NomuSpec& spec, const Cohort& cohort, Trained trained, Engine& engine) {
  const Tensor<float> weights = kept_networks(trained.reports, static_cast<std::size_t>(spec.ensemble));
  std::vector<FitReport> reports = merged(std::move(trained.reports), weights, cohort.seeds);
  return std::make_unique<FittedNetwork>(
      design_of(spec, cohort.cols()), NetworkParts{std::move(trained.parameters), weights}, std::move(reports), engine);
}

/// The networks of an earlier fit of the same kind.
const FittedNetwork& networks_of(const FittedCohort& fitted) {
  if (const auto* networks = dynamic_cast<const FittedNetwork*>(&fitted)) return *networks;
  throw DataError("models/warm_start", "the earlier fit does not consist of networks");
}

}  // namespace

FittedPointer fit_cohort(const NomuSpec& spec, const Cohort& cohort, Engine& engine, const Progress& progress) {
  const Cohort parts = repeat_members(cohort, static_cast<std::size_t>(spec.ensemble));
  return finished(spec, cohort, train_parts(spec, parts, engine, progress), engine);
}

FittedPointer fit_joint_on(const NomuSpec& given, const FittedCohort& before, const Cohort& cohort, Engine& engine,
                           const Progress& progress) {
  const NomuSpec spec = resolved(given, cohort.rows(), cohort.cols());
  engine::TrainPlan plan = joint_plan(spec, repeat_members(cohort, static_cast<std::size_t>(spec.ensemble)));
  plan.start = start_of(plan, networks_of(before).parts().parameters);
  plan.goes_on = true;
  return finished(spec, cohort, train(plan, engine, progress), engine);
}

FittedPointer restore_cohort(const NomuSpec& spec, const FittedState& state, FitReports reports, Engine& engine) {
  return restore_network(design_of(spec, network_inputs(state)), state, std::move(reports), engine);
}

}  // namespace nomu
