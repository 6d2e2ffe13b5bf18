// nomu optimize report: one page about a study.

#include <fmt/chrono.h>

#include <chrono>
#include <filesystem>
#include <optional>

#include "commands.hpp"
#include "model/model_output.hpp"
#include "nomu/core/error.hpp"
#include "nomu/core/file.hpp"
#include "nomu/report/study_report.hpp"
#include "optimize/optimize_commands.hpp"
#include "optimize/study_argument.hpp"
#include "terminal.hpp"

namespace nomu::cli {
namespace {

struct Options {
  EngineOptions engine = study_engine_options();
  StudyArgument study;
  std::string out;
  std::string title;
  std::optional<double> optimum;
  std::vector<std::string> others;
  bool no_model = false;
};

/// The trials of the other studies, which must have the same space and direction.
std::vector<std::vector<Trial>> trials_of(const Options& options, const Study& study) {
  std::vector<std::vector<Trial>> all;
  for (const std::string& file : options.others) {
    const Study other = Study::open(file, StudyAccess::read, {}, options.study.file_systems());
    if (other.space() != study.space() || other.spec().direction != study.spec().direction) {
      throw DataError("optimize", fmt::format("'{}' has another space or direction; --with takes studies of the same "
                                              "function",
                                              other.name()));
    }
    if (!other.status().best_result) throw DataError("optimize", fmt::format("'{}' has no result yet", other.name()));
    all.push_back(other.trials());
  }
  return all;
}

void run(const Options& options) {
  const Study opened = options.study.open(StudyAccess::read, shared_engine(options.engine));
  const std::filesystem::path study = options.study.place;
  const bool address = opened.name().find("://") != std::string::npos;
  if (address && options.out.empty())
    throw DataError("optimize", "a study in a database has no folder for its report; say where with -o FILE");
  const std::string out =
      options.out.empty() ? std::filesystem::path(study).replace_extension(".html").string() : options.out;
  std::vector<std::filesystem::path> drawn(options.others.begin(), options.others.end());
  drawn.push_back(study);
  prepare_file(out, drawn);
  const std::string name = address ? std::filesystem::path(out).stem().string() : study.stem().string();
  const auto today = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
  ProgressBar bar;
  const std::string page = render_optimization_report(opened,
                                                      {.title = options.title.empty() ? name : options.title,
                                                       .date = fmt::format("{:%Y-%m-%d}", today),
                                                       .optimum = options.optimum,
                                                       .others = trials_of(options, opened),
                                                       .model = !options.no_model},
                                                      {.report = bar.callback(), .stop = HeedInterrupts().token()});
  bar.finish();
  write_file_atomically(out, page);
  print("{}\n", out);
}

}  // namespace

void add_optimize_report(CLI::App& optimize) {
  CLI::App* command = optimize.add_subcommand("report", "Write an HTML page with plots of a study");
  const auto options = std::make_shared<Options>();
  add_study(*command, options->study);
  command->add_option("-o,--out", options->out, "HTML file to write; default: next to the study");
  command->add_option("--title", options->title, "title of the page");
  command->add_option("--optimum", options->optimum, "known optimum, to draw the regret")->check(finite_number());
  command
      ->add_option("--with", options->others,
                   "another study of the same function, to draw the mean of all studies and its band")
      ->allow_extra_args(false);
  command->add_flag("--no-model", options->no_model, "leave out slices and maps of the model");
  add_engine_options(*command, options->engine);
  command->callback([options] { run(*options); });
}

}  // namespace nomu::cli
