// nomu optimize ask and tell: one question, one answer at a time.

#include <iostream>
#include <optional>

#include "commands.hpp"
#include "model/model_output.hpp"
#include "nomu/core/error.hpp"
#include "nomu/data/table_io.hpp"
#include "optimize/optimize_commands.hpp"
#include "optimize/optimize_output.hpp"
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
    return write_out(json_line(list));
  }
  if (trials.empty()) print("nothing is left to try: {}\n", why_none(study));
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

[[noreturn]] void refuse_line(const std::string& why) {
  throw DataError("optimize", why +
                                  "; a line is {\"id\": 3, \"value\": 0.5}, {\"id\": 4, \"failed\": \"reason\"} or "
                                  "{\"point\": {...}, \"value\": 0.5}");
}

nlohmann::json parse_line(const std::string& line) {
  nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
  if (json.is_discarded() && (line.find("NaN") != std::string::npos || line.find("Infinity") != std::string::npos)) {
    refuse_line("NaN and Infinity are no results, tell such a trial as failed");
  }
  if (!json.is_object()) refuse_line("it is not a JSON object");
  for (const auto& [key, unused] : json.items()) {
    if (key != "id" && key != "value" && key != "failed" && key != "point")
      refuse_line(fmt::format("unknown key '{}'", key));
  }
  if (json.contains("id") == json.contains("point")) refuse_line("it needs id or point, one of them");
  if (json.contains("value") == json.contains("failed")) refuse_line("it needs value or failed, one of them");
  if (json.contains("value") && !json["value"].is_number()) refuse_line("value must be a number");
  if (json.contains("failed") && !json["failed"].is_string()) refuse_line("failed must be a text, the reason");
  if (json.contains("id") && !json["id"].is_number_integer()) refuse_line("id must be the number of a trial");
  if (json.contains("point") && json.contains("failed")) refuse_line("only a trial can fail, not a point");
  return json;
}

void tell_line(Study& study, const std::string& line, bool replace) {
  const nlohmann::json json = parse_line(line);
  if (json.contains("point")) {
    (void)study.add(point_from_json(study.space(), json["point"]), json["value"].get<double>());
    return;
  }
  const auto id = json["id"].get<std::int64_t>();
  const Trial trial = study.trial(id);
  if (json.contains("failed")) {
    const auto reason = json["failed"].get<std::string>();
    if (replace || trial.state != TrialState::failed || trial.reason != reason) study.fail(id, reason, replace);
  } else {
    const auto value = json["value"].get<double>();
    if (replace || trial.value != value) study.tell(id, value, replace);
  }
}

/// Line by line, as they come. What a trial is known to have may be told again, so that a corrected file can be given
/// once more.
std::int64_t tell_lines(Study& study, bool replace) {
  std::int64_t number = 0;
  std::int64_t count = 0;
  for (std::string line; std::getline(std::cin, line);) {
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    try {
      tell_line(study, line, replace);
    } catch (const DataError& error) {
      throw DataError("optimize",
                      fmt::format("line {}: {} (the {} before it are recorded)", number, error.what(), count));
    }
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
    if (!options.words.empty() || !options.point.empty() || options.failed) {
      throw DataError("optimize", "--lines reads everything from standard input; leave the rest of the line out");
    }
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
