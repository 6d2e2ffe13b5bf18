// nomu optimize ask and tell: one question, one answer at a time.

#include <iostream>
#include <optional>

#include "commands.hpp"
#include "model_output.hpp"
#include "nomu/core/error.hpp"
#include "nomu/data/table_io.hpp"
#include "optimize_commands.hpp"
#include "optimize_output.hpp"
#include "terminal.hpp"

namespace nomu::cli {
namespace {

struct AskOptions {
  EngineOptions engine{.threads = 1};  // what is optimised wants the other cores
  std::string study;
  std::string worker;
  std::int64_t count = 1;
  bool json = false;
};

void run_ask(const AskOptions& options) {
  Study study = Study::open(options.study, StudyAccess::write, shared_engine(options.engine));
  ProgressBar bar;
  const std::vector<Trial> trials = study.ask(static_cast<std::size_t>(options.count), options.worker,
                                              {.report = bar.callback(), .stop = interrupts().get_token()});
  bar.finish();
  if (options.json) {
    nlohmann::json list = nlohmann::json::array();
    for (const Trial& trial : trials) list.push_back(trial_json(study.space(), trial));
    return print("{}\n", list.dump());
  }
  if (trials.empty()) print("nothing is left to try\n");
  for (const Trial& trial : trials) print("{}  {}\n", trial.id, point_text(study.space(), trial.point));
}

struct TellOptions {
  std::string study;
  std::vector<std::string> words;
  std::vector<std::string> point;
  std::optional<std::string> failed;
  bool replace = false;
  bool lines = false;
  bool json = false;
};

double number_of(const std::string& text) {
  const CellValue cell = read_cell(text);
  if (cell.kind == CellKind::number) return cell.number;
  throw DataError("optimize", fmt::format("a value must be a finite number, got '{}'; for a trial without one, "
                                          "use --failed REASON",
                                          text));
}

std::int64_t id_of(const std::string& text) {
  const CellValue cell = read_cell(text);
  if (cell.kind == CellKind::number && cell.number >= 1.0 &&
      cell.number == static_cast<double>(static_cast<std::int64_t>(cell.number))) {
    return static_cast<std::int64_t>(cell.number);
  }
  throw DataError("optimize", fmt::format("a trial is named by its number, got '{}'", text));
}

/// One line of --lines: {"id": 3, "value": 0.5}, {"id": 4, "failed": "reason"} or {"point": {...}, "value": 0.5}.
void tell_line(Study& study, const std::string& line, bool replace) {
  const nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
  if (!json.is_object()) throw DataError("optimize", fmt::format("'{}' is not a JSON object", line));
  for (const auto& [key, unused] : json.items()) {
    if (key != "id" && key != "value" && key != "failed" && key != "point") {
      throw DataError("optimize", fmt::format("unknown key '{}'; a line has id or point, and value or failed", key));
    }
  }
  const bool has_value = json.contains("value") && json["value"].is_number();
  const bool has_reason = json.contains("failed") && json["failed"].is_string();
  if (json.contains("point") && has_value) {
    (void)study.add(point_from_json(study.space(), json["point"]), json["value"].get<double>());
  } else if (json.contains("id") && json["id"].is_number_integer() && has_value) {
    study.tell(json["id"].get<std::int64_t>(), json["value"].get<double>(), replace);
  } else if (json.contains("id") && json["id"].is_number_integer() && has_reason) {
    study.fail(json["id"].get<std::int64_t>(), json["failed"].get<std::string>(), replace);
  } else {
    throw DataError("optimize", fmt::format("'{}': a line has id or point, and value (a number) or failed", line));
  }
}

std::int64_t tell_lines(Study& study, bool replace) {
  std::int64_t count = 0;
  for (std::string line; std::getline(std::cin, line);) {
    if (line.empty()) continue;
    tell_line(study, line, replace);
    ++count;
  }
  return count;
}

/// --point x=1 --point solver=cg VALUE
void tell_point(Study& study, const TellOptions& options) {
  if (options.words.size() != 1) throw DataError("optimize", "with --point, exactly one value is told");
  nlohmann::json json = nlohmann::json::object();
  for (const std::string& word : options.point) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos)
      throw DataError("optimize", fmt::format("'{}' is not of the form name=value", word));
    json[word.substr(0, equals)] = word.substr(equals + 1);
  }
  (void)study.add(point_from_json(study.space(), json), number_of(options.words[0]));
}

void run_tell(const TellOptions& options) {
  Study study = Study::open(options.study);
  std::int64_t count = 1;
  if (options.lines) {
    count = tell_lines(study, options.replace);
  } else if (!options.point.empty()) {
    tell_point(study, options);
  } else if (options.failed && options.words.size() == 1) {
    study.fail(id_of(options.words[0]), *options.failed, options.replace);
  } else if (!options.failed && options.words.size() == 2) {
    study.tell(id_of(options.words[0]), number_of(options.words[1]), options.replace);
  } else {
    throw DataError("optimize", "say which trial, and its value or --failed REASON: tell STUDY ID VALUE");
  }
  if (options.json) print("{}\n", nlohmann::json{{"told", count}}.dump());
}

}  // namespace

void add_optimize_ask(CLI::App& optimize) {
  CLI::App* command = optimize.add_subcommand("ask", "The next trials; those handed out already are respected");
  const auto options = std::make_shared<AskOptions>();
  add_input(*command, "STUDY", options->study, "study file");
  command->add_option("--count", options->count, "how many")->capture_default_str()->check(CLI::Range(1L, 100000L));
  command->add_option("--worker", options->worker, "who asks, for the record");
  command->add_flag("--json", options->json, "print JSON");
  add_engine_options(*command, options->engine);
  command->callback([options] { run_ask(*options); });
}

void add_optimize_tell(CLI::App& optimize) {
  CLI::App* command = optimize.add_subcommand("tell", "The result of a trial, or of a point from elsewhere");
  const auto options = std::make_shared<TellOptions>();
  add_input(*command, "STUDY", options->study, "study file");
  command->add_option("ID_VALUE", options->words, "number of the trial and its value")->expected(0, 2);
  command->add_option("--failed", options->failed, "the trial has no value, for this reason");
  command->add_option("--point", options->point, "name=value: a result for this point, without a trial")
      ->allow_extra_args(false);
  command->add_flag("--replace", options->replace, "overwrite what was told before");
  command->add_flag("--lines", options->lines, "read JSON lines from standard input");
  command->add_flag("--json", options->json, "print JSON");
  command->callback([options] { run_tell(*options); });
}

}  // namespace nomu::cli
