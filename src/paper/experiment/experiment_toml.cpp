#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "nomu/core/config.hpp"
#include "nomu/core/error.hpp"
#include "nomu/core/file.hpp"
#include "paper/experiment/experiment.hpp"

namespace nomu {
namespace {

constexpr const char* where = "paper/experiment";

using Entry = ConfigTable::Entry;

[[noreturn]] void fail(const ConfigTable& table, std::int64_t line, std::string_view message) {
  throw ConfigError(where, fmt::format("{}, line {}: {}", table.source, line, message));
}

/// "a, b" as its parts.
std::vector<std::string> parts_of(std::string_view text) {
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

/// `lists` takes what has no field type of its own, and what goes to every method.
struct Lists {
  std::string problems;
  std::string beside;
  std::string expected;
  std::string each;
  std::int64_t cohort = 0;
};

Fields experiment_fields(ExperimentSpec& spec, Lists& lists) {
  Fields f(where);
  f.add("title", spec.title, "what it shows");
  f.add("kind", spec.kind, "kind of experiment");
  f.add("paper", spec.paper, "tables and figures of the paper it is about");
  f.add("problems", lists.problems, "functions, data sets or dimensions");
  f.add("beside", lists.beside, "problems that do not count in the line for all of them");
  f.add("dimension", spec.dimension, Range::at_least(1), "input columns of problems that do not say themselves");
  f.add("rows", spec.rows, Range::at_least(2), "training rows");
  f.add("test_rows", spec.test_rows, Range::at_least(1), "test rows");
  f.add("rows_per_input", spec.rows_per_input, "rows and test_rows are meant for each input column");
  f.add("inputs", spec.inputs, "distribution of generated inputs: uniform or gauss");
  f.add("protocol", spec.protocol, "how methods that do not say themselves are calibrated and judged");
  f.add("first_seed", spec.first_seed, Range::between(0, 4294967295.0), "seed of the first run");
  f.add("runs", spec.runs, Range::at_least(1), "runs of every problem");
  f.add("results_version", spec.results_version, Range::at_least(1), "raised when numbers change on purpose");
  f.add("decimals", spec.decimals, Range::between(0, 9), "of the paper's numbers");
  f.add("network", spec.network, Range::at_least(1), "hidden widths of functions that are networks");
  f.add("cohort", lists.cohort, Range::at_least(0), "runs trained in lock step everywhere; 0: as each method says");
  f.add("expected", lists.expected, "file of the paper's numbers, beside this one");
  return f;
}

Fields method_fields(ExperimentMethod& method, Lists& lists) {
  Fields f(where);
  f.add("name", method.name, "column of the experiment's tables");
  f.add("each", lists.each, "one method for each of these; * in name, title, paper and protocol stands for it");
  f.add("title", method.title, "the same in tables and pictures");
  f.add("paper", method.paper, "its name in the expected numbers");
  f.add("method", method.method, "method");
  f.add("preset", method.preset, "its settings to begin with");
  f.add("problems", lists.problems, "problems it is run on; default: all of the experiment");
  f.add("protocol", method.protocol, "how it is calibrated and judged");
  f.add("cohort", method.cohort, Range::at_least(1), "runs trained in lock step on a GPU");
  f.add("cohort_cpu", method.cohort_cpu, Range::at_least(1), "runs trained in lock step elsewhere");
  return f;
}

/// One value of a grid as text.
std::vector<std::string> grid_values(const FieldValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return parts_of(*text);
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

/// The sweep of a method: each value of each key on its own, all else as it is.
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

/// Moves the entries under "prefix." out of the table, without the prefix.
std::vector<Entry> take(ConfigTable& table, const std::string& prefix) {
  std::vector<Entry> taken;
  std::erase_if(table.entries, [&](Entry& entry) {
    if (!entry.name.starts_with(prefix)) return false;
    taken.push_back({.name = entry.name.substr(prefix.size()), .value = entry.value, .line = entry.line});
    return true;
  });
  return taken;
}

/// The text with every * replaced.
std::string filled(std::string text, std::string_view value) {
  for (auto place = text.find('*'); place != std::string::npos; place = text.find('*', place + value.size())) {
    text.replace(place, 1, value);
  }
  return text;
}

std::vector<ExperimentMethod> methods_of(ConfigTable::Part& part, ExperimentProfile profile) {
  ExperimentMethod method;
  std::vector<Entry> settings = take(part.table, "set.");
  const std::vector<Entry> smoke = take(part.table, "smoke.");
  const std::vector<Entry> grid = take(part.table, "grid.");
  Lists lists;
  const Fields fields = method_fields(method, lists);
  for (const Entry& entry : part.table.entries) apply_entry(fields, entry, part.table.source);
  if (method.name.empty()) fail(part.table, part.line, "a method needs a name");
  method.problems = parts_of(lists.problems);
  if (method.title.empty()) method.title = method.name;
  if (profile == ExperimentProfile::smoke) settings.insert(settings.end(), smoke.begin(), smoke.end());
  for (const Entry& entry : settings) method.settings.emplace_back(entry.name, entry.value);
  const std::vector<std::string> values = parts_of(lists.each);
  if (values.empty()) return sweep(method, grid);
  std::vector<ExperimentMethod> all;
  for (const std::string& value : values) {
    ExperimentMethod one = method;
    for (std::string* text : {&one.name, &one.title, &one.paper, &one.protocol}) *text = filled(*text, value);
    std::ranges::move(sweep(one, grid), std::back_inserter(all));
  }
  return all;
}

/// The methods of all `[[method]]` parts, each under a name of its own.
void read_methods(ConfigTable& table, ExperimentProfile profile, ExperimentSpec& spec) {
  for (ConfigTable::Part& part : table.parts) {
    if (part.name != "method") {
      fail(table, part.line, fmt::format("unknown list of tables '{}', did you mean 'method'?", part.name));
    }
    for (ExperimentMethod& method : methods_of(part, profile)) {
      const bool taken =
          std::ranges::any_of(spec.methods, [&](const ExperimentMethod& m) { return m.name == method.name; });
      if (taken) fail(table, part.line, fmt::format("there are two methods called '{}'", method.name));
      if (method.protocol.empty()) method.protocol = spec.protocol;
      spec.methods.push_back(std::move(method));
    }
  }
}

/// An experiment file with those it is based on, the first one being based on none.
std::vector<ConfigTable> layers_of(const std::filesystem::path& file) {
  constexpr std::size_t most = 8;
  std::vector<ConfigTable> layers;
  std::filesystem::path next = file;
  while (!next.empty()) {
    ConfigTable table = read_toml(read_file(next), next.string());
    std::string base;
    Fields fields(where);
    fields.add("base", base, "experiment that this one is based on, beside it");
    for (const Entry& entry : take(table, "base")) {
      apply_entry(fields, {.name = "base" + entry.name, .value = entry.value, .line = entry.line}, table.source);
    }
    if (layers.size() == most) fail(table, 1, "an experiment is based on itself, or on too many others");
    next = base.empty() ? std::filesystem::path() : next.parent_path() / base;
    layers.insert(layers.begin(), std::move(table));
  }
  return layers;
}

/// What the files say of the experiment, later ones over earlier ones, and after that what they say of its smoke
/// profile.
void read_layers(std::vector<ConfigTable>& layers, ExperimentProfile profile, ExperimentSpec& spec, Lists& lists) {
  const Fields fields = experiment_fields(spec, lists);
  std::vector<std::vector<Entry>> smoke;
  for (ConfigTable& table : layers) {
    smoke.push_back(take(table, "smoke."));
    for (const Entry& entry : table.entries) apply_entry(fields, entry, table.source);
    if (!lists.expected.empty()) spec.expected = std::filesystem::path(table.source).parent_path() / lists.expected;
    lists.expected.clear();
  }
  for (std::size_t i = 0; i < layers.size(); ++i) {
    for (const Entry& entry : smoke[i]) {
      (void)fields.find(entry.name);  // a wrong key is wrong in every profile
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
  Lists lists;
  read_layers(layers, profile, spec, lists);
  spec.problems = parts_of(lists.problems);
  spec.beside = parts_of(lists.beside);
  for (ExperimentMethod& method : spec.methods) {
    if (lists.cohort > 0) method.cohort = method.cohort_cpu = lists.cohort;
  }
  const ConfigTable& table = layers.back();
  if (spec.kind.empty()) fail(table, 1, "an experiment needs a kind");
  if (spec.problems.empty()) fail(table, 1, "an experiment needs problems");
  if (spec.methods.empty()) fail(table, 1, "an experiment needs at least one [[method]]");
  return spec;
}

}  // namespace nomu
