#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "file_bytes.hpp"
#include "interruptible.hpp"
#include "nomu/models/archive.hpp"
#include "nomu/models/targets.hpp"
#include "settings.hpp"

namespace nomu::python {
namespace {

using namespace nb::literals;

TargetModels fit_datasets(const std::vector<DataSet>& data, const std::string& method, const std::string& preset,
                          const std::string& noise, const Settings& settings, const std::string& device,
                          std::int64_t threads, const nb::object& progress,
                          const std::map<std::string, std::pair<double, double>>& ranges) {
  TargetsRequest request{
      .fit = {.method = method, .preset = preset, .noise = noise, .settings = as_settings(settings)}};
  for (const DataSet& one : data) request.targets.push_back(one.target_name);
  for (const auto& [name, range] : ranges) request.ranges[name] = {.low = range.first, .high = range.second};
  return result_of(
      [&](const Progress& reports) {
        return fit(request, data, make_engine({.device = device, .threads = threads}), reports);
      },
      progress);
}

std::vector<std::tuple<Array, Array>> joint_bounds(const TargetModels& models, const Rows& x, double level,
                                                   const std::optional<std::vector<std::string>>& strata) {
  std::vector<Bounds> bounds;
  {
    const nb::gil_scoped_release release;
    bounds = models.joint_bounds(span_of(x), level,
                                 strata ? std::span<const std::string>(*strata) : std::span<const std::string>{});
  }
  std::vector<std::tuple<Array, Array>> arrays;
  arrays.reserve(bounds.size());
  for (Bounds& one : bounds) arrays.emplace_back(to_numpy(std::move(one.lower)), to_numpy(std::move(one.upper)));
  return arrays;
}

TargetModels recalibrated(const TargetModels& models, const std::vector<DataSet>& rows, const std::string& kind,
                          std::optional<double> level) {
  return calibrated(models, rows, FitRequest{.calibration = kind, .level = level});
}

nb::bytes bytes_of(const TargetModels& models) {
  const std::string packed = pack_targets(models);
  return nb::bytes(packed.data(), packed.size());
}

std::string short_text(const TargetModels& models) {
  std::string names;
  for (const std::string& name : models.names()) names += (names.empty() ? "" : ", ") + name;
  return "<nomu.TargetModels " + names + ", " + std::to_string(models.models().front().data().rows()) + " rows>";
}

}  // namespace

void bind_targets(nb::module_& m) {
  nb::class_<TargetModels>(m, "TargetModels", "Models of several targets of the same rows.")
      .def_prop_ro(
          "models", [](const TargetModels& self) { return self.models(); }, "one for each target")
      .def_prop_ro("names", &TargetModels::names, "the targets")
      .def("model", &TargetModels::model, "target"_a, nb::rv_policy::copy, "The model of one target.")
      .def("joint_bounds", &joint_bounds, "x"_a, "level"_a, "strata"_a = nb::none(),
           "For each target lower and upper bounds at x [q][d], which contain all targets at once.")
      .def("joint_guarantee", &TargetModels::joint_guarantee, "level"_a, "What they guarantee, in a sentence.")
      .def("calibrated", &recalibrated, "rows"_a, "kind"_a, "level"_a = nb::none(),
           "The models recalibrated on rows they have not seen.")
      .def("describe", &TargetModels::describe, "A few lines on each for human readers.")
      .def(
          "save", [](const TargetModels& self, const std::filesystem::path& path) { save_targets(self, path); },
          "path"_a, "Writes one .nomu file atomically.")
      .def("__repr__", &short_text)
      .def("__getstate__", &bytes_of)
      .def("__setstate__", [](TargetModels& self, const nb::bytes& bytes) {
        new (&self) TargetModels(unpack_targets({bytes.c_str(), bytes.size()}, "pickled models"));
      });
  m.def("fit_targets", &fit_datasets, "data"_a, "method"_a = "nomu", "preset"_a = "auto", "noise"_a = "auto",
        "settings"_a = Settings{}, "device"_a = "auto", "threads"_a = 0, "progress"_a = nb::none(),
        "ranges"_a = std::map<std::string, std::pair<double, double>>{},
        "Fits and calibrates a model for each data set, as `nomu fit --target a,b` does.");
  m.def(
      "load_targets",
      [](const std::filesystem::path& path) {
        return unpack_targets(file_bytes(path, {.begin = model_file_begin}), path.string());
      },
      "path"_a, "Reads a .nomu file of several targets; never executes code from it.");
}

}  // namespace nomu::python
