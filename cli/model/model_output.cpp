#include "model/model_output.hpp"

#include <algorithm>
#include <string_view>

#include "commands.hpp"
#include "nomu/core/counted.hpp"
#include "nomu/core/error.hpp"
#include "nomu/core/file.hpp"
#include "nomu/interchange/attach.hpp"
#include "nomu/models/archive.hpp"
#include "terminal.hpp"

namespace nomu::cli {
namespace {

/// A number, inf or -inf.
std::optional<double> limit_of(const std::string& text) {
  if (text == "inf" || text == "+inf") return TargetRange::infinity;
  if (text == "-inf") return -TargetRange::infinity;
  const CellValue value = read_cell(text);
  return value.kind == CellKind::number ? std::optional(value.number) : std::nullopt;
}

TargetRange range_of(const std::string& text) {
  const std::size_t comma = text.find(',');
  const std::optional<double> low = limit_of(text.substr(0, comma));
  const std::optional<double> high = comma == std::string::npos ? std::nullopt : limit_of(text.substr(comma + 1));
  if (!low || !high || !(*low < *high))
    throw CLI::ValidationError("--range", "must be LOW,HIGH such as 0,inf or -inf,1, got " + text);
  return {.low = *low, .high = *high};
}

std::vector<std::string> calibration_names() {
  CalibrationSpec spec;
  const Fields fields = fields_of(spec);
  return std::ranges::find(fields.list(), std::string_view("kind"), &Field::name)->choices;
}

}  // namespace

void add_calibration_options(CLI::App& command, FitRequest& request) {
  command
      .add_option("--calibrate", request.calibration,
                  "how bounds get their level: auto (conformal if there are enough rows for the level, else nll), "
                  "none, nll, separate, coverage, conformal or isotonic")
      ->check(CLI::IsMember(calibration_names()));
  command.add_option("--level", request.level, "level of the bounds, inside (0, 1); 0.95 unless set");
}

void add_setting_options(CLI::App& command, FitRequest& request) {
  command
      .add_option_function<std::vector<std::string>>(
          "--set",
          [&request](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) request.settings.push_back(setting_of(text));
          },
          "settings, for example train.epochs=200 ensemble=1; nomu settings lists them")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command.add_option("--seed", request.seed, "seed of everything random; default: 1")->check(whole_number());
}

void ModelFile::add_to(CLI::App& command) {
  add_input(command, "MODEL", model, "model file");
  CLI::Option* with =
      command.add_option("--network", network, "ONNX file of the network that the bounds in the model belong to");
  command.add_option("--features", choice.features, "node or value of the network that the bounds read")->needs(with);
  command.add_option("--output", choice.output, "output of the network that is the prediction, if it has several")
      ->needs(with);
  add_target_option(command, target);
  add_engine_options(command, engine);
}

void add_target_option(CLI::App& command, std::string& target) {
  command.add_option("--target", target, "target to use, if the model file holds several");
}

Model load_one(const std::string& file, const std::string& target, const EngineOptions& engine) {
  if (target.empty()) return load_model(file, shared_engine(engine));
  const std::string bytes = read_file(file, model_file_begin);
  if (holds_targets(bytes)) return unpack_targets(bytes, file, shared_engine(engine)).model(target);
  Model model = unpack_model(bytes, file, shared_engine(engine));
  if (model.data().target_name == target) return model;
  throw ConfigError("model", fmt::format("{} is a model of '{}', not of '{}'; leave out --target", file,
                                         model.data().target_name, target));
}

std::variant<Model, TargetModels> ModelFile::load_any() const {
  if (!target.empty() || !network.empty()) return load();
  const std::string bytes = read_file(model, model_file_begin);
  if (holds_targets(bytes)) return unpack_targets(bytes, model, shared_engine(engine));
  return unpack_model(bytes, model, shared_engine(engine));
}

std::shared_ptr<const OnnxNetwork> load_network(const std::string& file, const OnnxChoice& choice) {
  std::shared_ptr<const OnnxNetwork> network = load_onnx(file, choice);
  keep_apart(network->info().weights);
  return network;
}

Model ModelFile::load() const {
  if (network.empty()) return load_one(model, target, engine);
  return load_bounds(model, load_network(network, choice), shared_engine(engine));
}

void ModelAndRows::add_to(CLI::App& command, const char* rows, const char* help) {
  ModelFile::add_to(command);
  add_input(command, rows, file, help);
  command.add_flag("--drop-missing", drop_missing, "drop rows with missing values");
  command.add_flag("--json", json, "print JSON");
}

OnnxChoice onnx_choice() {
  return {.words = {.features = "--features", .output = "--output"}, .stop = HeedInterrupts::token()};
}

OptionNames option_names() {
  return {.categorical = "--categorical",
          .ignore = "--ignore",
          .drop_missing = "--drop-missing",
          .range = "--range",
          .coverage_by = "--coverage-by"};
}

void add_range_option(CLI::App& command, FitRequest& request, std::map<std::string, TargetRange>* ranges) {
  command
      .add_option_function<std::vector<std::string>>(
          "--range",
          [&request, ranges](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) {
              const std::size_t name_end = ranges == nullptr ? std::string::npos : text.rfind('=');
              const bool named = name_end != std::string::npos;
              const TargetRange range = range_of(named ? text.substr(name_end + 1) : text);
              (named ? (*ranges)[text.substr(0, name_end)] : request.range) = range;
            }
          },
          ranges == nullptr
              ? "LOW,HIGH: values that the target can take, such as 0,inf; means, bounds and quantiles stay inside"
              : "LOW,HIGH: values that the target can take, such as 0,inf; means, bounds and quantiles stay "
                "inside. With several "
                "targets TARGET=LOW,HIGH, once for each")
      ->allow_extra_args(false)
      ->type_name("LOW,HIGH");
}

void rethrow_naming(const std::string& file, const DataError& error) {
  const bool of_another = error.where() == "core/file";  // it names the one that cannot be read or written
  if (of_another || error.message().find(file) != std::string_view::npos) throw DataError(error);
  throw DataError(error.where(), fmt::format("{}: {}", file, error.message()));
}

void rethrow_naming(const std::string& model, const ConfigError& error) {
  const bool too_few = error.message().find(" needs at least ") != std::string_view::npos;
  throw ConfigError(
      error.where(),
      fmt::format("{}: {}{}", model, error.message(),
                  too_few ? "; choose a lower level (--level), or calibrate on more (nomu calibrate)" : ""));
}

void rethrow_naming(const ModelAndRows& files, const DataError& error) {
  const bool predicted = error.where().starts_with("eval/") || error.where() == "models/predict";
  if (!predicted) rethrow_naming(files.file, error);
  throw DataError(error.where(), fmt::format("{}, predicting {}: {}", files.model, files.file, error.message()));
}

void print_left_out(const DataSet& rows) {
  const std::size_t unlabelled = rows.report.unlabelled_lines.size();
  const std::size_t dropped = rows.report.dropped_lines.size();
  if (unlabelled > 0) {
    print("{} without a value of '{}' {} left out\n", counted(unlabelled, "row"), rows.target_name,
          was_or_were(unlabelled));
  }
  if (dropped > 0) print("{} with missing values {} dropped\n", counted(dropped, "row"), was_or_were(dropped));
}

nlohmann::json table_json(const DataSet& data) {
  nlohmann::json missing = nlohmann::json::object();
  for (const MissingCells& cells : data.report.missing_cells) missing[cells.column] = cells.cells;
  nlohmann::json notes = nlohmann::json::array();
  for (const ColumnNote& note : data.report.notes) notes.push_back(note.text);
  return {{"missing_cells", std::move(missing)},
          {"rows_without_target", data.report.unlabelled_lines.size()},
          {"notes", std::move(notes)}};
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

nlohmann::json trust_json(const Trustworthiness& trust) {
  nlohmann::json json{
      {"seen_rmse", trust.seen_error}, {"unseen_rmse", trust.unseen_error}, {"unseen_rows", trust.unseen}};
  if (trust.level > 0.0) {
    json["level"] = trust.level;
    json["interval_score_ratio"] = trust.ratio;
    json["interval_score_ratio_error"] = trust.ratio_error;
    json["constant_half_width"] = trust.constant_half_width;
    json["widest_over_median"] = trust.widest;
  }
  json["drivers"] = nlohmann::json::array();
  for (const UncertaintyDriver& driver : trust.drivers)
    json["drivers"].push_back({{"column", driver.column}, {"change", driver.change}});
  return json;
}

nlohmann::json calibration_json(const Model& model) {
  const Calibration& calibration = model.calibration();
  nlohmann::json json{{"kind", to_text(calibration.kind)},    {"rows", calibration.rows},
                      {"unit", to_text(calibration.unit)},    {"units", unit_count(calibration)},
                      {"c_model", calibration.c_model},       {"c_noise", calibration.c_noise},
                      {"refitted", model.held_out().refitted}};
  if (const std::optional<double> level = model.default_level()) {
    json["level"] = *level;
    json["guaranteed_coverage"] = guaranteed_coverage(calibration, *level);
    json["guarantee"] = guarantee(calibration, *level);
    for (const StratumClaim& claim : stratum_claims(calibration, *level)) {
      json["coverage_by"][claim.name] = {{"rows", claim.rows},
                                         {"units", claim.units},
                                         {"basis", to_text(claim.basis)},
                                         {"guaranteed_coverage", claim.coverage}};
    }
  }
  return json;
}

std::shared_ptr<Engine> shared_engine(const EngineOptions& options) { return make_engine(options); }

CLI::Option* add_input(CLI::App& command, const std::string& name, std::string& path, const std::string& help) {
  return command.add_option(name, path, help)->required();
}

}  // namespace nomu::cli
