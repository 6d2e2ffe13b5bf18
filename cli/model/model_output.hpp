#pragma once
// What the commands about models print alike, and the options they share.

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "nomu/models/assess.hpp"
#include "nomu/models/model.hpp"

namespace nomu::cli {

/// `--calibrate` and `--level`, where they were given.
struct CalibrationOptions {
  std::optional<std::string> kind;
  std::optional<double> level;

  void add_to(CLI::App& command);
  void apply(FitSpec& spec) const;
};

/// What commands about a model and a file of rows share.
struct ModelAndRows {
  EngineOptions engine;
  std::string model;
  std::string file;
  bool drop_missing = false;
  bool json = false;

  /// `rows` names the file in the help.
  void add_to(CLI::App& command, const char* rows, const char* help);
};

[[nodiscard]] nlohmann::json metrics_json(const MetricsReport& metrics);

/// Kind, source, rows, level, and what is guaranteed at that level.
[[nodiscard]] nlohmann::json calibration_json(const Model& model);

/// The metrics of the rows that were held out for calibration; empty where there are none.
[[nodiscard]] std::optional<MetricsReport> held_out_metrics(const Model& model);

/// The model's engine: the one asked for, shared so that the model can own it.
[[nodiscard]] std::shared_ptr<Engine> shared_engine(const EngineOptions& options);

/// A required positional file.
CLI::Option* add_input(CLI::App& command, const std::string& name, std::string& path, const std::string& help);

}  // namespace nomu::cli
