#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "columns.hpp"
#include "file_bytes.hpp"
#include "interruptible.hpp"
#include "nomu/core/error.hpp"
#include "nomu/models/archive.hpp"
#include "nomu/models/assess.hpp"
#include "nomu/models/request.hpp"
#include "settings.hpp"

namespace nomu::python {
namespace {

using namespace nb::literals;

Model fit_dataset(const DataSet& data, const std::string& method, const std::string& preset, const std::string& noise,
                  const Settings& settings, const std::string& device, std::int64_t threads, const nb::object& progress,
                  const std::optional<std::pair<double, double>>& range) {
  FitRequest request{.method = method, .preset = preset, .noise = noise, .settings = as_settings(settings)};
  if (range) request.range = {.low = range->first, .high = range->second};
  return result_of(
      [&](const Progress& reports) {
        return fit(request, data, make_engine({.device = device, .threads = threads}), reports);
      },
      progress);
}

void check_columns(const Model& model, const Rows& x) {
  if (x.shape(1) == model.cols()) return;
  throw DataError("python", "X has " + std::to_string(x.shape(1)) + " columns, but the model was fitted with " +
                                std::to_string(model.cols()));
}

PredictedRows predict_rows(const Model& model, const Rows& x, const std::optional<Numbers>& noise) {
  check_columns(model, x);
  const nb::gil_scoped_release release;
  return model.predict(span_of(x), span_of(noise));
}

PredictedRows predict_uncalibrated(const Model& model, const Rows& x, const std::optional<Numbers>& noise) {
  check_columns(model, x);
  const nb::gil_scoped_release release;
  return model.predict_uncalibrated(span_of(x), span_of(noise));
}

std::span<const std::string> names_in(const std::optional<std::vector<std::string>>& strata) {
  return strata ? std::span<const std::string>(*strata) : std::span<const std::string>{};
}

std::tuple<Array, Array> bound_rows(const Model& model, const Rows& x, double level,
                                    const std::optional<Numbers>& noise,
                                    const std::optional<std::vector<std::string>>& strata) {
  check_columns(model, x);
  Bounds bounds;
  {
    const nb::gil_scoped_release release;
    bounds = model.bounds(span_of(x), level, span_of(noise), names_in(strata));
  }
  return {to_numpy(std::move(bounds.lower)), to_numpy(std::move(bounds.upper))};
}

nb::object truth_values(const std::vector<bool>& flags) {
  return nb::cast(to_numpy(std::vector<double>(flags.begin(), flags.end()))).attr("astype")("bool");
}

nb::object outside_rows(const Model& model, const Rows& x) {
  check_columns(model, x);
  return truth_values(model.outside(span_of(x)));
}

/// The columns as the model's inputs, [q][d], and which rows hold what training did not, [q].
std::tuple<nb::object, nb::object> encode_columns(const Model& model, const Columns& columns) {
  const Table table = table_of(columns);
  EncodedRows rows = encode(table, model.data().features);
  nb::object flat = nb::cast(to_numpy(std::move(rows.inputs)));
  return {flat.attr("reshape")(table.rows(), model.cols()), truth_values(rows.unfamiliar)};
}

nb::object quantile_rows(const Model& model, const Rows& x, const Numbers& probabilities,
                         const std::optional<Numbers>& noise, const std::optional<std::vector<std::string>>& strata) {
  check_columns(model, x);
  std::vector<double> values;
  {
    const nb::gil_scoped_release release;
    values = model.quantiles(span_of(x), span_of(probabilities), span_of(noise), names_in(strata));
  }
  return nb::cast(to_numpy(std::move(values))).attr("reshape")(x.shape(0), probabilities.shape(0));
}

std::vector<std::string> column_names(const Model& model) {
  std::vector<std::string> names;
  for (const FeatureColumn& column : model.data().features) names.push_back(column.name);
  return names;
}

nb::dict report_of(const Model& model) {
  const FitReport& report = model.report();
  nb::dict all;
  all["epochs"] = report.epochs;
  all["first_loss"] = report.first_loss;
  all["best_loss"] = report.best_loss;
  all["last_loss"] = report.last_loss;
  all["restarts"] = report.restarts;
  all["stopped_early"] = report.stopped_early;
  all["dropped"] = report.dropped;
  all["history"] = to_numpy(std::vector<double>(report.history.begin(), report.history.end()));
  return all;
}

nb::object trust_of(const Model& model) {
  const std::optional<Trustworthiness> trust = judge_trust(model);
  if (!trust) return nb::none();
  nb::dict all;
  all["seen_rmse"] = trust->seen_error;
  all["unseen_rmse"] = trust->unseen_error;
  all["unseen_rows"] = trust->unseen;
  if (trust->level > 0.0) {
    all["level"] = trust->level;
    all["interval_score_ratio"] = trust->ratio;
    all["interval_score_ratio_error"] = trust->ratio_error;
    all["widest_over_median"] = trust->widest;
    all["constant_half_width"] = trust->constant_half_width;
  }
  nb::dict drivers;
  for (const UncertaintyDriver& driver : trust->drivers) drivers[driver.column.c_str()] = driver.change;
  all["drivers"] = drivers;
  all["lines"] = trust_lines(*trust);
  return all;
}

Settings settings_of(const Model& model) {
  FitSpec spec = model.spec();
  return listed(fields_of(spec));
}

Model recalibrated(const Model& model, const DataSet& rows, const std::string& kind, std::optional<double> level) {
  return calibrated(model, rows, FitRequest{.calibration = kind, .level = level});
}

nb::bytes bytes_of(const Model& model) {
  const std::string packed = pack_model(model);
  return nb::bytes(packed.data(), packed.size());
}

Model from_bytes(const nb::bytes& bytes) { return unpack_model({bytes.c_str(), bytes.size()}, "pickled model"); }

void bind_facts(nb::class_<Model>& model) {
  model.def_prop_ro("method", [](const Model& m) { return method_name(m.spec().method); })
      .def_prop_ro("calibration", [](const Model& m) { return m.calibration(); })
      .def_prop_ro("default_level", &Model::default_level, "default level of the bounds")
      .def_prop_ro(
          "level", [](const Model& m) { return m.default_level().value_or(m.spec().calibration.level); },
          "the level that was asked for; also where the calibration supports none")
      .def_prop_ro(
          "engine", [](const Model& m) { return m.parts().engine; }, "what it was fitted on")
      .def_prop_ro("input_names", [](const Model& m) { return m.data().input_names; })
      .def_prop_ro("column_names", &column_names, "columns of the table, which may be several inputs each")
      .def_prop_ro("settings", &settings_of, "every setting as it was used: (name, text)")
      .def_prop_ro("report", &report_of, "how the fit went")
      .def("trust", &trust_of, nb::sig("def trust(self) -> dict | None"),
           "What unseen rows say about the model; None if it has seen all rows.")
      .def("describe", &Model::describe, "A few lines for human readers.")
      .def("json", &model_json, "Everything about the model except its numbers, as JSON text.")
      .def("__repr__", [](const Model& m) {
        return "<nomu.Model of " + m.data().target_name + " by " + method_name(m.spec().method) + ", " +
               std::to_string(m.data().rows()) + " rows, " + std::to_string(m.cols()) + " inputs>";
      });
}

}  // namespace

void bind_model(nb::module_& m) {
  nb::class_<Model> model(m, "Model", "A fitted, calibrated, immutable model of one target.");
  model
      .def("predict", &predict_rows, "x"_a, "noise"_a = nb::none(),
           "Means and calibrated standard deviations at x [q][d].")
      .def("predict_uncalibrated", &predict_uncalibrated, "x"_a, "noise"_a = nb::none(),
           "Like predict, before calibration.")
      .def("bounds", &bound_rows, "x"_a, "level"_a, "noise"_a = nb::none(), "strata"_a = nb::none(),
           "Lower and upper bounds at x [q][d], [q] each; refused if the level is not supported.")
      .def("outside", &outside_rows, "x"_a, nb::sig("def outside(self, x: numpy.ndarray) -> numpy.ndarray"),
           "Whether rows lie outside the box of the training rows, [q].")
      .def("quantiles", &quantile_rows, "x"_a, "probabilities"_a, "noise"_a = nb::none(), "strata"_a = nb::none(),
           nb::sig("def quantiles(self, x: numpy.ndarray, probabilities: numpy.ndarray, noise: numpy.ndarray | None = "
                   "None, strata: collections.abc.Sequence[str] | None = None) -> numpy.ndarray"),
           "Quantiles at x [q][d] for k probabilities, [q][k]; refused if the calibration does not support them.")
      .def("encode", &encode_columns, "columns"_a,
           nb::sig("def encode(self, columns: list) -> tuple[numpy.ndarray, numpy.ndarray]"),
           "Named columns as the model's inputs, [q][d], and which rows hold what training did not, [q].")
      .def("calibrated", &recalibrated, "rows"_a, "kind"_a, "level"_a = nb::none(),
           "The model recalibrated on rows it has not seen.")
      .def(
          "save", [](const Model& self, const std::filesystem::path& path) { save_model(self, path); }, "path"_a,
          "Writes a .nomu file atomically.")
      .def("__getstate__", &bytes_of)
      .def("__setstate__", [](Model& self, const nb::bytes& bytes) { new (&self) Model(from_bytes(bytes)); });
  bind_facts(model);
  m.def("fit", &fit_dataset, "data"_a, "method"_a = "nomu", "preset"_a = "auto", "noise"_a = "auto",
        "settings"_a = Settings{}, "device"_a = "auto", "threads"_a = 0, "progress"_a = nb::none(),
        "range"_a = nb::none(), "Fits and calibrates; the same settings and seed give the same model as `nomu fit`.");
  m.def(
      "load_model",
      [](const std::filesystem::path& path) {
        return unpack_model(file_bytes(path, {.begin = model_file_begin}), path.string());
      },
      "path"_a, "Reads a .nomu file; never executes code from it.");
  m.def("method_names", &method_names, "The names of all methods.");
}

}  // namespace nomu::python
