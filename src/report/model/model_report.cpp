#include "nomu/report/model_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "nomu/core/error.hpp"
#include "nomu/core/version.hpp"
#include "nomu/eval/statistics.hpp"

namespace nomu {
namespace {

constexpr std::string_view where = "report/model_report";

/// Noise for rows without a known one: the median of those that are known, or empty if none is.
std::vector<double> assumed_noise(const Model& model, std::size_t rows) {
  std::vector<double> noise;
  if (!model.data().noise.empty()) noise.assign(rows, median(model.data().noise));
  return noise;
}

DataSet fitted_data(const Model& model) {
  DataSet data = subset(model.data(), model.parts().fitted_rows);
  data.report = model.data().report;
  return data;
}

ReportRows fresh_rows(const Model& model, const DataSet& rows, const std::string& source) {
  check_dataset(rows);
  const std::size_t seen = seen_rows(model, rows);
  if (seen == rows.rows()) {
    throw DataError(where, fmt::format("all {} rows{} are among those the model was made with, so they prove nothing; "
                                       "give rows that it has not seen",
                                       rows.rows(), source.empty() ? "" : fmt::format(" of {}", source)));
  }
  return {.source = fmt::format("the {} rows{}", rows.rows(), source.empty() ? "" : fmt::format(" of {}", source)),
          .fresh = true,
          .known = seen,
          .targets = rows.targets,
          .predicted = model.predict_uncalibrated(rows.inputs, rows.noise),
          .bounds = [model, inputs = rows.inputs, noise = rows.noise,
                     strata = rows.strata](double level) { return model.bounds(inputs, level, noise, strata); },
          .strata = rows.strata};
}

/// The rows the calibration was learned from, if any.
std::optional<ReportRows> calibration_rows(const Model& model) {
  const HeldOut& held = model.held_out();
  const std::size_t count = held.targets.size();
  if (count == 0) return {};
  std::string source;
  switch (held.source) {
    case CalibrationSource::none: return {};
    case CalibrationSource::folds:
      source = fmt::format("the {} training rows, each left out of one fold", count);
      break;
    case CalibrationSource::hold_out: source = fmt::format("{} rows held out of the data", count); break;
    case CalibrationSource::given: source = fmt::format("the {} rows given for calibration", count); break;
  }
  return ReportRows{
      .source = std::move(source), .fresh = false, .targets = held.targets, .predicted = held.predicted, .bounds = {}};
}

std::vector<Finding> check_findings(const Model& model, const CheckSpec& spec, const Progress& progress) {
  std::vector<Finding> findings = check_model(model, spec, progress).findings;
  for (Finding& finding : findings) {
    if (!spec.refit && finding.desideratum == Desideratum::d5) {
      finding.sentence = "Skipped, because it takes three more fits; enable refitting to measure it.";
    }
  }
  return findings;
}

std::string remark_of(const Model& model) {
  std::string remark;
  if (!model.data().noise.empty()) {
    remark = "The noise of each row was given; elsewhere the plots assume its median. ";
  }
  if (model.held_out().split == HeldOutSplit::time)
    remark += "Where later rows differ from earlier ones, the level does not hold.";
  return remark;
}

}  // namespace

ReportSubject report_subject(const Model& model, const ModelReportSpec& spec, const Progress& progress) {
  ReportSubject subject;
  subject.name = spec.title.empty() ? fmt::format("Model of {}", model.data().target_name) : spec.title;
  subject.method = method_title(model.spec().method);
  subject.data = fitted_data(model);
  subject.predict = [model](std::span<const double> x) {
    return model.predict_uncalibrated(x, assumed_noise(model, x.size() / model.cols()));
  };
  subject.bounds = [model](std::span<const double> x, double level) {
    return model.bounds(x, level, assumed_noise(model, x.size() / model.cols()));
  };
  subject.calibration = model.calibration();
  subject.level = spec.level.value_or(model.default_level().value_or(subject.level));
  subject.remark = remark_of(model);
  if (const std::optional<Trustworthiness> trust = judge_trust(model)) subject.trust = trust_lines(*trust);
  subject.rows = spec.rows ? fresh_rows(model, *spec.rows, spec.rows_source) : calibration_rows(model);
  if (spec.check) subject.findings = check_findings(model, *spec.check, progress);
  subject.fits = model.fitted().reports();
  subject.settings = changed_settings(model.spec());
  subject.engine = model.parts().engine;
  subject.version = model.parts().version.empty() ? std::string(version()) : model.parts().version;
  subject.date = spec.date;
  return subject;
}

}  // namespace nomu
