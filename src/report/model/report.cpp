#include "nomu/report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <system_error>

#include "nomu/core/error.hpp"
#include "nomu/core/file.hpp"
#include "report/model/check.hpp"
#include "report/model/figures.hpp"
#include "report/page/view.hpp"

namespace nomu {
namespace {

constexpr std::string_view where = "report/report";

void require_size(std::size_t size, std::size_t wanted, std::string_view what) {
  if (size == wanted) return;
  throw DataError(where, fmt::format("{} {} given, but {} are needed", size, what, wanted));
}

void check_rows(const ReportRows& rows, bool needs_bounds) {
  if (rows.targets.empty()) throw DataError(where, "the rows to evaluate on are empty; leave them out instead");
  require_size(rows.predicted.mean.size(), rows.targets.size(), "predictions of the rows to evaluate on");
  if (!std::ranges::all_of(rows.targets, [](double value) { return std::isfinite(value); })) {
    throw DataError(where, "a target of the rows to evaluate on is not finite");
  }
  if (needs_bounds && rows.fresh && !rows.bounds) {
    throw ConfigError(where, "the model is calibrated, but the fresh rows have no function for their bounds");
  }
}

void check_name(std::string_view name) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  };
  if (!name.empty() && name.size() <= 100 && std::ranges::all_of(name, plain)) return;
  throw ConfigError(where, fmt::format("'{}' is not a valid plot name; use up to 100 letters, digits, '-' and '_'",
                                       short_name(name)));
}

}  // namespace

void check_subject(const ReportSubject& subject) {
  check_dataset(subject.data);
  std::size_t inputs = 0;
  for (const FeatureColumn& feature : subject.data.features) inputs += input_count(feature);
  require_size(inputs, subject.data.cols(), "inputs described by the columns");
  if (!subject.predict) throw ConfigError(where, "the subject has no function that predicts");
  check_calibration(subject.calibration);
  if (claims_level(subject)) {
    if (!subject.bounds) throw ConfigError(where, "the model is calibrated, but there is no function for its bounds");
    (void)guarantee(subject.calibration, subject.level);  // throws if it does not support the level
  }
  if (subject.rows) check_rows(*subject.rows, claims_level(subject));
}

std::vector<NamedPlot> report_plots(const ReportSubject& subject) {
  check_subject(subject);
  std::vector<NamedPlot> plots;
  for (const auto& chapter : {model_figures, quality_figures, fit_figures}) {
    std::ranges::move(chapter(subject), std::back_inserter(plots));
  }
  return plots;
}

std::vector<std::filesystem::path> write_plots(const std::filesystem::path& folder, std::span<const NamedPlot> plots,
                                               PlotSize size) {
  std::set<std::string_view> names;
  for (const NamedPlot& plot : plots) {
    check_name(plot.name);
    if (!names.insert(plot.name).second) throw ConfigError(where, fmt::format("two plots are named '{}'", plot.name));
  }
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw DataError(where, fmt::format("cannot create the folder '{}': {}", folder.string(), error.message()));
  }
  std::vector<std::filesystem::path> paths;
  for (const NamedPlot& plot : plots) {
    paths.push_back(folder / (plot.name + ".svg"));
    write_file_atomically(paths.back(), render_svg(plot.plot, size));
  }
  return paths;
}

}  // namespace nomu
