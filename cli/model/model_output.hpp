#pragma once
// Output and options shared by the commands about models.

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "nomu/models/assess.hpp"
#include "nomu/models/model.hpp"

namespace nomu::cli {

/// `--calibrate` and `--level`, if given.
struct CalibrationOptions {
  std::optional<std::string> kind;
  std::optional<double> level;

  void add_to(CLI::App& command);
  void apply(FitSpec& spec) const;
};

/// Options of the commands that take a model and a file of rows.
struct ModelAndRows {
  EngineOptions engine;
  std::string model;
  std::string file;
  bool drop_missing = false;
  bool json = false;

  /// `rows` is the name of the file argument in the help.
  void add_to(CLI::App& command, const char* rows, const char* help);
};

[[nodiscard]] nlohmann::json metrics_json(const MetricsReport& metrics);

/// Kind, source, rows, level, and what is guaranteed at that level.
[[nodiscard]] nlohmann::json calibration_json(const Model& model);

/// Metrics on the rows held out for calibration; empty if there are none.
[[nodiscard]] std::optional<MetricsReport> held_out_metrics(const Model& model);

/// The requested engine, shared so that a model can own it.
[[nodiscard]] std::shared_ptr<Engine> shared_engine(const EngineOptions& options);

/// Adds a required positional file argument.
CLI::Option* add_input(CLI::App& command, const std::string& name, std::string& path, const std::string& help);

}  // namespace nomu::cli
