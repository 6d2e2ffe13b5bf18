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
#include "terminal.hpp"

namespace nomu::cli {
namespace {

struct Options {
  EngineOptions engine{.threads = 1};  // the evaluations need the other cores
  std::string study;
  std::string out;
  std::string title;
  std::optional<double> optimum;
  std::vector<std::string> others;
  bool no_model = false;
};

/// The trials of the other studies, which must have the same space and direction.
std::vector<std::vector<Trial>> trials_of(const std::vector<std::string>& files, const Study& study) {
  std::vector<std::vector<Trial>> all;
  for (const std::string& file : files) {
    const Study other = Study::open(file, StudyAccess::read);
    if (other.space() != study.space() || other.spec().direction != study.spec().direction) {
      throw DataError("optimize", fmt::format("'{}' has another space or direction; --with takes studies of the same "
                                              "function",
                                              file));
    }
    if (!other.best()) throw DataError("optimize", fmt::format("'{}' has no result yet", file));
    all.push_back(other.trials());
  }
  return all;
}

void run(const Options& options) {
  const std::filesystem::path study = options.study;
  const std::string out =
      options.out.empty() ? std::filesystem::path(study).replace_extension(".html").string() : options.out;
  prepare_file(out, {study});
  const auto today = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
  ProgressBar bar;
  const Study opened = Study::open(study, StudyAccess::read, shared_engine(options.engine));
  const std::string page =
      render_optimization_report(opened,
                                 {.title = options.title.empty() ? study.stem().string() : options.title,
                                  .date = fmt::format("{:%Y-%m-%d}", today),
                                  .optimum = options.optimum,
                                  .others = trials_of(options.others, opened),
                                  .model = !options.no_model},
                                 {.report = bar.callback(), .stop = interrupts().get_token()});
  bar.finish();
  write_file_atomically(out, page);
  print("{}\n", out);
}

}  // namespace

void add_optimize_report(CLI::App& optimize) {
  CLI::App* command = optimize.add_subcommand("report", "Write an HTML page with plots of a study");
  const auto options = std::make_shared<Options>();
  add_input(*command, "STUDY", options->study, "study file");
  command->add_option("-o,--out", options->out, "HTML file to write; default: next to the study");
  command->add_option("--title", options->title, "title of the page");
  command->add_option("--optimum", options->optimum, "known optimum; the regret is drawn");
  command
      ->add_option("--with", options->others,
                   "another study of the same function; the mean of all and its band are drawn")
      ->allow_extra_args(false);
  command->add_flag("--no-model", options->no_model, "without slices and maps of the model");
  add_engine_options(*command, options->engine);
  command->callback([options] { run(*options); });
}

}  // namespace nomu::cli
