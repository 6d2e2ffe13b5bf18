#include "paper/kinds/loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "nomu/bo/proposal.hpp"
#include "nomu/core/error.hpp"
#include "nomu/core/random.hpp"
#include "nomu/data/cohort.hpp"
#include "nomu/models/warm_start.hpp"
#include "paper/kinds/loop_record.hpp"

namespace nomu {
namespace {

constexpr std::uint32_t random_stream = 0x6C6F6F70;
constexpr std::uint32_t width_stream = 0x6C6F6F77;

/// Returns the variance as sigma: a mistake in the published runs, kept to reproduce their column.
class VarianceAsSigma final : public FittedCohort {
 public:
  explicit VarianceAsSigma(std::unique_ptr<FittedCohort> inner) : inner_(std::move(inner)) {}
  [[nodiscard]] std::size_t members() const override { return inner_->members(); }
  [[nodiscard]] Prediction predict(const Tensor<float>& x) const override {
    Prediction prediction = inner_->predict(x);
    for (float& sigma : prediction.sigma_model.flat()) sigma *= sigma;
    return prediction;
  }
  [[nodiscard]] std::unique_ptr<FittedCohort> select(std::span<const std::size_t> members) const override {
    return std::make_unique<VarianceAsSigma>(inner_->select(members));
  }
  [[nodiscard]] const std::vector<FitReport>& reports() const override { return inner_->reports(); }
  [[nodiscard]] FittedState state() const override { return inner_->state(); }

 private:
  std::unique_ptr<FittedCohort> inner_;
};

std::unique_ptr<FittedCohort> copy_of(const FittedCohort& fitted) {
  std::vector<std::size_t> all(fitted.members());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return fitted.select(all);
}

class Loops {
 public:
  Loops(const LoopSpec& spec, std::span<const LoopRun> runs, std::size_t dimension, Engine& engine)
      : spec_(spec), runs_(runs), dimension_(dimension), engine_(engine), space_(Space::box(dimension, -1.0, 1.0)) {
    if (runs.empty()) throw ConfigError("paper/loop", "there are no runs");
    for (const LoopRun& run : runs) {
      if (run.initial.size() != runs[0].initial.size() || run.initial.empty() || run.initial.size() % dimension != 0) {
        throw ConfigError(
            "paper/loop",
            fmt::format("every run needs the same number of initial points of {} coordinates", dimension));
      }
    }
    if (spec.warm_epochs < 0 || spec.warm_every < 1) {
      throw ConfigError("paper/loop",
                        fmt::format("warm_epochs must not be negative and warm_every must be positive, got {} and {}",
                                    spec.warm_epochs, spec.warm_every));
    }
    if (spec.warm_epochs > 0 && spec.method) {
      warm_method_ = *spec.method;
      if (!can_continue(warm_method_)) {
        throw ConfigError(
            "paper/loop",
            fmt::format("warm_epochs: {} cannot continue from an earlier fit; only nomu with stages = joint can",
                        method_name(warm_method_)));
      }
      fields_of(warm_method_).set("train.epochs", spec.warm_epochs);
    }
    traces_.resize(runs.size());
  }

  std::vector<LoopTrace> run(const Progress& progress, const std::filesystem::path& file) {
    const auto begin = std::chrono::steady_clock::now();
    const std::filesystem::path record = spec_.warm_epochs == 0 ? file : std::filesystem::path();
    for (step_ = begin_from(record); step_ < spec_.steps; ++step_) {
      if (progress.stop.stop_requested()) throw Cancelled("paper/loop", "stopped on request");
      if (spec_.method) {
        choose_by_model(progress);
      } else {
        for (std::size_t r = 0; r < runs_.size(); ++r) add(r, random_point_of(r));
      }
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      if (progress.report) {
        progress.report({.stage = "optimise", .done = step_ + 1, .total = spec_.steps, .seconds = seconds});
      }
      if (!record.empty()) write_traces(record, traces_);
    }
    if (!record.empty()) std::filesystem::remove(record);
    return std::move(traces_);
  }

 private:
  /// Evaluates the initial points, or takes the steps of the record; returns the number of finished steps.
  std::int64_t begin_from(const std::filesystem::path& record) {
    std::vector<LoopTrace> kept = record.empty() ? std::vector<LoopTrace>() : read_traces(record, runs_, dimension_);
    if (!kept.empty()) {
      traces_ = std::move(kept);
      return static_cast<std::int64_t>(traces_[0].values.size() - runs_[0].initial.size() / dimension_);
    }
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      for (std::size_t i = 0; i < runs_[r].initial.size(); i += dimension_) {
        add(r, std::span<const double>(runs_[r].initial).subspan(i, dimension_));
      }
    }
    return 0;
  }

  void add(std::size_t r, std::span<const double> x) {
    const double value = runs_[r].evaluate(x);
    if (!std::isfinite(value)) {
      throw DataError("paper/loop",
                      fmt::format("the function of run {} returned {} at evaluation {}; it must be finite", r, value,
                                  traces_[r].values.size() + 1));
    }
    traces_[r].points.insert(traces_[r].points.end(), x.begin(), x.end());
    traces_[r].values.push_back(value);
  }

  [[nodiscard]] std::vector<double> random_point_of(std::size_t r) const {
    Random random(derived_seed(runs_[r].seed, static_cast<std::uint64_t>(step_)), random_stream);
    std::vector<double> x(dimension_);
    for (double& v : x) v = random.uniform(-1.0, 1.0);
    return x;
  }

  /// Every step of a run has its own seed, so results do not depend on the other runs.
  [[nodiscard]] std::unique_ptr<FittedCohort> fit_all(const Progress& progress) {
    std::vector<DataSet> data;
    std::vector<std::uint64_t> seeds;
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      data.push_back(make_dataset(traces_[r].points, dimension_, traces_[r].values));
      seeds.push_back(derived_seed(runs_[r].seed, spec_.same_seed ? 0 : static_cast<std::uint64_t>(step_)));
    }
    const Cohort cohort = pack(data, seeds);
    const Progress silent{.report = {}, .stop = progress.stop};
    const bool from_scratch = spec_.warm_epochs == 0 || step_ % spec_.warm_every == 0;
    auto fitted = from_scratch ? fit(*spec_.method, cohort, engine_, silent)
                               : continue_fit(warm_method_, *last_full_fit_, cohort, engine_, silent);
    if (from_scratch && spec_.warm_epochs > 0) last_full_fit_ = copy_of(*fitted);
    if (spec_.variance_as_sigma) return std::make_unique<VarianceAsSigma>(std::move(fitted));
    return fitted;
  }

  void scale_widths(const FittedCohort& models) {
    for (LoopTrace& trace : traces_) trace.c = 1.0;
    if (!spec_.mean_width) return;
    const auto points = static_cast<std::size_t>(spec_.width_points);
    constexpr std::size_t block = 1000;  // of rows, to bound the memory of many runs
    std::vector<Random> random;
    for (const LoopRun& run : runs_) random.emplace_back(run.seed, width_stream);
    std::vector<std::vector<float>> sigmas(runs_.size());
    for (std::size_t done = 0; done < points; done += block) {
      Tensor<float> x(runs_.size(), std::min(block, points - done), dimension_);
      for (std::size_t r = 0; r < runs_.size(); ++r) {
        for (float& v : x.member(r)) v = static_cast<float>(random[r].uniform(-1.0, 1.0));
      }
      const Prediction prediction = models.predict(x);
      for (std::size_t r = 0; r < runs_.size(); ++r) {
        const std::span<const float> all = prediction.sigma_model.member(r);
        sigmas[r].insert(sigmas[r].end(), all.begin(), all.end());
      }
    }
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      if (!models.reports()[r].diverged) traces_[r].c = mean_width_c(sigmas[r], *spec_.mean_width);
    }
  }

  void choose_by_model(const Progress& progress) {
    const std::unique_ptr<FittedCohort> models = fit_all(progress);
    if (step_ == 0) scale_widths(*models);
    const EngineInfo info = engine_.info();
    ProposalSpec proposal{.direct = spec_.direct,
                          .dynamic = spec_.dynamic,
                          .local_starts = spec_.local_starts,
                          .threads = info.threads,
                          .look_ahead = is_accelerator(info)};
    if (!spec_.mean_width) proposal.dynamic.doublings = 0;
    std::vector<RunKnowledge> knowledge;
    for (const LoopTrace& trace : traces_) {
      // As in the paper, a known point may be proposed once Dynamic c has given up; nothing is excluded here.
      knowledge.push_back({.c = trace.c,
                           .delta = spec_.dynamic.delta(step_, spec_.steps),
                           .exclude_known = false,
                           .finished = trace.points});
    }
    const std::vector<Proposal> found = propose(*models, space_, knowledge, proposal, progress);
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      const bool diverged = models->reports()[r].diverged || found[r].point.empty();
      traces_[r].diverged += diverged ? 1 : 0;
      traces_[r].doublings.push_back(found[r].doublings);
      add(r, diverged ? random_point_of(r) : found[r].point);
    }
  }

  const LoopSpec& spec_;
  std::span<const LoopRun> runs_;
  std::size_t dimension_;
  Engine& engine_;
  Space space_;
  std::int64_t step_ = 0;
  std::vector<LoopTrace> traces_;
  MethodSpec warm_method_;                       // for models that continue an earlier fit
  std::unique_ptr<FittedCohort> last_full_fit_;  // the last models trained from scratch
};

}  // namespace

std::vector<LoopTrace> run_loops(const LoopSpec& spec, std::span<const LoopRun> runs, std::size_t dimension,
                                 Engine& engine, const Progress& progress, const std::filesystem::path& record) {
  return Loops(spec, runs, dimension, engine).run(progress, record);
}

std::vector<double> regret(std::span<const double> values, double optimum) {
  std::vector<double> regrets;
  double best = -std::numeric_limits<double>::infinity();
  for (const double value : values) {
    best = std::max(best, value);
    regrets.push_back(std::abs(optimum - best) / std::abs(optimum));
  }
  return regrets;
}

double direct_optimum(const std::function<std::vector<double>(std::span<const double>)>& rows, std::size_t dimension,
                      std::int64_t evaluations) {
  Direct search(dimension, {.evaluations = evaluations});
  while (!search.finished()) {
    std::vector<double> x(search.ask().begin(), search.ask().end());
    for (double& v : x) v = 2.0 * v - 1.0;
    search.tell(rows(x));
  }
  return search.best_value();
}

}  // namespace nomu
