#include <fmt/chrono.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "model/model_output.hpp"
#include "model/report_output.hpp"
#include "model/targets.hpp"
#include "nomu/core/file.hpp"
#include "terminal.hpp"

namespace nomu::cli {
namespace {

struct Options : ModelFile {
  std::string data;
  std::string title;
  ReportOutput output;
  std::optional<double> level;
  bool drop_missing = false;
  bool refit = false;
  bool no_check = false;
  bool json = false;
};

void write(const Options& options, const Model& model, const std::optional<Table>& rows, const ReportOutput& output) {
  ModelReportSpec spec{.title = options.title, .level = options.level};
  if (rows) {
    spec.rows = labelled_rows(model, *rows, options.drop_missing);
    spec.rows_source = std::filesystem::path(options.data).filename().string();
  }
  if (!options.no_check) spec.check = CheckSpec{.refit = options.refit};
  ProgressBar bar;
  const auto files = about_file(options.model, [&] { return output.write(model, spec, bar.callback()); });
  bar.finish();
  if (options.json) {
    nlohmann::json list = nlohmann::json::array();
    for (const std::filesystem::path& file : files) list.push_back(file.string());
    return print_json(nlohmann::json{{"model", options.model}, {"files", list}});
  }
  for (const std::filesystem::path& file : files) print("{}\n", file.string());
}

void run(const Options& options) {
  ReportOutput output = options.output;
  if (output.page.empty()) output.page = std::filesystem::path(options.model).replace_extension(".html").string();
  output.prepare({options.model, options.network, options.data});
  const auto loaded = options.load_any();
  std::optional<Table> rows;
  if (!options.data.empty()) rows = read_table(options.data);
  const auto* several = std::get_if<TargetModels>(&loaded);
  if (several == nullptr) return write(options, std::get<Model>(loaded), rows, output);
  const std::vector<std::string> targets = several->names();
  const std::vector<ReportOutput> outputs = reports_of(output, targets);
  for (const ReportOutput& one : outputs) one.prepare({options.model, options.network, options.data});
  for (std::size_t t = 0; t < targets.size(); ++t) write(options, several->models()[t], rows, outputs[t]);
}

}  // namespace

void ReportOutput::prepare(const std::vector<std::filesystem::path>& read) const {
  if (!page.empty()) prepare_file(page, read);
  if (plots.empty()) return;
  std::vector<std::filesystem::path> files = read;
  if (!page.empty()) files.emplace_back(page);
  prepare_folder(plots, files);
  keep_private(std::filesystem::path(plots) / "plot.svg", read);
}

std::vector<std::filesystem::path> ReportOutput::write(
    const Model& model, ModelReportSpec spec, const std::function<void(const ProgressEvent&)>& progress) const {
  const auto today = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
  spec.date = fmt::format("{:%Y-%m-%d}", today);
  const ReportSubject subject = report_subject(model, spec, {.report = progress, .stop = HeedInterrupts().token()});
  std::vector<std::filesystem::path> files;
  if (!page.empty()) {
    write_file_atomically(page, render_report(subject));
    files.emplace_back(page);
  }
  if (!plots.empty()) {
    for (std::filesystem::path& file : write_plots(plots, report_plots(subject))) files.push_back(std::move(file));
  }
  return files;
}

void add_report(CLI::App& app) {
  CLI::App* command = app.add_subcommand("report", "Write an HTML report with plots and scores of a model");
  const auto options = std::make_shared<Options>();
  options->add_to(*command);
  command->add_option("--data", options->data,
                      "CSV or TSV file of rows with known targets that the model has not seen");
  command->add_option("-o,--out", options->output.page, "HTML file to write; default: the model's name with .html");
  command->add_option("--plots", options->output.plots, "folder for the plots as separate SVG files");
  command->add_option("--level", options->level, "level of the bounds; default: the one the model was fitted for");
  command->add_option("--title", options->title, "title of the page");
  command->add_flag("--drop-missing", options->drop_missing, "drop rows with missing values");
  command->add_flag("--refit", options->refit, "also measure D5, which takes three more fits");
  command->add_flag("--no-check", options->no_check, "skip the desiderata");
  command->add_flag("--json", options->json, "print JSON");
  command->callback([options] { run(*options); });
}

}  // namespace nomu::cli
