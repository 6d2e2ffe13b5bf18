#include "report/model/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "nomu/core/counted.hpp"
#include "nomu/models/assess.hpp"
#include "report/page/html.hpp"
#include "report/page/view.hpp"

namespace nomu {
namespace {

std::string capitalised(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

/// "a, b, c and 7 more": at most `limit` names.
std::string listed(const std::vector<std::string>& names, std::size_t limit) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), limit); ++i) text += (i == 0 ? "" : ", ") + short_name(names[i]);
  return names.size() > limit ? fmt::format("{} and {} more", text, names.size() - limit) : text;
}

std::string calibration_text(const Calibration& calibration) {
  const std::size_t n = calibration.rows;
  switch (calibration.kind) {
    case CalibrationKind::none: return "none";
    case CalibrationKind::nll: return fmt::format("one factor on sigma, by maximum likelihood on {} rows", n);
    case CalibrationKind::separate:
      return fmt::format("one factor each for model uncertainty and data noise, by maximum likelihood on {} rows", n);
    case CalibrationKind::coverage:
      return fmt::format("one factor on sigma, the smallest that covers {} of {} rows", percent(calibration.level), n);
    case CalibrationKind::width: return "one factor on sigma, for a requested mean width";
    case CalibrationKind::conformal: return fmt::format("split conformal, on {} held-out rows", n);
    case CalibrationKind::cross_conformal:
      return fmt::format("cross-conformal (CV+), each of {} rows predicted by a model that had not seen it", n);
    case CalibrationKind::isotonic: return fmt::format("isotonic: quantiles fitted to {} rows", n);
  }
  return "";
}

bool models_noise(const ReportSubject& subject) { return !subject.predict(subject.data.row(0)).sigma_noise.empty(); }

std::string_view requirement(Desideratum desideratum) {
  switch (desideratum) {
    case Desideratum::d1: return "Uncertainty is never negative";
    case Desideratum::d2: return "Small at the training rows";
    case Desideratum::d3: return "Grows with the distance to the data";
    case Desideratum::d4: return "Follows the inputs that matter";
    case Desideratum::d5: break;
  }
  return "Shrinks as rows are added";
}

constexpr std::size_t most_names = 40;  ///< of a table by name

std::string_view promise_text(StratumClaim::Basis basis) {
  switch (basis) {
    case StratumClaim::Basis::own: return "within the name";
    case StratumClaim::Basis::rare_together: return "within the rare names together";
    case StratumClaim::Basis::nothing: break;
  }
  return "nothing: too few rows, so the bounds are the widest of any name";
}

/// What is promised for the rows of each stratum, if the bounds have strata.
std::string claims_table(const ReportSubject& subject) {
  HtmlTable table{.head = {"name", "calibration rows", "proven coverage", "where it holds"}, .numbers = true};
  const std::vector<StratumClaim> claims = stratum_claims(subject.calibration, subject.level);
  for (const StratumClaim& claim : claims) {
    if (table.rows.size() == most_names) break;
    table.rows.push_back({short_name(claim.name), fmt::format("{}", claim.rows),
                          claim.coverage > 0.0 ? percent(claim.coverage) : "none",
                          std::string(promise_text(claim.basis))});
  }
  if (claims.empty()) return {};
  return html_table(table) +
         (claims.size() > most_names ? html_paragraph(fmt::format("{} more names", claims.size() - most_names)) : "");
}

/// The coverage of fresh rows by name.
std::string coverage_table(const ReportSubject& subject) {
  const ReportRows& judged = *subject.rows;
  if (!judged.fresh || !claims_level(subject)) return {};
  const std::vector<StratumCoverage> found = coverage_by_stratum(subject.calibration, judged.bounds(subject.level),
                                                                 judged.targets, judged.strata, subject.level);
  if (found.empty()) return {};
  HtmlTable table{.head = {"name", "rows", "coverage", "within chance", "mean width"}, .numbers = true};
  for (const StratumCoverage& one : found) {
    if (table.rows.size() == most_names) break;
    table.rows.push_back(
        {short_name(one.name), fmt::format("{}", one.rows), percent(one.coverage),
         one.expected ? fmt::format("{} to {}", percent(one.expected->lower), percent(one.expected->upper)) : "",
         number_text(one.mean_width)});
  }
  return html_paragraph("Coverage by name:") + html_table(table);
}

std::string_view verdict_text(Verdict verdict) {
  switch (verdict) {
    case Verdict::holds: return "holds";
    case Verdict::fails: return "fails";
    case Verdict::reported: return "no threshold";
    case Verdict::skipped: return "not measured";
  }
  return "";
}

}  // namespace

std::string meaning_text(const ReportSubject& subject) {
  std::string out =
      html_paragraph(models_noise(subject)
                         ? "Each prediction has two kinds of uncertainty. Model uncertainty is what the model does not "
                           "know because there are no data nearby; more rows reduce it. Data noise is the scatter of "
                           "the target itself at the same inputs; more rows do not reduce it. The bounds include both."
                         : "The bounds include model uncertainty: what the model does not know because there are no "
                           "data nearby; more rows reduce it. No data noise is modelled. If measurements at the same "
                           "inputs differ, fit again with learned noise, or the bounds will be too narrow.");
  if (!subject.remark.empty()) out += html_paragraph(subject.remark);
  for (const std::string& line : subject.trust) out += html_paragraph(capitalised(line) + ".");
  if (subject.calibration.kind == CalibrationKind::none) {
    return out + html_paragraph(
                     "Nothing was calibrated, so this page claims no level: the band is one standard deviation as the "
                     "model states it, right in shape but not in width. Calibrate the model on rows it has not seen to "
                     "get bounds with a level.",
                     "note");
  }
  out += html_paragraph(fmt::format("Calibration: {}.", calibration_text(subject.calibration)));
  const std::string guarantee_text = capitalised(guarantee(subject.calibration, subject.level)) + ".";
  if (!claims_level(subject)) return out + html_paragraph(guarantee_text, "note");
  return out +
         html_paragraph(fmt::format("What the bounds of level {} guarantee: {}", percent(subject.level),
                                    guarantee(subject.calibration, subject.level) + ".")) +
         claims_table(subject);
}

std::string quality_table(const ReportSubject& subject, const ReportQuality& quality) {
  const std::string unit = fmt::format("in units of {}", short_name(subject.data.target_name));
  HtmlTable table{.head = {"score", "value", "how to read it"}, .numbers = true};
  const auto add = [&](std::string name, std::string value, std::string meaning) {
    table.rows.push_back({std::move(name), std::move(value), std::move(meaning)});
  };
  if (quality.bounds) {
    const BoundsQuality& bounds = *quality.bounds;
    add("Coverage (CP)", percent(bounds.coverage),
        fmt::format("share of rows inside the bounds of level {}; {} to {} is within chance", percent(subject.level),
                    percent(bounds.chance.lower), percent(bounds.chance.upper)));
    add("Mean width (MW)", number_text(bounds.mean_width), fmt::format("of those bounds, {}", unit));
    add("Interval score", number_text(bounds.interval_score), "width plus a penalty for each miss; smaller is better");
  }
  if (quality.metrics) {
    const MetricsReport& m = *quality.metrics;
    add("RMSE", number_text(m.rmse), fmt::format("typical error of the prediction, {}", unit));
    add("Sharpness", number_text(m.sharpness), fmt::format("typical sigma, {}; should be near the RMSE", unit));
    add("CRPS", number_text(m.crps), fmt::format("error of the whole distribution, {}; smaller is better", unit));
    add("NLL", number_text(m.nll), "negative log likelihood of a Gaussian; smaller is better");
    add("Minimal NLL", number_text(m.min_nll),
        fmt::format("the same without its constant, at the best factor on sigma ({})", number_text(m.best_c)));
    add("AUC", number_text(m.auc), "area under the curve of width against coverage; smaller is better");
    add("Full-coverage factor", number_text(m.full_coverage_c), "factor on sigma that would cover every row");
    add("Miscalibration area", number_text(m.miscalibration_area),
        "0: all Gaussian quantiles are right; 0.5: as wrong as possible");
  }
  if (!quality.fault.empty()) {
    const std::string why =
        html_paragraph(fmt::format("Scores of the Gaussian prediction: {}.", quality.fault), "note");
    return (table.rows.empty() ? "" : html_table(table)) + why;
  }
  return html_table(table) + coverage_table(subject);
}

std::string findings_table(const ReportSubject& subject) {
  if (subject.findings.empty()) {
    return html_paragraph("Not checked: the command nomu check measures whether the uncertainty behaves as it should.");
  }
  HtmlTable table{.head = {"check", "verdict", "what was measured"}};
  for (const Finding& finding : subject.findings) {
    table.rows.push_back({fmt::format("{}: {}", finding.name, requirement(finding.desideratum)),
                          std::string(verdict_text(finding.verdict)), short_name(finding.sentence, 300.0)});
  }
  return html_table(table);
}

std::string importance_table(const ReportSubject& subject) {
  constexpr std::size_t most = 20;
  if (subject.data.features.size() < 3) return "";
  const std::vector<InputImportance> columns = input_importance(subject);
  HtmlTable table{.head = {"input", "change of the prediction"}, .numbers = true};
  for (const InputImportance& column : columns) {
    if (table.rows.size() == most) break;
    table.rows.push_back({short_name(column.name), number_text(column.change)});
  }
  return html_paragraph(
             fmt::format("How much each input matters: the mean change of the prediction, in units of {}, when that "
                         "input's values are shuffled among the training rows{}.",
                         short_name(subject.data.target_name),
                         columns.size() > most ? fmt::format("; the first {} of {}", most, columns.size()) : "")) +
         html_table(table);
}

std::string fit_text(const ReportSubject& subject) {
  constexpr std::size_t most = 12;
  if (subject.fits.empty()) return html_paragraph("No record of the fit is available.");
  HtmlTable table{
      .head = {"member", "epochs", "first loss", "best loss", "last loss", "restarts", "dropped", "outcome"}};
  for (std::size_t m = 0; m < std::min(most, subject.fits.size()); ++m) {
    const FitReport& fit = subject.fits[m];
    const std::string_view outcome = fit.diverged ? "diverged" : fit.stopped_early ? "stopped early" : "finished";
    table.rows.push_back({fmt::format("{}", m + 1), fmt::format("{}", fit.epochs), number_text(fit.first_loss),
                          number_text(fit.best_loss), number_text(fit.last_loss), fmt::format("{}", fit.restarts),
                          fmt::format("{}", fit.dropped), std::string(outcome)});
  }
  std::string out = html_table(table);
  if (std::ranges::any_of(subject.fits, [](const FitReport& fit) { return fit.dropped > 0; }))
    out += html_paragraph("Dropped networks of an ensemble diverged and do not count.", "soft");
  if (subject.fits.size() > most) {
    out += html_paragraph(fmt::format("The first {} of {} members are listed: the model itself, then its fold models.",
                                      most, subject.fits.size()),
                          "soft");
  }
  return out;
}

std::string data_table(const ReportSubject& subject) {
  constexpr std::size_t most = 30;
  const DataSet& data = subject.data;
  const auto [low, high] = std::ranges::minmax(data.targets);
  HtmlTable table;
  table.rows.push_back({"Training rows", fmt::format("{}", data.rows())});
  table.rows.push_back(
      {"Target",
       fmt::format("{}: {} to {}, mean {}, standard deviation {}", short_name(data.target_name), number_text(low),
                   number_text(high), number_text(mean(data.targets)), number_text(standard_deviation(data.targets)))});
  table.rows.push_back({counted(data.cols(), "input"), listed(data.input_names, most)});
  std::size_t texts = 0;
  for (const FeatureColumn& feature : data.features) {
    if (feature.levels.empty() || ++texts > most) continue;
    table.rows.push_back(
        {fmt::format("{} is text", short_name(feature.name)),
         fmt::format("one 0/1 input for each of {} names: {}", feature.levels.size(), listed(feature.levels, most))});
  }
  if (!data.report.dropped_lines.empty()) {
    std::vector<std::string> lines;
    for (const std::size_t line : data.report.dropped_lines) lines.push_back(fmt::format("{}", line));
    table.rows.push_back(
        {"Rows dropped", fmt::format("{}, because a cell is missing: lines {}", lines.size(), listed(lines, most))});
  }
  if (!data.report.unlabelled_lines.empty()) {
    table.rows.push_back(
        {"Rows left out", fmt::format("{}, because the target is missing", data.report.unlabelled_lines.size())});
  }
  if (!data.report.missing_cells.empty()) {
    std::vector<std::string> columns;
    for (const MissingCells& missing : data.report.missing_cells)
      columns.push_back(fmt::format("{} ({})", missing.column, missing.cells));
    table.rows.push_back({"Missing cells", fmt::format("{}; an input of their own says where", listed(columns, most))});
  }
  for (const ColumnNote& note : data.report.notes) table.rows.push_back({short_name(note.column), note.text});
  if (!data.report.constant_columns.empty()) {
    table.rows.push_back({"Same in every row", fmt::format("{}; kept, but without information for the model",
                                                           listed(data.report.constant_columns, most))});
  }
  return html_table(table);
}

std::string settings_table(const ReportSubject& subject) {
  constexpr std::size_t most = 200;
  if (subject.settings.empty()) return html_paragraph("All settings are the defaults.");
  HtmlTable table{.head = {"setting", "value"}};
  for (const auto& [name, value] : subject.settings) {
    if (table.rows.size() == most) break;
    table.rows.push_back({short_name(name), short_name(value)});
  }
  return html_paragraph("Settings that differ from the defaults; all others are as documented.") + html_table(table);
}

std::string provenance_table(const ReportSubject& subject) {
  HtmlTable table;
  if (!subject.version.empty()) table.rows.push_back({"Fitted by", fmt::format("nomu {}", subject.version)});
  if (!subject.date.empty()) table.rows.push_back({"Report made", subject.date});
  if (subject.engine) {
    const EngineInfo& engine = *subject.engine;
    const std::string threads = engine.threads > 0 ? ", " + counted(engine.threads, "thread") : "";
    table.rows.push_back({"Fitted on", fmt::format("{} ({}, {}{}) {}", engine.name, engine.provider, engine.isa,
                                                   threads, engine.device)});
  }
  return table.rows.empty() ? "" : html_table(table);
}

}  // namespace nomu
