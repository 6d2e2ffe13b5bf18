#include "serve/live_parts.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "core/text/utf8.hpp"
#include "nomu/core/error.hpp"
#include "nomu/data/table_io.hpp"
#include "report/page/html.hpp"
#include "report/page/view.hpp"
#include "report/study/study_figures.hpp"

namespace nomu {
namespace {

constexpr auto redraw_after = std::chrono::seconds(1);
constexpr std::size_t most_marks = 600;  // results in a picture
constexpr std::size_t most_failures = 100;
constexpr std::size_t most_rows = 25;
constexpr std::size_t longest_reason = 300;

/// Times of a damaged study may be anything.
std::string time_text(double seconds) {
  constexpr double end_of_9999 = 253402300800.0;
  if (!(seconds >= 0.0 && seconds < end_of_9999)) return "unknown";
  return fmt::format("{:%Y-%m-%d %H:%M:%S}", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

std::string tile(const std::string& value, const std::string& what) {
  return fmt::format("<div><b>{}</b><span>{}</span></div>", html_text(value), html_text(what));
}

/// Some of many trials: every one that was the best when its result came, and a sample of the others and of the
/// failures. Pictures of them look like pictures of all.
std::vector<Trial> drawn_trials(const std::vector<Trial>& trials, Direction direction) {
  std::vector<std::size_t> kept;
  std::vector<std::size_t> others;
  std::vector<std::size_t> failed;
  std::optional<double> leader;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (trials[i].state == TrialState::failed) failed.push_back(i);
    if (!trials[i].value) continue;
    const double value = *trials[i].value;
    const bool leads = !leader || (direction == Direction::minimize ? value < *leader : value > *leader);
    if (leads) leader = value;
    (leads ? kept : others).push_back(i);
  }
  for (const std::size_t k : thinned_rows(others.size(), most_marks)) kept.push_back(others[k]);
  for (const std::size_t k : thinned_rows(failed.size(), most_failures)) kept.push_back(failed[k]);
  std::ranges::sort(kept);
  std::vector<Trial> all;
  all.reserve(kept.size());
  for (const std::size_t i : kept) all.push_back(trials[i]);
  return all;
}

std::string best_part(const Space& space, const Trial& best, bool noisy) {
  HtmlTable table{
      .head = {"", noisy ? "best result" : "best"}, .rows = {{"value", format_number(*best.value)}}, .numbers = true};
  for (std::size_t j = 0; j < space.size(); ++j) {
    if (!space.active(j, best.point)) continue;
    table.rows.push_back({short_name(label_of(space.variables()[j]), 14.0), space.text(j, best.point[j])});
  }
  return html_table(table);
}

/// The value of a variable, in a few characters.
std::string short_value(const Space& space, std::size_t variable, double value) {
  const bool real = space.variables()[variable].kind == Variable::Kind::real;
  return real ? number_text(value) : short_name(space.text(variable, value), 16.0);
}

/// "x=0.5 n=3 solver=cg", for a cell of a table.
std::string short_point(const Space& space, const Point& point) {
  std::string text;
  for (std::size_t j = 0; j < space.size(); ++j) {
    if (!space.active(j, point)) continue;
    const std::string name = short_name(space.variables()[j].name, 16.0);
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, short_value(space, j, point[j]));
  }
  return short_name(text, 60.0);
}

/// The latest trials of a state, the last one first.
std::vector<const Trial*> latest(const std::vector<Trial>& trials, std::optional<TrialState> state) {
  std::vector<const Trial*> list;
  for (auto trial = trials.rbegin(); trial != trials.rend() && list.size() < most_rows; ++trial) {
    if (!state || trial->state == *state) list.push_back(&*trial);
  }
  return list;
}

std::string latest_table(const Space& space, const std::vector<Trial>& trials) {
  HtmlTable table{.head = {"trial", "result", "from"}};
  for (const Variable& v : space.variables()) table.head.push_back(short_name(label_of(v), 16.0));
  for (const Trial* trial : latest(trials, {})) {
    std::vector<std::string> row{fmt::format("{}", trial->id),
                                 trial->value ? number_text(*trial->value) : std::string(state_name(trial->state)),
                                 trial->origin};
    const std::vector<bool> active = space.active(trial->point);
    for (std::size_t j = 0; j < space.size(); ++j)
      row.push_back(active[j] ? short_value(space, j, trial->point[j]) : std::string{});
    table.rows.push_back(std::move(row));
  }
  return table.rows.empty() ? html_paragraph("No trial yet.", "soft") : html_table(table);
}

std::string failed_table(const std::vector<Trial>& trials, std::int64_t failed) {
  if (failed == 0) return html_paragraph("None.", "soft");
  HtmlTable table{.head = {"trial", "when (UTC)", "reason"}};
  for (const Trial* trial : latest(trials, TrialState::failed)) {
    std::string reason = trial->reason;
    if (reason.size() > longest_reason) reason = made_utf8(reason.substr(0, longest_reason)) + "...";
    table.rows.push_back({fmt::format("{}", trial->id), time_text(trial->told), std::move(reason)});
  }
  const bool some = static_cast<std::size_t>(failed) > most_rows;
  return (some ? html_paragraph(fmt::format("The latest {} of {}.", most_rows, failed), "soft") : "") +
         html_table(table);
}

std::string lease_text(const Trial& trial, double now) {
  if (is_waiting(trial)) return "is handed out next";
  if (trial.lease_until <= now) return "has expired";
  constexpr std::size_t date = 11;  // "2026-01-31 "; the row begins with one
  const std::string end = time_text(trial.lease_until);
  return "until " + (end.size() > date ? end.substr(date) : end);
}

std::string running_table(const Space& space, const std::vector<Trial>& pending, double now) {
  if (pending.empty()) return html_paragraph("Nobody is evaluating a trial.", "soft");
  HtmlTable table{.head = {"trial", "worker", "since (UTC)", "lease", "point"}};
  for (const Trial& trial : pending) {
    if (table.rows.size() == most_rows) break;
    const std::string worker = trial.worker.empty() ? "without a name" : trial.worker;
    table.rows.push_back({fmt::format("{}", trial.id), is_waiting(trial) ? "nobody yet" : worker,
                          time_text(trial.asked), lease_text(trial, now), short_point(space, trial.point)});
  }
  const bool some = pending.size() > most_rows;
  return (some ? html_paragraph(fmt::format("{} of {} trials.", most_rows, pending.size()), "soft") : "") +
         html_table(table);
}

}  // namespace

void LiveParts::draw_summary(const StudyStatus& status, std::int64_t budget) {
  const bool least = desk_.study().spec().direction == Direction::minimize;
  const std::string_view goal = least ? "smallest value" : "largest value";
  std::string tiles = "<div class=\"key\">";
  tiles +=
      tile(status.best_result ? number_text(*status.best_result->value) : "-",
           status.best_result ? fmt::format("{} so far, trial {}", goal, status.best_result->id) : "no result yet");
  tiles += tile(budget > 0 ? fmt::format("{} of {}", status.trials, budget) : fmt::format("{}", status.trials),
                budget > 0 && status.trials >= budget ? "trials: the budget is spent" : "trials");
  tiles += tile(fmt::format("{}", status.finished), "with a result");
  tiles += tile(fmt::format("{}", status.pending - status.expired), "running");
  if (status.expired > 0) tiles += tile(fmt::format("{}", status.expired), "waiting for a worker");
  tiles += tile(fmt::format("{}", status.failed), "failed");
  drawn_.parts["summary"] =
      tiles + "</div>\n" +
      (status.best_result ? best_part(desk_.space(), *status.best_result, desk_.study().spec().noisy) : "");
}

void LiveParts::draw_trials(const StudyStatus& status, const StudyView::State& state) {
  const Space& space = desk_.space();
  const OptimizeSpec& spec = desk_.study().spec();
  std::map<std::string, std::string>& parts = drawn_.parts;
  const std::vector<Trial> some = drawn_trials(state.trials, spec.direction);
  std::string pictures;
  if (status.best_result) {
    std::vector<NamedPlot> plots{progress_figure(some, {}, spec.direction, {})};
    if (optimum_) plots.push_back(progress_figure(some, {}, spec.direction, optimum_));
    plots.push_back(parallel_figure(space, some, spec.direction));
    pictures = html_figures(plots);
  }
  parts["progress"] = pictures.empty() ? html_paragraph("No result yet.", "soft") : pictures;
  parts["failed"] = failed_table(state.trials, status.failed);
  parts["latest"] = latest_table(space, state.trials);
}

void LiveParts::draw_model() {
  const std::shared_ptr<const WatchedModel> model = models_.latest();
  if (!model) {
    const std::string trouble = models_.trouble();
    drawn_.parts["model"] = html_paragraph(trouble.empty() ? "The first model is being fitted." : trouble, "soft");
    return;
  }
  if (drawn_.model == model->number) return;
  const std::vector<Trial> some = view_.read(
      [&](const StudyView::State& state) { return drawn_trials(state.trials, desk_.study().spec().direction); });
  std::vector<NamedPlot> plots;
  if (!model->unseen.empty()) plots.push_back(unseen_figure(model->unseen));
  for (NamedPlot& plot : model_figures(desk_.space(), model->fitted, model->centre, some))
    plots.push_back(std::move(plot));
  drawn_.parts["model"] =
      html_paragraph(fmt::format("Fitted to {} results.", model->results), "soft") + html_figures(plots);
  drawn_.model = model->number;
}

/// While the study cannot be reached, its last state is shown.
void LiveParts::draw() {
  drawn_at_ = std::chrono::steady_clock::now();
  const std::string trouble = view_.trouble();
  drawn_.parts["trouble"] = trouble.empty() ? "" : html_paragraph(trouble, "note");
  if (!trouble.empty() && drawn_.event >= 0) return;
  try {
    const Study& study = desk_.study();
    drawn_.parts["running"] = running_table(desk_.space(), study.pending(), study.now());
    const StudyStatus status = study.status();
    view_.read([&](const StudyView::State& state) {
      draw_summary(status, state.budget);  // a lease ends without an event
      if (state.event == drawn_.event && state.readings == readings_) return;
      draw_trials(status, state);
      drawn_.event = state.event;
      readings_ = state.readings;
    });
    draw_model();
  } catch (const Error& error) {
    drawn_.parts["trouble"] = html_paragraph(error.what(), "note");
  }
}

LiveParts::Drawn LiveParts::all() {
  const std::lock_guard lock(mutex_);
  if (drawn_.event < 0 || std::chrono::steady_clock::now() - drawn_at_ >= redraw_after) draw();
  return drawn_;
}

LiveParts::Drawn LiveParts::since(std::int64_t event, std::int64_t model) {
  Drawn now = all();
  if (now.event == event) {
    for (const char* part : {"progress", "failed", "latest"}) now.parts.erase(part);
  }
  if (now.model == model && model > 0) now.parts.erase("model");
  return now;
}

}  // namespace nomu
