#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "nomu/core/config.hpp"
#include "nomu/core/error.hpp"
#include "paper/experiment/experiment.hpp"

namespace nomu {
namespace {

constexpr const char* where = "paper/experiment";

using Entry = ConfigTable::Entry;

[[noreturn]] void fail(const ConfigTable& table, std::int64_t line, std::string_view message) {
  throw ConfigError(where, fmt::format("{}, line {}: {}", table.source, line, message));
}

/// The parts of "a, b".
std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const auto comma = text.find(',');
    std::string_view part = text.substr(0, comma);
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    if (!part.empty()) parts.emplace_back(part);
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
  }
  return parts;
}

/// Values as written in the file, before they are split into lists or applied to every method.
struct RawValues {
  std::string problems;
  std::string not_in_total;
  std::string expected;
  std::string each;
  std::int64_t cohort = 0;
};

Fields experiment_fields(ExperimentSpec& spec, RawValues& raw) {
  Fields f(where);
  f.add("title", spec.title, "what it shows");
  f.add("kind", spec.kind, "kind of experiment");
  f.add("paper", spec.paper, "tables and figures of the paper it reproduces");
  f.add("problems", raw.problems, "functions, data sets or dimensions");
  f.add("not_in_total", raw.not_in_total, "problems that the line for all problems leaves out");
  f.add("dimension", spec.dimension, Range::at_least(1), "input columns of problems whose name does not give them");
  f.add("rows", spec.rows, Range::at_least(2), "training rows");
  f.add("test_rows", spec.test_rows, Range::at_least(1), "test rows");
  f.add("rows_per_input", spec.rows_per_input, "rows and test_rows are per input column");
  f.add("inputs", spec.inputs, "distribution of generated inputs: uniform or gauss");
  f.add("initial", spec.initial, "first points of optimisation runs: drawn from the seed, or the authors'");
  f.add("optimum_evaluations", spec.optimum_evaluations, Range::at_least(1),
        "evaluations with which DIRECT looks for the optimum of functions without a formula");
  f.add("protocol", spec.protocol, "how methods without their own protocol are calibrated and scored");
  f.add("first_seed", spec.first_seed, Range::between(0, 4294967295.0), "seed of the first run");
  f.add("runs", spec.runs, Range::at_least(1), "runs per problem");
  f.add("results_version", spec.results_version, Range::at_least(1), "increased when numbers change on purpose");
  f.add("decimals", spec.decimals, Range::between(0, 9), "decimals of the paper's numbers");
  f.add("network", spec.network, Range::at_least(1), "hidden widths of functions that are networks");
  f.add("cohort", raw.cohort, Range::at_least(0), "runs trained in lock step everywhere; 0: set by each method");
  f.add("expected", raw.expected, "file with the paper's numbers, in this file's folder");
  return f;
}

Fields method_fields(ExperimentMethod& method, RawValues& raw) {
  Fields f(where);
  f.add("name", method.name, "column of the experiment's tables");
  f.add("each", raw.each,
        "one method for each of these values, which replace * in name, title, paper, protocol and fit_seed");
  f.add("title", method.title, "its title in tables and plots");
  f.add("paper", method.paper, "its name among the expected numbers");
  f.add("method", method.method, "method");
  f.add("preset", method.preset, "preset that its settings start from");
  f.add("problems", raw.problems, "problems it is run on; default: all of the experiment");
  f.add("protocol", method.protocol, "how it is calibrated and scored");
  f.add("fit_seed", method.fit_seed, "number of another draw of all that is random in its fits; default: the first");
  f.add("cohort", method.cohort, Range::at_least(1), "runs trained in lock step on a GPU");
  f.add("cohort_cpu", method.cohort_cpu, Range::at_least(1), "runs trained in lock step elsewhere");
  return f;
}

/// The values of one key of a grid or a search, as text.
std::vector<std::string> grid_values(const FieldValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return split_list(*text);
  std::vector<std::string> texts;
  if (const auto* whole = std::get_if<std::vector<std::int64_t>>(&value)) {
    for (const std::int64_t one : *whole) texts.push_back(to_text(one));
  } else if (const auto* real = std::get_if<std::vector<double>>(&value)) {
    for (const double one : *real) texts.push_back(to_text(one));
  } else {
    texts.push_back(to_text(value));
  }
  return texts;
}

/// The sweep of a method: each value of each key on its own, with everything else unchanged.
std::vector<ExperimentMethod> sweep(const ExperimentMethod& base, const std::vector<Entry>& grid) {
  std::vector<ExperimentMethod> all{base};
  for (const Entry& key : grid) {
    for (const std::string& value : grid_values(key.value)) {
      ExperimentMethod one = base;
      one.name = fmt::format("{}/{}={}", base.name, key.name, value);
      one.title = fmt::format("{} = {}", key.name, value);
      one.paper = base.paper.empty() ? "" : fmt::format("{}={}", key.name, value);
      one.settings.emplace_back(key.name, value);
      all.push_back(std::move(one));
    }
  }
  return all;
}

/// Removes the entries that start with the prefix from the table and returns them without it.
std::vector<Entry> take_prefixed(ConfigTable& table, const std::string& prefix) {
  std::vector<Entry> taken;
  std::erase_if(table.entries, [&](Entry& entry) {
    if (!entry.name.starts_with(prefix)) return false;
    taken.push_back({.name = entry.name.substr(prefix.size()), .value = entry.value, .line = entry.line});
    return true;
  });
  return taken;
}

/// The text with every * replaced by the value.
std::string replace_stars(std::string text, std::string_view value) {
  for (auto place = text.find('*'); place != std::string::npos; place = text.find('*', place + value.size())) {
    text.replace(place, 1, value);
  }
  return text;
}

std::vector<ExperimentMethod> methods_of(ConfigTable::Part& part, ExperimentProfile profile) {
  ExperimentMethod method;
  std::vector<Entry> settings = take_prefixed(part.table, "set.");
  const std::vector<Entry> smoke = take_prefixed(part.table, "smoke.");
  const std::vector<Entry> grid = take_prefixed(part.table, "grid.");
  for (const Entry& entry : take_prefixed(part.table, "search.")) {
    method.search.emplace_back(entry.name, grid_values(entry.value));
  }
  RawValues raw;
  const Fields fields = method_fields(method, raw);
  for (const Entry& entry : part.table.entries) apply_entry(fields, entry, part.table.source);
  if (method.name.empty()) fail(part.table, part.line, "a method needs a name");
  method.problems = split_list(raw.problems);
  if (method.title.empty()) method.title = method.name;
  if (profile == ExperimentProfile::smoke) settings.insert(settings.end(), smoke.begin(), smoke.end());
  for (const Entry& entry : settings) method.settings.emplace_back(entry.name, entry.value);
  const std::vector<std::string> values = split_list(raw.each);
  if (values.empty()) return sweep(method, grid);
  std::vector<ExperimentMethod> all;
  for (const std::string& value : values) {
    ExperimentMethod one = method;
    for (std::string* text : {&one.name, &one.title, &one.paper, &one.protocol, &one.fit_seed})
      *text = replace_stars(*text, value);
    std::ranges::move(sweep(one, grid), std::back_inserter(all));
  }
  return all;
}

/// Reads the methods of all `[[method]]` parts, whose names must differ.
void read_methods(ConfigTable& table, ExperimentProfile profile, ExperimentSpec& spec) {
  for (ConfigTable::Part& part : table.parts) {
    if (part.name != "method") {
      fail(table, part.line, fmt::format("unknown list of tables '{}', did you mean 'method'?", part.name));
    }
    for (ExperimentMethod& method : methods_of(part, profile)) {
      const bool taken =
          std::ranges::any_of(spec.methods, [&](const ExperimentMethod& m) { return m.name == method.name; });
      if (taken) fail(table, part.line, fmt::format("there are two methods named '{}'; rename one", method.name));
      if (method.protocol.empty()) method.protocol = spec.protocol;
      spec.methods.push_back(std::move(method));
    }
  }
}

/// An experiment file and all files it is based on, the base first.
std::vector<ConfigTable> layers_of(const std::filesystem::path& file) {
  constexpr std::size_t most = 8;
  std::vector<ConfigTable> layers;
  std::filesystem::path next = file;
  while (!next.empty()) {
    ConfigTable table = read_toml(read_toml_file(next), next.string());
    std::string base;
    Fields fields(where);
    fields.add("base", base, "experiment file that this one is based on, in the same folder");
    for (const Entry& entry : take_prefixed(table, "base")) {
      apply_entry(fields, {.name = "base" + entry.name, .value = entry.value, .line = entry.line}, table.source);
    }
    if (layers.size() == most) fail(table, 1, "an experiment is based on itself, or on too many others");
    next = base.empty() ? std::filesystem::path() : next.parent_path() / base;
    layers.insert(layers.begin(), std::move(table));
  }
  return layers;
}

/// Applies the settings of all files, later ones over earlier ones, and then those of their smoke profiles.
void read_layers(std::vector<ConfigTable>& layers, ExperimentProfile profile, ExperimentSpec& spec, RawValues& raw) {
  const Fields fields = experiment_fields(spec, raw);
  std::vector<std::vector<Entry>> smoke;
  for (ConfigTable& table : layers) {
    smoke.push_back(take_prefixed(table, "smoke."));
    for (const Entry& entry : table.entries) apply_entry(fields, entry, table.source);
    if (!raw.expected.empty()) spec.expected = std::filesystem::path(table.source).parent_path() / raw.expected;
    raw.expected.clear();
  }
  for (std::size_t i = 0; i < layers.size(); ++i) {
    for (const Entry& entry : smoke[i]) {
      (void)fields.find(entry.name);  // an unknown key is an error in every profile
      if (profile == ExperimentProfile::smoke) apply_entry(fields, entry, layers[i].source);
    }
  }
  for (ConfigTable& table : layers) read_methods(table, profile, spec);
}

}  // namespace

ExperimentSpec read_experiment(const std::filesystem::path& file, ExperimentProfile profile) {
  std::vector<ConfigTable> layers = layers_of(file);
  ExperimentSpec spec;
  spec.name = file.stem().string();
  RawValues raw;
  read_layers(layers, profile, spec, raw);
  spec.problems = split_list(raw.problems);
  spec.not_in_total = split_list(raw.not_in_total);
  for (ExperimentMethod& method : spec.methods) {
    if (raw.cohort > 0) method.cohort = method.cohort_cpu = raw.cohort;
  }
  const ConfigTable& table = layers.back();
  if (spec.kind.empty()) fail(table, 1, "an experiment needs a kind");
  if (spec.problems.empty()) fail(table, 1, "an experiment needs problems");
  if (spec.methods.empty()) fail(table, 1, "an experiment needs at least one [[method]]");
  return spec;
}

}  // namespace nomu
