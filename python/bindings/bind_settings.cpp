#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <tuple>

#include "bindings.hpp"
#include "nomu/bo/optimize_spec.hpp"
#include "nomu/models/preset.hpp"

namespace nomu::python {
namespace {

/// (name, value under each preset, what is allowed, one line)
using SettingRow = std::tuple<std::string, std::map<std::string, std::string>, std::string, std::string>;

std::vector<SettingRow> rows_of_settings(const SettingsOverview& overview) {
  std::vector<SettingRow> rows;
  for (const SettingHelp& setting : overview.settings) {
    std::map<std::string, std::string> values;
    for (std::size_t i = 0; i < overview.presets.size(); ++i) values[overview.presets[i]] = setting.values[i];
    rows.emplace_back(setting.name, std::move(values), setting.allowed, setting.doc);
  }
  return rows;
}

}  // namespace

void bind_settings(nanobind::module_& m) {
  namespace nb = nanobind;
  m.def(
      "method_settings", [](const std::string& method) { return rows_of_settings(method_settings(method)); },
      nb::arg("method"), "The settings of a method: (name, value under each preset, what is allowed, one line).");
  m.def(
      "fit_settings", [] { return rows_of_settings(fit_settings()); },
      "The settings of every fit, in addition to those of its method.");
  m.def(
      "study_settings",
      [] {
        OptimizeSpec spec;
        return rows_of_settings({.title = {}, .presets = {"default"}, .settings = settings_help({fields_of(spec)})});
      },
      "The settings of a study.");
}

}  // namespace nomu::python
