#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "nomu/core/counted.hpp"
#include "nomu/core/printable.hpp"
#include "nomu/data/split.hpp"
#include "nomu/models/model.hpp"

namespace nomu {
namespace {

/// Names and notes may come from a file and be of any length.
std::string shown(std::string_view text, std::size_t most_bytes = 200) { return printable(text, most_bytes); }

std::string kind_text(CalibrationKind kind) {
  switch (kind) {
    case CalibrationKind::none: return "none, so there are no bounds";
    case CalibrationKind::nll: return "one factor, by likelihood";
    case CalibrationKind::separate: return "separate factors for model and noise, by likelihood";
    case CalibrationKind::coverage: return "one factor, by coverage";
    case CalibrationKind::width: return "one factor, by mean width";
    case CalibrationKind::conformal: return "split conformal";
    case CalibrationKind::cross_conformal: return "CV+ (cross-conformal)";
    case CalibrationKind::isotonic: return "isotonic";
  }
  return "unknown";
}

/// Which rows were kept together in splits; empty: each row was drawn by itself.
std::string together_text(const Model& model, std::string_view before) {
  if (model.held_out().split == HeldOutSplit::group) return fmt::format("{}whole groups", before);
  if (model.calibration().unit == CalibrationUnit::new_inputs)
    return fmt::format("{}whole sets of equal inputs", before);
  return {};
}

/// The number of distinct inputs, if it is not that of the rows.
std::string distinct_text(const DataSet& data) {
  const std::size_t distinct = distinct_rows(data.inputs, data.cols()).count;
  return distinct == data.rows() ? "" : fmt::format(", {} with distinct inputs", distinct);
}

/// Which rows the calibration learned from, and whether the model was later trained on them.
std::string source_text(const Model& model) {
  const HeldOut& held = model.held_out();
  const std::size_t rows = held.targets.size();
  switch (held.source) {
    case CalibrationSource::none: return {};
    case CalibrationSource::given: return fmt::format(", on {} separate rows", rows);
    case CalibrationSource::folds: {
      const std::size_t folds = held.folds.empty() ? 0 : held.folds.back() + 1;
      return fmt::format(", on {} rows in {} folds{}, {}", rows, folds, together_text(model, " of "),
                         held.refitted ? "then refitted on all rows" : "with the fold models kept");
    }
    case CalibrationSource::hold_out: break;
  }
  const std::string by = held.split == HeldOutSplit::time ? "the latest" : together_text(model, "");
  return fmt::format(
      ", on {} rows held out ({}), {}", rows, by.empty() ? "at random" : by,
      held.refitted ? "then refitted on all rows" : "not refitted: the guarantee is for the model that never saw them");
}

/// "north (40), south (38) and 3 more"
std::string some_names(std::span<const StratumClaim> claims, StratumClaim::Basis basis) {
  constexpr std::size_t most = 8;
  std::vector<std::string> names;
  std::size_t more = 0;
  for (const StratumClaim& claim : claims) {
    if (claim.basis != basis) continue;
    if (names.size() < most) {
      names.push_back(fmt::format("{} ({})", shown(claim.name), claim.units));
    } else {
      ++more;
    }
  }
  return fmt::format("{}{}", fmt::join(names, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
}

/// What the strata are promised, a line for each kind of promise.
std::string strata_text(const Model& model, double level) {
  const std::vector<StratumClaim> claims = stratum_claims(model.calibration(), level);
  if (claims.empty()) return {};
  const CalibrationUnit unit = model.calibration().unit;
  const std::string_view counted = unit == CalibrationUnit::new_groups   ? "calibration groups"
                                   : unit == CalibrationUnit::new_inputs ? "distinct calibration inputs"
                                                                         : "calibration rows";
  const std::string& column = model.data().strata_name;
  std::string text = fmt::format("coverage by {} ({} in brackets):\n",
                                 column.empty() ? "name" : fmt::format("'{}'", shown(column)), counted);
  using Basis = StratumClaim::Basis;
  const auto line = [&](Basis basis, std::string_view what) {
    double least = 1.0;
    bool found = false;
    for (const StratumClaim& claim : claims) {
      if (claim.basis != basis) continue;
      found = true;
      least = std::min(least, claim.coverage);
    }
    if (!found) return;
    const std::string promise = least > 0.0 ? fmt::format("at least {} ", percent(least)) : "";
    text += fmt::format("  {}{}: {}\n", promise, what, some_names(claims, basis));
  };
  line(Basis::own, "by itself");
  line(Basis::rare_together, "together, for too few of each");
  line(Basis::nothing, "nothing promised, widest bounds of any name");
  return text;
}

std::string column_text(const FeatureColumn& column) {
  std::string name = shown(column.name);
  switch (column.kind) {
    case ColumnKind::names: return fmt::format("{} ({})", name, counted(column.levels.size(), "name"));
    case ColumnKind::boolean: return fmt::format("{} (yes or no)", name);
    case ColumnKind::date: break;
    case ColumnKind::number: return name;
  }
  std::string parts = "day";
  if (column.seasons) parts += ", season";
  if (column.weekdays) parts += ", weekday";
  if (column.daytimes) parts += ", time of day";
  return fmt::format("{} ({})", name, parts);
}

std::string inputs_text(const DataSet& data) {
  std::vector<std::string> names;
  for (const FeatureColumn& feature : data.features) names.push_back(column_text(feature));
  return fmt::format("{}", fmt::join(names, ", "));
}

/// What happened to the rows and columns of the table.
std::string table_text(const DataSet& data) {
  const DatasetReport& report = data.report;
  std::string text;
  if (!report.unlabelled_lines.empty())
    text += fmt::format("  {} without a value of '{}' {} left out\n", counted(report.unlabelled_lines.size(), "row"),
                        shown(data.target_name), was_or_were(report.unlabelled_lines.size()));
  if (!report.dropped_lines.empty())
    text += fmt::format("  {} with missing values {} dropped\n", counted(report.dropped_lines.size(), "row"),
                        was_or_were(report.dropped_lines.size()));
  if (!report.missing_cells.empty()) {
    std::vector<std::string> columns;
    for (const MissingCells& missing : report.missing_cells)
      columns.push_back(fmt::format("{} ({})", shown(missing.column), missing.cells));
    text += fmt::format("  missing cells are learned from, with an input of their own: {}\n", fmt::join(columns, ", "));
  }
  for (const ColumnNote& note : report.notes) text += fmt::format("  {}\n", shown(note.text, 2000));
  for (const std::string& name : report.constant_columns)
    text += fmt::format("  input '{}' is the same in every row and carries no information\n", shown(name));
  if (!data.range.unlimited())
    text += fmt::format("  '{}' stays between {} and {}\n", shown(data.target_name), data.range.low, data.range.high);
  return text;
}

/// How the training went. A Gaussian process trains no network, so it has no epochs.
std::string fit_text(const ModelParts& parts, const FitReport& fit) {
  std::string text = fmt::format("loss {:.3g}", fit.best_loss);
  if (!std::holds_alternative<GpSpec>(parts.spec.method))
    text += fmt::format(" after {}", counted(fit.epochs, "epoch"));
  text += fmt::format(", seed {}", fit.seed);
  if (fit.restarts > 0) text += ", " + counted(fit.restarts, "restart");
  text += "\n";
  if (fit.dropped > 0)
    text +=
        fmt::format("{} of its networks diverged and {} not count\n", fit.dropped, fit.dropped == 1 ? "does" : "do");
  return text;
}

/// Settings that differ from the defaults of the method.
std::string settings_text(const FitSpec& spec) {
  std::vector<std::string> changed;
  for (const auto& [name, value] : changed_settings(spec)) changed.push_back(fmt::format("{} = {}", name, value));
  return changed.empty() ? "all at their defaults" : fmt::format("{}", fmt::join(changed, ", "));
}

}  // namespace

std::string Model::describe() const {
  const ModelParts& p = parts();
  std::string text = fmt::format("{} for '{}' from {}: {}\n", method_title(p.spec.method), shown(p.data.target_name),
                                 counted(p.data.features.size(), "input"), inputs_text(p.data));
  text += fmt::format("learned from {} of {}{}; {}", p.fitted_rows.size(), counted(p.data.rows(), "row"),
                      distinct_text(p.data), fit_text(p, report()));
  text += table_text(p.data);
  text += fmt::format("calibration: {}{}\n", kind_text(p.calibration.kind), source_text(*this));
  if (const std::optional<double> level = default_level()) {
    text += fmt::format("bounds of {}: {}\n", percent(*level), guarantee(p.calibration, *level));
    text += strata_text(*this, *level);
  }
  text += fmt::format("settings: {}\n", settings_text(p.spec));
  text += fmt::format("fitted by nomu {} on {} ({}, {})\n", shown(p.version), shown(p.engine.name),
                      shown(p.engine.provider), shown(p.engine.isa));
  return text;
}

}  // namespace nomu
