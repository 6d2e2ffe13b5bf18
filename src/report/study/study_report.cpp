#include "nomu/report/study_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "nomu/core/counted.hpp"
#include "nomu/core/error.hpp"
#include "nomu/data/table_io.hpp"
#include "report/page/html.hpp"
#include "report/page/view.hpp"
#include "report/study/study_figures.hpp"

namespace nomu {
namespace {

constexpr std::size_t most_rows = 100;

/// The progress, and the variables with their results.
std::string search_figures(const Study& study, const std::vector<Trial>& trials, const OptimizationReportSpec& spec) {
  const Direction direction = study.spec().direction;
  return html_figures(std::array{progress_figure(trials, spec.others, direction, spec.optimum),
                                 parallel_figure(study.space(), trials, direction)});
}

std::string best_table(const Space& space, const Trial& best) {
  HtmlTable table{.head = {"", "best"}, .rows = {{"value", format_number(*best.value)}}, .numbers = true};
  for (std::size_t j = 0; j < space.size(); ++j) {
    if (space.active(j, best.point))
      table.rows.push_back({label_of(space.variables()[j]), space.text(j, best.point[j])});
  }
  return html_table(table);
}

std::string history_table(const Space& space, const std::vector<Trial>& trials) {
  HtmlTable table{.head = {"trial", "value"}};
  for (const Variable& v : space.variables()) table.head.push_back(label_of(v));
  const std::size_t first = trials.size() > most_rows ? trials.size() - most_rows : 0;
  for (std::size_t i = trials.size(); i-- > first;) {
    const Trial& trial = trials[i];
    std::vector<std::string> row{fmt::format("{}", trial.id)};
    row.push_back(trial.value                          ? number_text(*trial.value)
                  : trial.state == TrialState::pending ? "pending"
                                                       : "failed: " + trial.reason);
    const std::vector<bool> active = space.active(trial.point);
    for (std::size_t j = 0; j < space.size(); ++j) {
      const bool real = space.variables()[j].kind == Variable::Kind::real;
      if (active[j]) {
        row.push_back(real ? number_text(trial.point[j]) : space.text(j, trial.point[j]));
      } else {
        row.emplace_back();
      }
    }
    table.rows.push_back(std::move(row));
  }
  const std::string note =
      first > 0 ? html_paragraph(fmt::format("The latest {} of {} trials.", most_rows, trials.size()), "soft") : "";
  return note + html_table(table);
}

std::string settings_table(const OptimizeSpec& given) {
  OptimizeSpec spec = given;
  const Fields fields = fields_of(spec);
  HtmlTable table{.head = {"setting", "value"}};
  for (const Field& field : fields.list()) table.rows.push_back({field.name, to_text(field.get())});
  return html_table(table);
}

/// Throws if a trial beats the optimum. With noise that can happen; without it the given optimum is wrong.
void check_optimum(const Study& study, const std::vector<Trial>& trials, double optimum) {
  if (study.spec().noisy) return;
  for (const Trial& trial : trials) {
    if (!trial.value) continue;
    const double margin =
        study.spec().direction == Direction::maximize ? *trial.value - optimum : optimum - *trial.value;
    if (margin <= 1e-9 * std::abs(optimum) + 1e-12) continue;
    throw DataError(
        "report/study",
        fmt::format("{} cannot be the optimum, because trial {} has the better value {}; correct the optimum", optimum,
                    trial.id, *trial.value));
  }
}

}  // namespace

std::string render_optimization_report(const Study& study, const OptimizationReportSpec& spec,
                                       const Progress& progress) {
  const std::vector<Trial> trials = study.trials();
  const StudyStatus status = study.status();
  const std::optional<Trial> best = study.best();
  if (!best) throw DataError("report/study", "no trial has a result yet");
  if (spec.optimum) {
    check_optimum(study, trials, *spec.optimum);
    for (const std::vector<Trial>& other : spec.others) check_optimum(study, other, *spec.optimum);
  }
  std::string body = fmt::format("<header>\n<h1>{}</h1>\n", html_text(short_name(spec.title)));
  body += html_paragraph(
      fmt::format("{} over {}: {}, {} finished, {} failed, {} pending.{}",
                  study.spec().direction == Direction::minimize ? "Minimised" : "Maximised",
                  counted(study.space().size(), "variable"), counted(status.trials, "trial"), status.finished,
                  status.failed, status.pending, spec.date.empty() ? "" : fmt::format(" {}.", spec.date)),
      "soft");
  body += "</header>\n";
  std::string advice;
  for (const std::string& sentence : study.advice()) advice += html_paragraph("Note: " + sentence + ".", "soft");
  body += html_section("The best point", best_table(study.space(), *best) + advice);
  body += html_section("How the search went", search_figures(study, trials, spec));
  if (spec.model) {
    if (const std::optional<Study::Fitted> fitted = study.fit(progress)) {
      body += html_section("What the model predicts",
                           html_figures(model_figures(study.space(), *fitted, best->point, trials)));
    }
  }
  body += html_section("History", history_table(study.space(), trials));
  body += html_section("Settings", settings_table(study.spec()));
  return html_page(fmt::format("{} - nomu optimize", short_name(spec.title)), body);
}

}  // namespace nomu
