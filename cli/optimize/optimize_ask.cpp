// nomu optimize ask, tell and enqueue: hands out trials, records their results, and adds points that are to be tried.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <iostream>
#include <optional>

#include "commands.hpp"
#include "model/model_output.hpp"
#include "nomu/bo/trial_io.hpp"
#include "nomu/core/error.hpp"
#include "nomu/data/table_io.hpp"
#include "optimize/optimize_commands.hpp"
#include "optimize/study_argument.hpp"
#include "terminal.hpp"

namespace nomu::cli {
namespace {

struct AskOptions {
  EngineOptions engine = study_engine_options();
  StudyArgument study;
  std::string worker;
  std::int64_t count = 1;
  bool json = false;
};

void run_ask(const AskOptions& options) {
  Study study = options.study.open(StudyAccess::write, shared_engine(options.engine));
  ProgressBar bar;
  const std::vector<Trial> trials = study.ask(static_cast<std::size_t>(options.count), options.worker,
                                              {.report = bar.callback(), .stop = HeedInterrupts().token()});
  bar.finish();
  if (!trials.empty() && trials.size() < static_cast<std::size_t>(options.count))
    warn("note: {} of the {} trials asked for: {}\n", trials.size(), options.count, study.why_finished());
  if (options.json) {
    std::string list;
    for (const Trial& trial : trials) list += (list.empty() ? "" : ",") + trial_to_json(study.space(), trial);
    return print("[{}]\n", list);
  }
  if (trials.empty()) print("nothing is left to try: {}\n", study.why_finished());
  for (const Trial& trial : trials) print("{}  {}\n", trial.id, point_text(study.space(), trial.point));
}

struct TellOptions {
  StudyArgument study;
  std::vector<std::string> words;
  std::vector<std::string> point;
  std::optional<std::string> failed;
  std::optional<double> cost;
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
  constexpr double largest_exact = 9007199254740992.0;  // 2^53; a larger one may not even be an int64_t
  if (cell.kind == CellKind::number && cell.number >= 1.0 && cell.number <= largest_exact &&
      cell.number == std::floor(cell.number)) {
    return static_cast<std::int64_t>(cell.number);
  }
  throw DataError("optimize", fmt::format("a trial is named by its number, got '{}'", text));
}

constexpr std::uint64_t most_of_input = std::uint64_t{256} << 20U;

/// The next line of standard input; false at its end. `room`: bytes that may still come, for it may have no end.
bool next_line(std::string& line, std::uint64_t& room) {
  line.clear();
  for (int c = std::cin.rdbuf()->sbumpc(); c != EOF; c = std::cin.rdbuf()->sbumpc()) {
    if (room-- == 0)
      throw DataError("optimize", fmt::format("standard input goes on after {} bytes, all that is read at once; tell "
                                              "the results in parts",
                                              most_of_input));
    if (c == '\n') return true;
    line += static_cast<char>(c);
  }
  return !line.empty();
}

/// Calls `use` with every line of standard input that is not blank, and what messages call it. Says so if there is
/// none: the command before a pipe may have failed.
void each_line(const std::function<void(const std::string& line, const std::string& label)>& use) {
  std::int64_t number = 0;
  bool any = false;
  std::uint64_t room = most_of_input;
  for (std::string line; next_line(line, room);) {
    const std::string label = fmt::format("line {}", ++number);
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    any = true;
    try {
      use(line, label);
    } catch (const DataError& error) {
      throw DataError("optimize", fmt::format("{}: {}", label, error.message()));
    }
  }
  if (!any) warn("note: standard input is empty; nothing was recorded\n");
}

/// Records all lines in one transaction, or none. Lines may be given again, so that a corrected file can be read as a
/// whole.
std::int64_t tell_lines(Study& study, bool replace) {
  std::vector<TrialResult> results;
  try {
    each_line([&](const std::string& line, const std::string& label) {
      results.push_back(result_from_json(study.space(), line));
      results.back().label = label;
    });
    study.tell(results, replace ? Repeated::replace : Repeated::accept_equal);
  } catch (const DataError& error) {
    throw DataError("optimize", fmt::format("{} (no line was recorded)", error.message()));
  }
  return static_cast<std::int64_t>(results.size());
}

/// x=1 solver=cg
Point point_of(const Space& space, const std::vector<std::string>& words) {
  nlohmann::json json = nlohmann::json::object();
  for (const std::string& word : words) {
    const Setting variable = parse_setting(word, "optimize");
    if (json.contains(variable.name))
      throw DataError("optimize", fmt::format("--point gives '{}' twice; give each variable once", variable.name));
    json[variable.name] = variable.value;
  }
  return point_from_json(space, json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

/// --point x=1 --point solver=cg VALUE
void tell_point(Study& study, const TellOptions& options) {
  if (options.failed) {
    throw DataError(
        "optimize",
        "only a trial can fail, not a point: nomu optimize enqueue STUDY --point ... makes it one, then tell "
        "STUDY ID --failed REASON");
  }
  if (options.replace) {
    throw DataError("optimize",
                    "--point adds a result and replaces none; to correct one, name its trial: tell STUDY ID VALUE "
                    "--replace");
  }
  if (options.words.size() != 1) {
    throw DataError("optimize",
                    "--point needs exactly one value; nomu optimize enqueue adds a point without one, to be tried");
  }
  study.tell(
      {{.point = point_of(study.space(), options.point), .value = number_of(options.words[0]), .cost = options.cost}},
      Repeated::refuse);
}

/// ID VALUE, or ID --failed REASON. The same result again is no mistake: whoever lost the connection tells it once
/// more.
void tell_trial(Study& study, const TellOptions& options) {
  TrialResult result{.id = id_of(options.words[0]), .cost = options.cost};
  if (options.failed)
    result.reason = *options.failed;
  else
    result.value = number_of(options.words[1]);
  study.tell({result}, options.replace ? Repeated::replace : Repeated::accept_equal);
}

/// Warns of penalties among the results: of any, or only if the value that was told now is one.
void advise(const Study& study, std::optional<double> told) {
  constexpr std::int64_t most = 10'000;  // reading more takes longer than the result is worth
  if (study.status().finished > most) return;
  std::vector<double> values;
  for (const Trial& trial : study.trials()) {
    if (trial.value) values.push_back(*trial.value);
  }
  const Direction direction = study.spec().direction;
  const std::optional<std::string> advice = advice_on_penalties(values, direction);
  if (!advice) return;
  if (told) {
    // Without it and its like there is nothing to warn of, if it is one of them.
    std::erase(values, *told);
    if (advice_on_penalties(values, direction) == advice) return;
  }
  warn("note: {}; tell STUDY ID --failed REASON --replace corrects one\n", *advice);
}

void run_tell(const TellOptions& options) {
  Study study = options.study.open(StudyAccess::write);
  std::int64_t count = 1;
  if (options.lines) {
    if (!options.words.empty() || !options.point.empty() || options.failed || options.cost) {
      throw DataError("optimize", "--lines reads everything from standard input; leave the rest of the arguments out");
    }
    count = tell_lines(study, options.replace);
  } else if (!options.point.empty()) {
    tell_point(study, options);
  } else if (options.words.size() == (options.failed ? 1U : 2U)) {
    tell_trial(study, options);
  } else {
    throw DataError("optimize", "give a trial and its value, or --failed REASON: tell STUDY ID VALUE");
  }
  if (options.json) return print_json(nlohmann::json{{"told", count}});
  if (!options.failed) advise(study, options.lines ? std::nullopt : std::optional(number_of(options.words.back())));
}

struct EnqueueOptions {
  StudyArgument study;
  std::vector<std::string> point;
  bool lines = false;
  bool json = false;
};

void run_enqueue(const EnqueueOptions& options) {
  if (options.lines == !options.point.empty())
    throw DataError("optimize", "give either a point, --point NAME=VALUE for each variable, or --lines");
  Study study = options.study.open(StudyAccess::write);
  std::vector<Point> points;
  if (options.lines)
    each_line(
        [&](const std::string& line, const std::string&) { points.push_back(point_from_json(study.space(), line)); });
  else
    points.push_back(point_of(study.space(), options.point));
  const std::vector<std::int64_t> trials = study.enqueue(points);
  if (options.json) return print("{}\n", nlohmann::json{{"trials", trials}}.dump());
  for (std::size_t i = 0; i < trials.size(); ++i) print("{}  {}\n", trials[i], point_text(study.space(), points[i]));
}

}  // namespace

void add_optimize_enqueue(CLI::App& optimize) {
  CLI::App* command = optimize.add_subcommand("enqueue", "Add points that are to be tried next");
  const auto options = std::make_shared<EnqueueOptions>();
  add_study(*command, options->study);
  command->add_option("--point", options->point, "name=value, for each variable")->allow_extra_args(false);
  command->add_flag("--lines", options->lines, "read points from standard input, one JSON object a line");
  command->add_flag("--json", options->json, "print JSON");
  command->callback([options] { run_enqueue(*options); });
}

void add_optimize_ask(CLI::App& optimize) {
  CLI::App* command = optimize.add_subcommand("ask", "Ask for the next trials");
  const auto options = std::make_shared<AskOptions>();
  add_study(*command, options->study);
  command->add_option("--count", options->count, "number of trials")
      ->capture_default_str()
      ->check(CLI::Range(1L, 100000L));
  command->add_option("--worker", options->worker, "name of the worker, for the record");
  command->add_flag("--json", options->json, "print JSON");
  add_engine_options(*command, options->engine);
  command->callback([options] { run_ask(*options); });
}

void add_optimize_tell(CLI::App& optimize) {
  CLI::App* command = optimize.add_subcommand("tell", "Record the result of a trial, or of any point");
  const auto options = std::make_shared<TellOptions>();
  add_study(*command, options->study);
  command->add_option("ID_VALUE", options->words, "number of the trial and its value")->expected(0, 2);
  command->add_option("--failed", options->failed, "the trial failed, for this reason");
  command->add_option("--point", options->point, "name=value: the result is for this point, not for a trial")
      ->allow_extra_args(false);
  command
      ->add_option("--cost", options->cost,
                   "what the evaluation took, in any unit; points that promise more for less are preferred")
      ->check(above_zero());
  command->add_flag("--replace", options->replace, "overwrite an earlier result that is another");
  command->add_flag("--lines", options->lines, "read JSON lines from standard input");
  command->add_flag("--json", options->json, "print JSON");
  command->callback([options] { run_tell(*options); });
}

}  // namespace nomu::cli
