#include <algorithm>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "nomu/bo/optimize_spec.hpp"
#include "nomu/core/error.hpp"
#include "nomu/models/method.hpp"
#include "nomu/models/preset.hpp"
#include "terminal.hpp"

namespace nomu::cli {
namespace {

struct SettingsOptions {
  std::string subject;
  bool markdown = false;
  bool json = false;
};

std::vector<std::string> subjects() {
  std::vector<std::string> names = method_names();
  names.emplace_back("fit");
  names.emplace_back("optimize");
  return names;
}

SettingsOverview overview_of(const std::string& subject) {
  if (subject == "fit") return fit_settings();
  if (subject != "optimize") return method_settings(subject);
  OptimizeSpec spec;
  return {.title = "Optimisation", .presets = {"default"}, .settings = settings_help({fields_of(spec)})};
}

/// How the settings of a subject are changed.
std::string usage_of(const std::string& subject) {
  if (subject == "fit") return "nomu fit ... --set NAME=VALUE";
  if (subject == "optimize") return "nomu optimize new STUDY --space FILE --set NAME=VALUE";
  return fmt::format("nomu fit ... --method {} --preset PRESET --set NAME=VALUE", subject);
}

/// "auto 5, interactive 1": the values that differ from the first, or the only one.
std::string values_text(const SettingsOverview& overview, const SettingHelp& setting) {
  std::string text = setting.values.front().empty() ? "(empty)" : setting.values.front();
  for (std::size_t i = 1; i < setting.values.size(); ++i) {
    if (setting.values[i] != setting.values.front())
      text += fmt::format(", {}: {}", overview.presets[i], setting.values[i]);
  }
  return text;
}

void print_text(const std::string& subject, const SettingsOverview& overview) {
  print("{}: {}\n\n", overview.title, usage_of(subject));
  std::size_t width = 0;
  for (const SettingHelp& setting : overview.settings) width = std::max(width, setting.name.size());
  for (const SettingHelp& setting : overview.settings) {
    print("{:<{}}  {}\n", setting.name, width, setting.doc);
    print("{:<{}}  {}; default {}\n", "", width, setting.allowed, values_text(overview, setting));
  }
}

/// A cell of a Markdown table.
std::string cell(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

void print_markdown(const std::string& subject, const SettingsOverview& overview) {
  std::string columns;
  std::string rule;
  for (const std::string& preset : overview.presets) {
    columns += fmt::format(" {} |", preset);
    rule += " --- |";
  }
  print("\n## {}\n\n`{}`\n\n| setting |{} allowed | what it does |\n| --- |{} --- | --- |\n", overview.title,
        usage_of(subject), columns, rule);
  for (const SettingHelp& setting : overview.settings) {
    print("| `{}` |", setting.name);
    for (const std::string& value : setting.values) print(" {} |", cell(value));
    print(" {} | {} |\n", cell(setting.allowed), cell(setting.doc));
  }
}

void print_page() {
  print("# Settings\n\n");
  print(
      "Every setting of every method, of fits and of optimisations, with its value under each preset. `nomu settings "
      "METHOD`\n");
  print(
      "prints the same, and so does Python's `help(nomu.NOMURegressor)`. In a file for `--config`, `train.epochs` is "
      "the key\n");
  print("`epochs` of the table `[train]`. This page is generated (`scripts/command_docs`).\n");
  for (const std::string& subject : subjects()) print_markdown(subject, overview_of(subject));
}

nlohmann::json json_of(const std::string& subject, const SettingsOverview& overview) {
  nlohmann::json settings = nlohmann::json::array();
  for (const SettingHelp& setting : overview.settings) {
    nlohmann::json values = nlohmann::json::object();
    for (std::size_t i = 0; i < overview.presets.size(); ++i) values[overview.presets[i]] = setting.values[i];
    settings.push_back(
        {{"name", setting.name}, {"doc", setting.doc}, {"allowed", setting.allowed}, {"values", values}});
  }
  return {{"subject", subject}, {"title", overview.title}, {"settings", settings}};
}

void print_subjects() {
  print("nomu settings METHOD lists the settings of one of:\n\n");
  for (const std::string& subject : subjects()) {
    const SettingsOverview overview = overview_of(subject);
    print("  {:<20} {} ({} settings)\n", subject, overview.title, overview.settings.size());
  }
}

void run_settings(const SettingsOptions& options) {
  if (options.markdown) return print_page();
  if (options.json) {
    nlohmann::json list = nlohmann::json::array();
    for (const std::string& subject : options.subject.empty() ? subjects() : std::vector{options.subject})
      list.push_back(json_of(subject, overview_of(subject)));
    return print_json(list);
  }
  if (options.subject.empty()) return print_subjects();
  print_text(options.subject, overview_of(options.subject));
}

}  // namespace

void add_settings(CLI::App& app) {
  CLI::App* command = app.add_subcommand("settings", "List the settings of a method, of fits or of optimisations");
  const auto options = std::make_shared<SettingsOptions>();
  command->add_option("METHOD", options->subject, "a method, fit or optimize; default: list what there is")
      ->check(CLI::IsMember(subjects()));
  CLI::Option* json = command->add_flag("--json", options->json, "print JSON");
  command->add_flag("--markdown", options->markdown, "print all of them as the page docs/settings.md")->excludes(json);
  command->callback([options] { run_settings(*options); });
}

}  // namespace nomu::cli
