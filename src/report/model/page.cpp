// The page of a report: chapters in the order of a reader's questions.

#include <fmt/format.h>

#include <algorithm>

#include "nomu/core/counted.hpp"
#include "report/model/check.hpp"
#include "report/model/figures.hpp"
#include "report/model/tables.hpp"
#include "report/page/html.hpp"
#include "report/page/view.hpp"

namespace nomu {
namespace {

/// Plots are rendered at about the width of a phone, for which their text is sized; larger screens magnify them.
constexpr PlotSize card = {.width = 360, .height = 310};

/// A plot of the full page width, rendered once for wide and once for narrow screens.
std::string wide_figure(const NamedPlot& plot, int height) {
  return fmt::format(
      "<figure class=\"wide\">\n<div class=\"wide-screen\">{}</div>\n<div class=\"narrow-screen\">{}</div>\n"
      "<figcaption>{}</figcaption>\n</figure>\n",
      render_svg(plot.plot, {.width = 1040, .height = height}), render_svg(plot.plot, card), html_text(plot.caption));
}

std::string figures(const std::vector<NamedPlot>& plots) {
  if (plots.empty()) return "";
  std::string out = "<div class=\"figures\">\n";
  for (const NamedPlot& plot : plots) {
    if (plot.name == "bounds") {
      out += wide_figure(plot, 460);
    } else if (plot.name == "loss") {
      out += wide_figure(plot, 300);
    } else {
      out += html_figure(render_svg(plot.plot, card), plot.caption);
    }
  }
  return out + "</div>\n";
}

std::string key_figure(std::string_view value, std::string_view meaning) {
  return fmt::format("<div><b>{}</b><span>{}</span></div>\n", html_text(value), html_text(meaning));
}

std::string bounds_key(const ReportSubject& subject, const std::optional<ReportQuality>& quality) {
  if (!claims_level(subject)) return key_figure("no level", "the bounds are not calibrated to a level");
  if (!quality || !quality->bounds) {
    return key_figure(percent(subject.level), "level of the bounds; there are no fresh rows to check it");
  }
  const BoundsQuality& bounds = *quality->bounds;
  const bool within = bounds.coverage >= bounds.chance.lower && bounds.coverage <= bounds.chance.upper;
  return key_figure(percent(bounds.coverage), fmt::format("of {} fresh rows lie inside the bounds of level {}: {}",
                                                          subject.rows->targets.size(), percent(subject.level),
                                                          within ? "as expected"
                                                          : bounds.coverage < bounds.chance.lower
                                                              ? "fewer than chance can explain"
                                                              : "more than expected, so the bounds are wide"));
}

std::string key_figures(const ReportSubject& subject, const std::optional<ReportQuality>& quality) {
  std::string out = bounds_key(subject, quality);
  if (quality && quality->metrics) {
    out += key_figure(
        number_text(quality->metrics->rmse),
        fmt::format("typical error (RMSE); the standard deviation of {} is {}", short_name(subject.data.target_name),
                    number_text(standard_deviation(subject.data.targets))));
  }
  if (quality && quality->bounds) {
    out += key_figure(number_text(quality->bounds->mean_width), "mean width of the bounds");
  }
  const auto count = [&](Verdict verdict) { return std::ranges::count(subject.findings, verdict, &Finding::verdict); };
  const auto judged = count(Verdict::holds) + count(Verdict::fails);
  if (judged > 0) {
    out += key_figure(fmt::format("{} of {}", count(Verdict::holds), judged), "checks of the uncertainty hold");
  }
  return fmt::format("<div class=\"key\">\n{}</div>\n", out);
}

std::string head(const ReportSubject& subject, const std::optional<ReportQuality>& quality) {
  const std::size_t columns = subject.data.features.size();
  std::string out = fmt::format("<header>\n<h1>{}</h1>\n", html_text(short_name(subject.name)));
  out += html_paragraph(
      fmt::format("{}{} predicted from {}, fitted on {}.{}",
                  subject.method.empty() ? "" : fmt::format("{}: ", subject.method),
                  short_name(subject.data.target_name), counted(columns, "input column"),
                  counted(subject.data.rows(), "row"), subject.date.empty() ? "" : fmt::format(" {}.", subject.date)),
      "soft");
  const auto diverged = std::ranges::count(subject.fits, true, &FitReport::diverged);
  if (diverged > 0) {
    out += html_paragraph(fmt::format("{} of {} networks diverged even after restarts: do not trust these predictions. "
                                      "Fit again with a smaller learning rate or another seed.",
                                      diverged, subject.fits.size()),
                          "note");
  }
  return out + "</header>\n" + key_figures(subject, quality);
}

std::string quality_chapter(const ReportSubject& subject, const std::optional<ReportQuality>& quality) {
  if (!quality) {
    return html_paragraph(
        "There are no rows with known targets that the model has not seen, so this cannot be judged. Give such rows to "
        "see how often the bounds hold.",
        "note");
  }
  const ReportRows& rows = *subject.rows;
  std::string words =
      fmt::format("Evaluated on {}", rows.source.empty() ? fmt::format("{} rows", rows.targets.size()) : rows.source);
  words += rows.fresh ? ", which were used neither for fitting nor for calibration."
                      : ". The networks that predicted these rows were fitted without them, but the calibration was "
                        "learned from them, so agreement here proves nothing: evaluate on fresh rows if you have any.";
  if (rows.known > 0) {
    words += fmt::format(" But {} of them equal rows that were used: repeated measurements, or not fresh at all.",
                         rows.known);
  }
  return html_paragraph(words) + figures(quality_figures(subject)) + quality_table(subject, *quality);
}

}  // namespace

std::string render_report(const ReportSubject& subject) {
  check_subject(subject);
  std::optional<ReportQuality> quality;
  if (subject.rows) quality = measure_quality(subject);
  std::string body = head(subject, quality);
  body += html_section("What the bounds mean", meaning_text(subject));
  body += html_section("What the model predicts", figures(model_figures(subject)) + importance_table(subject));
  body += html_section("Is it right?", quality_chapter(subject, quality));
  body += html_section("Does the uncertainty behave as it should?", findings_table(subject));
  const std::vector<NamedPlot> losses = fit_figures(subject);
  body += html_section("How the fit went", figures(losses) + fit_text(subject));
  body += html_section("Data", data_table(subject));
  body += html_section("Settings", settings_table(subject) + provenance_table(subject));
  return html_page(fmt::format("{} - nomu report", short_name(subject.name)), body);
}

}  // namespace nomu
