#include "models/network/train.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <utility>

#include "engine/backend.hpp"
#include "engine/layout.hpp"
#include "engine/session.hpp"
#include "nomu/core/random.hpp"

namespace nomu {
namespace {

using engine::MemberReport;
using engine::Session;
using engine::TrainPlan;
using Clock = std::chrono::steady_clock;

constexpr double chunk_seconds = 1.0;

/// What progress reports show for the whole cohort.
double median_loss(const std::vector<MemberReport>& reports) {
  std::vector<double> losses;
  for (const MemberReport& report : reports) {
    if (std::isfinite(report.last_loss)) losses.push_back(report.last_loss);
  }
  if (losses.empty()) return 0.0;
  const auto middle = losses.begin() + static_cast<std::ptrdiff_t>(losses.size() / 2);
  std::nth_element(losses.begin(), middle, losses.end());
  return *middle;
}

/// Runs a session to its end in chunks of about a second, which do not affect the result. At the end of a chunk members
/// wait for the slowest of them, so chunks should be long; a request to stop is heard within them.
void run_to_end(Session& session, std::int64_t epochs, const Progress& progress) {
  const auto begin = Clock::now();
  const auto seconds = [&begin] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  std::int64_t part = 1;
  for (std::int64_t done = 0; done < epochs;) {
    const double before = seconds();
    const std::int64_t count = std::min(part, epochs - done);
    session.run(count, progress.stop);
    done += count;
    const double took = std::max(seconds() - before, 1e-6);
    part = std::clamp<std::int64_t>(static_cast<std::int64_t>(static_cast<double>(count) * chunk_seconds / took), 1,
                                    4 * count);
    const bool active = std::any_of(session.reports().begin(), session.reports().end(),
                                    [](const MemberReport& r) { return r.active(); });
    if (!active) done = epochs;
    if (progress.report) {
      progress.report({.stage = "train",
                       .done = done,
                       .total = epochs,
                       .seconds = seconds(),
                       .loss = median_loss(session.reports())});
    }
  }
}

std::vector<std::size_t> diverged_members(const std::vector<MemberReport>& reports) {
  std::vector<std::size_t> found;
  for (std::size_t m = 0; m < reports.size(); ++m) {
    if (reports[m].diverged) found.push_back(m);
  }
  return found;
}

/// Initialises everything that is trained again, from the plan's seeds; frozen networks keep their parameters.
Tensor<float> redrawn(const TrainPlan& plan) {
  const engine::Layout layout = engine::make_layout(plan.networks, plan.loss.kind);
  Tensor<float> start = plan.start;
  std::vector<float> fresh(layout.parameters);
  for (std::size_t m = 0; m < plan.members(); ++m) {
    engine::initialise(plan.networks, layout, plan.seeds[m], fresh.data());
    for (std::size_t i = 0; i < layout.layers.size(); ++i) {
      if (!plan.networks.nets[layout.layers[i].net].trainable) continue;
      const std::size_t first = layout.layers[i].weights;
      const std::size_t last = i + 1 < layout.layers.size() ? layout.layers[i + 1].weights : layout.parameters;
      for (std::size_t e = first; e < last; ++e) start(m, 0, e) = fresh[e];
    }
  }
  return start;
}

FitReport public_report(MemberReport&& r) {
  return {.seed = r.seed,
          .epochs = r.epochs,
          .first_loss = r.first_loss,
          .best_loss = r.best_loss,
          .last_loss = r.last_loss,
          .diverged = r.diverged,
          .stopped_early = r.stopped_early,
          .restarts = r.restarts,
          .dropped = 0,
          .history = std::move(r.history)};
}

/// The trained members of a plan.
struct Outcome {
  Tensor<float> parameters;
  std::vector<MemberReport> reports;
};

/// Trains all members at the same time.
Outcome train_at_once(const TrainPlan& plan, Engine& engine, const Progress& progress) {
  const auto session = engine::backend(engine).open(plan);
  run_to_end(*session, plan.train.epochs, progress);
  Outcome outcome{session->parameters(), session->reports()};
  for (MemberReport& report : outcome.reports)
    report.diverged = engine::has_diverged(report, plan.train.snapshot, plan.goes_on);
  return outcome;
}

/// Trains all members, as many at a time as fit into the engine's memory. How they are divided does not affect the
/// result.
Outcome train_members(const TrainPlan& plan, Engine& engine, const Progress& progress) {
  const std::size_t at_once = engine::backend(engine).members_at_once(plan);
  if (at_once >= plan.members()) return train_at_once(plan, engine, progress);
  Outcome all;
  for (std::size_t first = 0; first < plan.members(); first += at_once) {
    std::vector<std::size_t> members(std::min(at_once, plan.members() - first));
    std::iota(members.begin(), members.end(), first);
    const Outcome part = train_at_once(engine::select(plan, members), engine, progress);
    if (all.parameters.empty()) all.parameters = Tensor<float>(plan.members(), 1, part.parameters.cols());
    std::copy(part.parameters.flat().begin(), part.parameters.flat().end(), all.parameters.member(first).begin());
    all.reports.insert(all.reports.end(), part.reports.begin(), part.reports.end());
  }
  return all;
}

}  // namespace

Trained train(const TrainPlan& plan, Engine& engine, const Progress& progress) {
  auto [parameters, reports] = train_members(plan, engine, progress);
  for (std::int64_t attempt = 1; attempt <= plan.train.restarts; ++attempt) {
    const std::vector<std::size_t> again = diverged_members(reports);
    if (again.empty()) break;
    TrainPlan second = engine::select(plan, again);
    for (std::size_t i = 0; i < again.size(); ++i) {
      second.seeds[i] = derived_seed(plan.seeds[again[i]], static_cast<std::uint64_t>(attempt));
    }
    if (!second.start.empty()) second.start = redrawn(second);
    second.goes_on = false;
    const Outcome retry = train_members(second, engine, progress);
    for (std::size_t i = 0; i < again.size(); ++i) {
      reports[again[i]] = retry.reports[i];
      reports[again[i]].restarts = attempt;
      const auto found = retry.parameters.member(i);
      std::copy(found.begin(), found.end(), parameters.member(again[i]).begin());
    }
  }

  Trained result{.parameters = std::move(parameters), .reports = {}};
  for (MemberReport& report : reports) result.reports.push_back(public_report(std::move(report)));
  return result;
}

}  // namespace nomu
