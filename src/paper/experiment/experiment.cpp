#include "paper/experiment/experiment.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

#include "nomu/core/error.hpp"
#include "nomu/models/preset.hpp"

namespace nomu {
namespace {

constexpr std::string_view where = "paper/experiment";

/// "100 d" means 100 times the number of input columns; empty for any other value.
std::optional<std::int64_t> per_column(const FieldValue& value, std::size_t cols) {
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr || !text->ends_with(" d")) return std::nullopt;
  std::int64_t factor = 0;
  const char* const last = text->data() + text->size() - 2;
  const auto [end, error] = std::from_chars(text->data(), last, factor);
  if (error != std::errc{} || end != last) return std::nullopt;
  return factor * static_cast<std::int64_t>(cols);
}

/// Keeps the elements whose name matches one of `names`. Throws ConfigError for a name without a match.
template <class Element, class Name, class Keep>
void keep_named(std::vector<Element>& all, const std::vector<std::string>& names, std::string_view what,
                const Name& name_of, const Keep& matches) {
  if (names.empty()) return;
  std::vector<std::string> known;
  known.reserve(all.size());
  for (const Element& element : all) known.push_back(name_of(element));
  for (const std::string& name : names) {
    if (std::ranges::any_of(known, [&](const std::string& one) { return matches(one, name); })) continue;
    const std::string near = nearest(name, known);
    throw ConfigError(where, fmt::format("the experiment has no {} '{}'; {}", what, name,
                                         near.empty() ? fmt::format("there are {}", fmt::join(known, ", "))
                                                      : fmt::format("did you mean '{}'?", near)));
  }
  std::erase_if(all, [&](const Element& element) {
    return std::ranges::none_of(names, [&](const std::string& name) { return matches(name_of(element), name); });
  });
}

}  // namespace

MethodSpec ExperimentMethod::spec(std::size_t rows, std::size_t cols) const {
  try {
    MethodSpec spec = method_preset(method, preset, cols);
    const Fields fields = fields_of(spec);
    for (const auto& [key, value] : settings) {
      const std::optional<std::int64_t> scaled = per_column(value, cols);
      if (scaled) {
        fields.set(key, *scaled);
      } else if (const auto* text = std::get_if<std::string>(&value)) {
        fields.set_text(key, *text);
      } else {
        fields.set(key, value);
      }
    }
    return resolved_for(spec, rows, cols);
  } catch (const ConfigError& error) {
    throw ConfigError(where, fmt::format("method '{}': {}", name, error.what()));
  }
}

std::vector<ExperimentMethod> ExperimentMethod::combinations() const {
  std::vector<ExperimentMethod> all{*this};
  all.front().search.clear();
  for (const auto& [key, values] : search) {
    std::vector<ExperimentMethod> longer;
    for (const ExperimentMethod& one : all) {
      for (const std::string& value : values) {
        longer.push_back(one);
        longer.back().settings.emplace_back(key, value);
      }
    }
    all = std::move(longer);
  }
  return all;
}

void restrict_to(ExperimentSpec& spec, const ExperimentPart& part) {
  keep_named(
      spec.methods, part.methods, "method", [](const ExperimentMethod& method) { return method.name; },
      [](const std::string& one, const std::string& name) { return one == name || one.starts_with(name + "/"); });
  const auto counted_problems = [&] {
    return std::ranges::count_if(spec.problems, [&](const std::string& problem) {
      return std::ranges::find(spec.not_in_total, problem) == spec.not_in_total.end();
    });
  };
  const auto before = counted_problems();
  keep_named(
      spec.problems, part.problems, "problem", [](const std::string& problem) { return problem; },
      [](const std::string& one, const std::string& name) { return one == name; });
  spec.all_problems = spec.all_problems && counted_problems() == before;
  if (part.runs < 0) throw ConfigError(where, fmt::format("the number of runs must be positive, got {}", part.runs));
  if (part.runs > 0) spec.runs = part.runs;
  for (const std::uint64_t seed : part.seeds) {
    const auto first = static_cast<std::uint64_t>(spec.first_seed);
    if (seed >= first && seed < first + static_cast<std::uint64_t>(spec.runs)) continue;
    throw ConfigError(where, fmt::format("seed {} is none of the experiment's, which are {} to {}", seed, first,
                                         spec.first_seed + spec.runs - 1));
  }
  spec.seeds = part.seeds;
}

std::vector<std::filesystem::path> list_experiments(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  }
  if (error) {
    throw DataError(where,
                    fmt::format("cannot read the folder of experiments '{}': {}", folder.string(), error.message()));
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace nomu
