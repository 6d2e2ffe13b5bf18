#include "model/model_output.hpp"

#include "commands.hpp"
#include "terminal.hpp"

namespace nomu::cli {

void CalibrationOptions::add_to(CLI::App& command) {
  command
      .add_option("--calibrate", kind,
                  "how bounds get their level: auto (conformal if there are enough rows for the level, else nll), "
                  "none, nll, separate, coverage, conformal or isotonic")
      ->check(CLI::IsMember({"auto", "none", "nll", "separate", "coverage", "conformal", "isotonic"}));
  command.add_option("--level", level, "level of the bounds, inside (0, 1); 0.95 unless set");
}

void ModelAndRows::add_to(CLI::App& command, const char* rows, const char* help) {
  add_input(command, "MODEL", model, "model file");
  add_input(command, rows, file, help);
  command.add_flag("--drop-missing", drop_missing, "drop rows with missing values");
  command.add_flag("--json", json, "print JSON");
  add_engine_options(command, engine);
}

void CalibrationOptions::apply(FitSpec& spec) const {
  if (kind) fields_of(spec).set_text("calibration.kind", *kind);
  if (level) spec.calibration.level = *level;  // checked where it is used, which gives a better message
}

nlohmann::json metrics_json(const MetricsReport& metrics) {
  return {{"rows", metrics.rows},
          {"rmse", metrics.rmse},
          {"nll", metrics.nll},
          {"min_nll", metrics.min_nll},
          {"best_c", metrics.best_c},
          {"auc", metrics.auc},
          {"crps", metrics.crps},
          {"miscalibration_area", metrics.miscalibration_area},
          {"sharpness", metrics.sharpness}};
}

nlohmann::json calibration_json(const Model& model) {
  const Calibration& calibration = model.calibration();
  nlohmann::json json{{"kind", to_text(calibration.kind)},
                      {"rows", calibration.rows},
                      {"c_model", calibration.c_model},
                      {"c_noise", calibration.c_noise},
                      {"refitted", model.held_out().refitted}};
  if (const std::optional<double> level = model.default_level()) {
    json["level"] = *level;
    json["guaranteed_coverage"] = guaranteed_coverage(calibration, *level);
    json["guarantee"] = guarantee(calibration, *level);
  }
  return json;
}

std::optional<MetricsReport> held_out_metrics(const Model& model) {
  const HeldOut& held = model.held_out();
  if (held.targets.empty()) return {};
  return evaluate(model.calibration(), held.predicted, held.targets, nullptr, 0.0).metrics;
}

std::shared_ptr<Engine> shared_engine(const EngineOptions& options) { return make_engine(options); }

CLI::Option* add_input(CLI::App& command, const std::string& name, std::string& path, const std::string& help) {
  return command.add_option(name, path, help)->required();
}

}  // namespace nomu::cli
