#include "bo/search/suggester.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "bo/search/fitted_process.hpp"
#include "bo/search/landscape.hpp"
#include "bo/search/network_score.hpp"
#include "bo/search/success_model.hpp"
#include "nomu/core/random.hpp"
#include "nomu/data/cohort.hpp"
#include "nomu/data/scaling.hpp"
#include "nomu/models/warm_start.hpp"

namespace nomu {
namespace {

// Purposes of seeds: fits, random points, the points that determine c, the random points of a search, and folds.
constexpr std::uint64_t fit_purpose = 0x62666974;
constexpr std::uint64_t random_purpose = 0x62726E64;
constexpr std::uint64_t width_purpose = 0x62776964;
constexpr std::uint64_t search_purpose = 0x62736561;
constexpr std::uint64_t score_purpose = 0x6273636F;
constexpr std::uint32_t width_points = 2000;
constexpr std::size_t least_rows = 2;

/// Whether the acquisition depends on the best result.
bool improves_on_best(AcquisitionKind kind) {
  return kind == AcquisitionKind::expected_improvement || kind == AcquisitionKind::log_expected_improvement;
}

/// Larger is better.
std::vector<double> signed_values(std::vector<double> values, Direction direction) {
  if (direction == Direction::minimize) {
    for (double& value : values) value = -value;
  }
  return values;
}

std::uint64_t purpose_seed(const OptimizeSpec& spec, std::uint64_t purpose, std::int64_t number) {
  return derived_seed(derived_seed(static_cast<std::uint64_t>(spec.seed), purpose), static_cast<std::uint64_t>(number));
}

}  // namespace

Suggester::Suggester(Space space, OptimizeSpec spec, std::shared_ptr<Engine> engine, EarlierResults earlier)
    : space_(std::move(space)),
      spec_(std::move(spec)),
      earlier_(std::move(earlier)),
      auto_(space_, spec_, earlier_, initial()),
      engine_(std::move(engine)) {
  design_ = initial_design(space_, spec_.design, initial(), static_cast<std::uint64_t>(spec_.seed), spec_.generator);
  if (earlier_.points.empty()) return;
  const std::vector<double> values = signed_values(earlier_.values, spec_.direction);
  const auto best = std::max_element(values.begin(), values.end()) - values.begin();
  design_.front() = earlier_.points[static_cast<std::size_t>(best)];
}

std::size_t Suggester::initial() const {
  if (spec_.initial > 0) return static_cast<std::size_t>(spec_.initial);
  if (!earlier_.points.empty()) return 3;
  const std::size_t usual = std::max<std::size_t>(8, 2 * space_.size());
  return is_auto() ? std::min<std::size_t>(usual, 10) : usual;  // a process learns from few
}

std::size_t Suggester::at_once(std::int64_t trials) const {
  if (is_random()) return std::numeric_limits<std::size_t>::max();
  const auto number = static_cast<std::size_t>(trials);
  return number < design_.size() ? design_.size() - number : 0;
}

Engine& Suggester::engine() {
  if (!engine_) engine_ = make_engine(study_engine_options());
  return *engine_;
}

std::string Suggester::engine_name() {
  if (is_random()) return "none";
  const EngineInfo info = engine().info();
  return fmt::format("{} {} {} {}", info.name, info.provider, info.isa, info.precision);
}

std::vector<double> Suggester::inputs_of(const std::vector<Point>& points) const {
  std::vector<double> all;
  for (const Point& point : points) {
    const std::vector<double> inputs = space_.to_inputs(point);
    all.insert(all.end(), inputs.begin(), inputs.end());
  }
  return all;
}

namespace {

bool fits_history(const std::shared_ptr<const Suggester::Fit>& fit, const History& history) {
  return fit && fit->finished == history.finished && fit->points == history.points && fit->values == history.values;
}

}  // namespace

/// The model that the model of this history continues: it is trained from scratch on the results up to a multiple of
/// warm_every. It follows from the history alone, so that it can be recomputed at any time. Null if the model of this
/// history is itself trained from scratch.
std::shared_ptr<const Suggester::Fit> Suggester::base_of(const History& history, const Progress& progress) {
  const std::int64_t finished = history.finished / spec_.warm_every * spec_.warm_every;
  const bool all = static_cast<std::int64_t>(history.points.size()) == history.finished;  // not only a subset
  if (spec_.warm_epochs == 0 || !all || finished == history.finished ||
      finished < static_cast<std::int64_t>(least_rows))
    return {};
  if (!can_continue(method_of(spec_, space_.inputs()))) return {};
  History before{.finished = finished};
  const auto count = static_cast<std::ptrdiff_t>(finished);
  before.points.assign(history.points.begin(), history.points.begin() + count);
  before.values.assign(history.values.begin(), history.values.begin() + count);
  if (!fits_history(base_, before)) base_ = fit_to(before, {}, progress);
  return base_;
}

/// Several points are often asked for with the same results, so the last fit is kept.
std::shared_ptr<const Suggester::Fit> Suggester::fit(const History& history, const Progress& progress) {
  if (is_random() || history.points.size() < least_rows) return {};
  if (fits_history(last_, history)) return last_;
  if (fits_history(base_, history)) return base_;
  std::shared_ptr<const Fit> fit = fit_to(history, base_of(history, progress), progress);
  if (fit) last_ = fit;
  if (fit && history.finished % spec_.warm_every == 0) base_ = fit;
  return fit;
}

std::shared_ptr<const Suggester::Fit> Suggester::fit_to(const History& history, const std::shared_ptr<const Fit>& base,
                                                        const Progress& progress) {
  auto fit = std::make_shared<Fit>();
  fit->finished = history.finished;
  fit->points = history.points;
  fit->values = history.values;
  fit->inputs = inputs_of(history.points);
  const auto [low, high] = std::minmax_element(history.values.begin(), history.values.end());
  const double sign = spec_.direction == Direction::maximize ? 1.0 : -1.0;
  std::vector<double> targets;
  for (const double value : history.values) targets.push_back(sign * value);
  const Scaling scaling = fit_scaling(targets, 1, ScalingKind::min_max);
  fit->targets = scaling.apply(targets);
  fit->low = spec_.direction == Direction::maximize ? *low : *high;
  fit->high = spec_.direction == Direction::maximize ? *high : *low;
  const std::vector<std::uint64_t> seeds{purpose_seed(spec_, fit_purpose, history.finished)};
  const Cohort cohort = repeat(make_dataset(fit->inputs, space_.inputs(), fit->targets), seeds);
  MethodSpec method = method_of(spec_, space_.inputs());
  if (base) {
    fields_of(method).set("train.epochs", spec_.warm_epochs);
    fit->model = continue_fit(method, *base->model, cohort, engine(), progress);
  } else {
    fit->model = nomu::fit(method, cohort, engine(), progress);
  }
  if (fit->model->reports().front().diverged) return {};
  return fit;
}

double Suggester::scaled_c(const Fit& fit) const {
  Tensor<float> x(1, width_points, space_.inputs());
  const std::uint64_t seed = purpose_seed(spec_, width_purpose, 0);
  for (std::uint32_t i = 0; i < width_points; ++i) {
    const std::vector<double> inputs = space_.to_inputs(random_point(space_, seed, i));
    for (std::size_t j = 0; j < inputs.size(); ++j) x(0, i, j) = static_cast<float>(inputs[j]);
  }
  return mean_width_c(fit.model->predict(x).sigma_model.flat(), spec_.mean_width);
}

/// A random point that is not part of the study; empty if there is none left.
Point Suggester::unused(std::int64_t number, const std::function<bool(const Point&)>& taken) const {
  const std::uint64_t seed = purpose_seed(spec_, random_purpose, number);
  for (std::uint32_t attempt = 0; attempt < 1000; ++attempt) {
    Point point = random_point(space_, seed, attempt);
    if (spec_.noisy || !taken(point)) return point;
  }
  const std::optional<std::uint64_t> count = space_.count();
  if (!count || *count > 1000000) return {};
  const std::uint64_t first = Random(seed).below(*count);
  for (std::uint64_t k = 0; k < *count; ++k) {
    Point point = space_.at((first + k) % *count);
    if (space_.feasible(point) && !taken(point)) return point;
  }
  return {};
}

/// Pending points count as results with their expected value, so that the same improvement is not sought twice.
double Suggester::best_mean(const FittedCohort& model, const std::vector<double>& inputs) const {
  const std::size_t width = space_.inputs();
  if (inputs.empty()) return -std::numeric_limits<double>::infinity();
  Tensor<float> x(1, inputs.size() / width, width);
  std::transform(inputs.begin(), inputs.end(), x.flat().begin(), [](double v) { return static_cast<float>(v); });
  const Tensor<float> mean = model.predict(x).mean;
  return static_cast<double>(*std::max_element(mean.flat().begin(), mean.flat().end()));
}

/// Kept for the same reason as the last fit.
std::shared_ptr<const FittedCohort> Suggester::success(const Fit& fit, const std::vector<double>& failed,
                                                       const Progress& progress) {
  if (!success_ || success_finished_ != fit.inputs || success_failed_ != failed) {
    success_ = fit_success(fit.inputs, failed, space_.inputs(), engine(), progress);
    success_finished_ = fit.inputs;
    success_failed_ = failed;
  }
  return success_;
}

RunKnowledge Suggester::knowledge(const History& history, const Fit& fit, const Progress& progress) {
  const auto first = static_cast<std::int64_t>(initial());
  const std::int64_t steps = spec_.budget > first ? spec_.budget - first : 64;
  RunKnowledge run{.c = history.c > 0.0 ? history.c : scaled_c(fit),
                   .best = *std::max_element(fit.targets.begin(), fit.targets.end()),
                   .worst = *std::min_element(fit.targets.begin(), fit.targets.end()),
                   .delta = spec_.dynamic.delta(std::max<std::int64_t>(history.finished - first, 0), steps),
                   .repeats = spec_.noisy,
                   .finished = fit.inputs,
                   .pending = inputs_of(history.pending),
                   .failed = inputs_of(history.failed),
                   .seed = purpose_seed(spec_, search_purpose, history.trials)};
  run.success = success(fit, run.failed, progress);
  if (improves_on_best(spec_.acquisition)) run.best = std::max(run.best, best_mean(*fit.model, run.pending));
  return run;
}

Proposal Suggester::proposal(const RunKnowledge& run, const Fit& fit, const Progress& progress) const {
  const ProposalSpec spec{
      .kind = spec_.acquisition, .direct = spec_.direct, .dynamic = spec_.dynamic, .local_starts = spec_.local_starts};
  return propose(*fit.model, space_, std::span(&run, 1), spec, progress).front();
}

double Suggester::shortfall(const History& history, const Point& point, const std::string& origin,
                            const Progress& progress) {
  if (is_auto() && origin != Origin::networks) return auto_.shortfall(history, point);
  const std::shared_ptr<const Fit> model = fit(history, progress);
  if (!model) return std::numeric_limits<double>::infinity();
  const RunKnowledge run = knowledge(history, *model, progress);
  const Proposal found = proposal(run, *model, progress);
  const ForEach each = [](std::size_t count, const std::function<void(std::size_t)>& task) {
    for (std::size_t i = 0; i < count; ++i) task(i);
  };
  const Landscape landscape(*model->model, space_, std::span(&run, 1), spec_.acquisition, each, progress.stop);
  const std::size_t one = 1;
  const SearchTask task{.run = 0, .c = found.c};
  return found.value - landscape.values(space_.to_unit(point), std::span(&one, 1), std::span(&task, 1)).front();
}

/// Networks take part if they predict results better that they have not seen. That is decided when 16, 32, 64, ...
/// results are known, by these alone, so that it follows from the log.
bool Suggester::trusts_networks(const History& history, const Progress& progress) {
  constexpr std::int64_t first = 16;
  constexpr std::int64_t last = 256;
  if (history.finished < first || history.points.size() != static_cast<std::size_t>(history.finished)) return false;
  std::int64_t known = first;
  while (2 * known <= std::min(history.finished, last)) known *= 2;
  if (compared_ == known && compared_with_ == history.values.front()) return networks_won_;
  History before{.finished = known};
  before.points.assign(history.points.begin(), history.points.begin() + static_cast<std::ptrdiff_t>(known));
  before.values.assign(history.values.begin(), history.values.begin() + static_cast<std::ptrdiff_t>(known));
  compared_ = known;
  compared_with_ = history.values.front();
  networks_won_ = networks_predict_better(
      spec_, space_, {.points = before.points, .values = signed_values(before.values, spec_.direction)},
      auto_.learn_spec(), purpose_seed(spec_, score_purpose, known), engine(), progress);
  return networks_won_;
}

std::shared_ptr<const Suggester::Fit> Suggester::shown(const History& history, const Progress& progress) {
  if (!is_auto()) return fit(history, progress);
  const std::shared_ptr<const Learned> learned = auto_.learned(history);
  if (!learned) return {};
  const std::vector<double> values = signed_values(history.values, spec_.direction);
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  auto shown = std::make_shared<Fit>();
  shown->finished = history.finished;
  shown->points = history.points;
  shown->values = history.values;
  shown->low = spec_.direction == Direction::maximize ? *low : -*low;
  shown->high = spec_.direction == Direction::maximize ? *high : -*high;
  shown->model = fitted_process(learned, *low, *high);
  return shown;
}

std::optional<Suggestion> Suggester::from_networks(const History& history,
                                                   const std::function<bool(const Point&)>& taken,
                                                   const Progress& progress) {
  const std::shared_ptr<const Fit> model = fit(history, progress);
  if (!model) return {};
  const RunKnowledge run = knowledge(history, *model, progress);
  Point point = proposal(run, *model, progress).point;
  if (point.empty() || (!spec_.noisy && taken(point))) return {};
  return Suggestion{std::move(point), std::string(is_auto() ? Origin::networks : Origin::model), run.c};
}

/// Networks know nothing of costs, of earlier studies, nor of what decides between noisy points.
bool Suggester::asks_networks(const History& history) const {
  const bool rules_out = auto_.gains_knowledge() || !history.costs.empty() || !earlier_.points.empty();
  return auto_.looks_everywhere(history) && history.pending.empty() && !rules_out;
}

Suggestion Suggester::next(const History& history, const std::function<bool(const Point&)>& taken,
                           const Progress& progress) {
  const auto number = static_cast<std::size_t>(history.trials);
  if (number < design_.size() && (spec_.noisy || !taken(design_[number]))) {
    return {.point = design_[number], .origin = std::string(Origin::design)};
  }
  if (number >= design_.size() && is_auto()) {
    if (asks_networks(history) && trusts_networks(history, progress)) {
      if (std::optional<Suggestion> found = from_networks(history, taken, progress)) return std::move(*found);
    }
    if (std::optional<Point> point = auto_.next(history, taken))
      return {.point = std::move(*point), .origin = std::string(Origin::process)};
  } else if (number >= design_.size()) {
    if (std::optional<Suggestion> found = from_networks(history, taken, progress)) return std::move(*found);
  }
  return {.point = unused(history.trials, taken), .origin = std::string(Origin::random)};
}

std::vector<Suggestion> Suggester::suggest(History history, std::size_t count,
                                           const std::function<bool(const Point&)>& taken, const Progress& progress) {
  std::vector<Suggestion> suggestions;
  const auto known = [&](const Point& point) {
    const auto same = [&](const Suggestion& s) { return s.point == point; };
    return taken(point) || std::any_of(suggestions.begin(), suggestions.end(), same);
  };
  while (suggestions.size() < count) {
    Suggestion suggestion = next(history, known, progress);
    if (suggestion.point.empty()) break;
    ++history.trials;
    if (suggestion.c > 0.0) history.c = suggestion.c;
    history.pending.push_back(suggestion.point);
    suggestions.push_back(std::move(suggestion));
  }
  return suggestions;
}

}  // namespace nomu
