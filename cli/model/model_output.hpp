#pragma once
// Output and options shared by the commands about models.

#include <CLI/CLI.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>

#include "nomu/core/error.hpp"
#include "nomu/interchange/attach.hpp"
#include "nomu/models/assess.hpp"
#include "nomu/models/request.hpp"
#include "nomu/models/targets.hpp"

namespace nomu::cli {

/// `--calibrate` and `--level`: the options of a request.
void add_calibration_options(CLI::App& command, FitRequest& request);

/// `--set` and `--seed`: the options of a request.
void add_setting_options(CLI::App& command, FitRequest& request);

/// `--range`: values that the target can take; with `ranges`, also those of each of several targets.
void add_range_option(CLI::App& command, FitRequest& request, std::map<std::string, TargetRange>* ranges = nullptr);

/// `--target` of the commands that read a model.
void add_target_option(CLI::App& command, std::string& target);

/// A model file, of which `target` is to be used if it holds several.
[[nodiscard]] Model load_one(const std::string& file, const std::string& target, const EngineOptions& engine);

/// How the command line spells the options that messages about tables name.
[[nodiscard]] OptionNames option_names();

/// `load_onnx`; the files that its weights are in are never overwritten, and outputs are as private as they are.
[[nodiscard]] std::shared_ptr<const OnnxNetwork> load_network(const std::string& file, const OnnxChoice& choice);

/// Nothing chosen yet; messages name the options of the command line.
[[nodiscard]] OnnxChoice onnx_choice();

/// MODEL, the network that it holds bounds for, if any, and the engine it runs on.
struct ModelFile {
  EngineOptions engine;
  std::string model;
  std::string network;  ///< ONNX file; empty: the model needs no network
  OnnxChoice choice = onnx_choice();
  std::string target;  ///< of a file with several, the one to use; empty: all

  void add_to(CLI::App& command);
  [[nodiscard]] Model load() const;
  /// The models of all targets, if the file holds several and none was chosen. The file is read once: it may be a pipe.
  [[nodiscard]] std::variant<Model, TargetModels> load_any() const;
};

/// Options of the commands that take a model and a file of rows.
struct ModelAndRows : ModelFile {
  std::string file;
  bool drop_missing = false;
  bool json = false;

  /// `rows` is the name of the file argument in the help.
  void add_to(CLI::App& command, const char* rows, const char* help);
};

/// Throws the error again, with the name of the file in front of the message unless that names it already.
[[noreturn]] void rethrow_naming(const std::string& file, const DataError& error);

/// Runs something about the rows of a file; its errors name the file.
template <class Action>
auto about_file(const std::string& file, const Action& action) {
  try {
    return action();
  } catch (const DataError& error) {
    rethrow_naming(file, error);
  }
}

/// Throws an error about what was asked of a model again, such as a level, with the model's file in front.
[[noreturn]] void rethrow_naming(const std::string& model, const ConfigError& error);

/// Runs something about a model alone; its errors name the file, those about what is asked of it, too.
template <class Action>
auto about_model(const std::string& file, const Action& action) {
  try {
    return about_file(file, action);
  } catch (const ConfigError& error) {
    rethrow_naming(file, error);
  }
}

/// Throws the error again. Of one about predictions, which the rows are not to blame for, the message names the model;
/// otherwise it names the file of the rows.
[[noreturn]] void rethrow_naming(const ModelAndRows& files, const DataError& error);

/// Runs something that a model computes for the rows of a file; its errors name what they are about.
template <class Action>
auto about_predictions(const ModelAndRows& files, const Action& action) {
  try {
    return action();
  } catch (const DataError& error) {
    rethrow_naming(files, error);
  } catch (const ConfigError& error) {
    if (!error.where().starts_with("eval/")) throw;
    rethrow_naming(files.model, error);
  }
}

/// Says how many rows of a file were not used, if any.
void print_left_out(const DataSet& rows);

/// Missing cells by column, rows without a target, notes about columns.
[[nodiscard]] nlohmann::json table_json(const DataSet& data);

[[nodiscard]] nlohmann::json metrics_json(const MetricsReport& metrics);
[[nodiscard]] nlohmann::json trust_json(const Trustworthiness& trust);

/// Kind, source, rows, level, and what is guaranteed at that level.
[[nodiscard]] nlohmann::json calibration_json(const Model& model);

/// The requested engine, shared so that a model can own it.
[[nodiscard]] std::shared_ptr<Engine> shared_engine(const EngineOptions& options);

/// Adds a required positional file argument.
CLI::Option* add_input(CLI::App& command, const std::string& name, std::string& path, const std::string& help);

}  // namespace nomu::cli
