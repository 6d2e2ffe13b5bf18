#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "file_bytes.hpp"
#include "interruptible.hpp"
#include "nomu/interchange/attach.hpp"
#include "nomu/interchange/onnx.hpp"
#include "nomu/models/archive.hpp"
#include "settings.hpp"

namespace nomu::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

/// The content of a file; shared with the models that were fitted for it.
struct Network {
  std::shared_ptr<const OnnxNetwork> onnx;
};

Model attach(const Network& network, const DataSet& data, const DataSet* unseen, const std::string& noise,
             const Settings& settings, const std::string& device, std::int64_t threads, const nb::object& progress,
             const std::optional<std::pair<double, double>>& range) {
  FitRequest request{.noise = noise, .settings = as_settings(settings)};
  if (range) request.range = {.low = range->first, .high = range->second};
  return result_of(
      [&](const Progress& reports) {
        auto engine = make_engine({.device = device, .threads = threads});
        return unseen == nullptr ? fit_bounds(request, network.onnx, data, std::move(engine), reports)
                                 : fit_bounds(request, network.onnx, data, *unseen, std::move(engine), reports);
      },
      progress);
}

nb::bytes to_python(const std::string& bytes) { return nb::bytes(bytes.data(), bytes.size()); }

/// Runs without the GIL until the bytes are ready.
template <class Write>
nb::bytes written(const Write& write) {
  std::string bytes;
  {
    const nb::gil_scoped_release release;
    bytes = write();
  }
  return to_python(bytes);
}

template <class Part>
auto fact(Part OnnxNetworkInfo::*part) {
  return [part](const Network& network) { return network.onnx->info().*part; };
}

OnnxChoice choice_of(const std::string& features, const std::string& output) {
  return {.features = features, .output = output, .words = {.features = "features=", .output = "output="}};
}

/// What `read` reads; Ctrl-C is heard while the network is tried out.
template <class Read>
Network tried(OnnxChoice choice, const Read& read) {
  return result_of(
      [&](const Progress& progress) {
        choice.stop = progress.stop;
        return Network{read(choice)};
      },
      nb::none());
}

void bind_network(nb::module_& m) {
  nb::class_<Network>(m, "OnnxNetwork", "A regression network from an ONNX file.")
      .def_prop_ro(
          "inputs",
          [](const Network& n) {
            std::vector<std::pair<std::string, std::size_t>> inputs;
            for (const OnnxInput& input : n.onnx->info().inputs) inputs.emplace_back(input.name, input.size());
            return inputs;
          },
          "names of its inputs and their numbers per row")
      .def_prop_ro("output", fact(&OnnxNetworkInfo::output), "name of its output")
      .def_prop_ro("features", fact(&OnnxNetworkInfo::features), "name of the value the bounds read")
      .def_prop_ro("columns", fact(&OnnxNetworkInfo::columns),
                   "axes of its input after the batch: [d], or [channels, height, width]")
      .def_prop_ro("opset", fact(&OnnxNetworkInfo::opset))
      .def_prop_ro("file", [](const Network& n) { return to_python(n.onnx->file()); })
      .def("__repr__", [](const Network& n) {
        return "<nomu OnnxNetwork, output '" + n.onnx->info().output + "', features '" + n.onnx->info().features + "'>";
      });
  m.def(
      "parse_onnx",
      [](const nb::bytes& bytes, const std::string& source, const std::string& features, const std::string& output) {
        const std::string file(bytes.c_str(), bytes.size());
        return tried(choice_of(features, output),
                     [&](const OnnxChoice& choice) { return parse_onnx(file, source, choice); });
      },
      "file"_a, "source"_a, "features"_a = "", "output"_a = "",
      "Reads the bytes of an ONNX file, called `source` in messages; `features` names the value that the bounds read, "
      "`output` the prediction.");
  m.def(
      "load_onnx",
      [](const std::filesystem::path& path, const std::string& features, const std::string& output) {
        // A pipe has no folder in which its weights could be.
        std::error_code unknown;
        const bool pipe = std::filesystem::is_fifo(path, unknown);
        const std::string bytes = pipe ? file_bytes(path, {}) : std::string();
        return tried(choice_of(features, output), [&](const OnnxChoice& choice) {
          return pipe ? parse_onnx(bytes, path.string(), choice) : load_onnx(path, choice);
        });
      },
      "path"_a, "features"_a = "", "output"_a = "",
      "Reads an ONNX file, and the file of its weights in the same folder; `features` names the value that the bounds "
      "read, "
      "`output` the prediction.");
}

}  // namespace

void bind_onnx(nb::module_& m) {
  m.def("onnx_available", &onnx_available, "Whether this build can read and write ONNX.");
  bind_network(m);
  m.def("attach", &attach, "network"_a, "data"_a, "unseen"_a = nb::none(), "noise"_a = "auto",
        "settings"_a = Settings{}, "device"_a = "auto", "threads"_a = 0, "progress"_a = nb::none(),
        "range"_a = nb::none(), "Trains bounds for the network and calibrates them, on the `unseen` rows if given.");
  m.def(
      "load_bounds",
      [](const std::filesystem::path& path, const Network& network) { return load_bounds(path, network.onnx); },
      "path"_a, "network"_a, "Reads a network's bounds, as written by `Model.save`.");
  m.def(
      "pack_attached",
      [](const Network& network, const Model& model, std::optional<double> level) {
        return written([&] { return pack_attached(*network.onnx, model, level); });
      },
      "network"_a, "model"_a, "level"_a = nb::none(), "The network and its bounds as the bytes of one ONNX file.");
  m.def(
      "save_attached",
      [](const Network& network, const Model& model, const std::filesystem::path& path, std::optional<double> level) {
        save_attached(*network.onnx, model, path, level);
      },
      "network"_a, "model"_a, "path"_a, "level"_a = nb::none(), nb::call_guard<nb::gil_scoped_release>(),
      "The same, written atomically to a file.");
  m.def(
      "pack_onnx",
      [](const Model& model, std::optional<double> level) { return written([&] { return pack_onnx(model, level); }); },
      "model"_a, "level"_a = nb::none(), "A model as the bytes of an ONNX file.");
  m.def("save_onnx", &save_onnx, "model"_a, "path"_a, "level"_a = nb::none(), nb::call_guard<nb::gil_scoped_release>(),
        "The same, written atomically to a file.");
}

}  // namespace nomu::python
