#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "nomu/eval/bounds.hpp"
#include "nomu/eval/calibration.hpp"
#include "printed.hpp"

namespace nomu::python {
namespace {

using namespace nb::literals;

PredictedRows predicted_from(const Numbers& mean, const Numbers& sigma_model, const std::optional<Numbers>& sigma_noise,
                             const std::optional<Numbers>& sigma_below) {
  PredictedRows rows{.mean = vector_of(mean), .sigma_model = vector_of(sigma_model)};
  if (sigma_noise) rows.sigma_noise = vector_of(*sigma_noise);
  if (sigma_below) rows.sigma_below = vector_of(*sigma_below);
  return rows;
}

/// An array view into the object that keeps it alive.
auto member(std::vector<double> PredictedRows::*part, bool optional = false) {
  return [part, optional](nb::handle_t<PredictedRows> self) {
    return view_of(nb::cast<PredictedRows&>(self).*part, self, optional);
  };
}

void bind_predicted(nb::module_& m) {
  nb::class_<PredictedRows>(m, "Predicted", "Predicted means and standard deviations, in the units of the target.")
      .def(
          "__init__",
          [](PredictedRows* self, const Numbers& mean, const Numbers& sigma_model,
             const std::optional<Numbers>& sigma_noise, const std::optional<Numbers>& sigma_below) {
            new (self) PredictedRows(predicted_from(mean, sigma_model, sigma_noise, sigma_below));
          },
          "mean"_a, "sigma_model"_a, "sigma_noise"_a = nb::none(), "sigma_below"_a = nb::none())
      .def_prop_ro("mean", member(&PredictedRows::mean), nb::sig("def mean(self) -> numpy.ndarray"), "[q]")
      .def_prop_ro("sigma_model", member(&PredictedRows::sigma_model),
                   nb::sig("def sigma_model(self) -> numpy.ndarray"), "[q], model uncertainty")
      .def_prop_ro("sigma_noise", member(&PredictedRows::sigma_noise, true),
                   nb::sig("def sigma_noise(self) -> numpy.ndarray | None"), "[q], data noise; None: not modelled")
      .def_prop_ro("sigma_below", member(&PredictedRows::sigma_below, true),
                   nb::sig("def sigma_below(self) -> numpy.ndarray | None"),
                   "[q], downward sigma_model; None: symmetric")
      .def_prop_ro(
          "sigma", [](const PredictedRows& rows) { return to_numpy(central_sigma({}, rows)); }, nb::rv_policy::move,
          nb::sig("def sigma(self) -> numpy.ndarray"), "[q], model uncertainty and data noise together")
      .def("__len__", &PredictedRows::rows)
      .def("__repr__", [](const PredictedRows& rows) { return "<nomu.Predicted " + printed(rows) + ">"; });
}

std::tuple<Array, Array> arrays_of(Bounds&& bounds) {
  return {to_numpy(std::move(bounds.lower)), to_numpy(std::move(bounds.upper))};
}

void bind_learning(nb::module_& m) {
  m.def(
      "calibrate_nll", [](const PredictedRows& rows, const Numbers& y) { return calibrate_nll(rows, span_of(y)); },
      "predicted"_a, "y"_a);
  m.def(
      "calibrate_separate",
      [](const PredictedRows& rows, const Numbers& y) { return calibrate_separate(rows, span_of(y)); }, "predicted"_a,
      "y"_a);
  m.def(
      "calibrate_coverage",
      [](const PredictedRows& rows, const Numbers& y, double level) {
        return calibrate_coverage(rows, span_of(y), level);
      },
      "predicted"_a, "y"_a, "level"_a);
  m.def("calibrate_width", &calibrate_width, "predicted"_a, "mean_width"_a);
  m.def(
      "calibrate_conformal",
      [](const PredictedRows& rows, const Numbers& y, const std::optional<Calibration>& base) {
        return calibrate_conformal(rows, span_of(y), base.value_or(Calibration{}));
      },
      "predicted"_a, "y"_a, "base"_a = nb::none());
  m.def(
      "calibrate_isotonic",
      [](const PredictedRows& rows, const Numbers& y, const std::optional<Calibration>& base) {
        return calibrate_isotonic(rows, span_of(y), base.value_or(Calibration{}));
      },
      "predicted"_a, "y"_a, "base"_a = nb::none());
}

}  // namespace

void bind_calibration(nb::module_& m) {
  bind_predicted(m);
  nb::class_<Calibration>(m, "Calibration", "Turns standard deviations into bounds with a level.")
      .def(nb::init<>())
      .def_prop_ro("kind", [](const Calibration& c) { return std::string(to_text(c.kind)); })
      .def_ro("c_model", &Calibration::c_model, "factor on the model uncertainty")
      .def_ro("c_noise", &Calibration::c_noise, "factor on the data noise")
      .def_ro("level", &Calibration::level, "for coverage, the level it was made for; otherwise 0")
      .def_ro("rows", &Calibration::rows, "number of rows it was learned from")
      .def_prop_ro(
          "unit", [](const Calibration& c) { return std::string(to_text(c.unit)); },
          "which new rows the claim is about: rows, new_inputs, known_inputs, new_groups or later_rows")
      .def_ro("strata", &Calibration::strata, "names with coverage of their own; empty: none")
      .def_prop_ro("units", &unit_count, "number of rows, distinct inputs or groups that the claim is made from")
      .def(
          "sigma", [](const Calibration& c, const PredictedRows& rows) { return to_numpy(central_sigma(c, rows)); },
          "predicted"_a, "Calibrated standard deviations, [q].")
      .def(
          "bounds",
          [](const Calibration& c, const PredictedRows& rows, double level) {
            return arrays_of(make_bounds(rows, c, level));
          },
          "predicted"_a, "level"_a, "Lower and upper bounds, [q] each; refused if the level is not supported.")
      .def(
          "claims",
          [](const Calibration& c, double level) {
            nb::dict claims;
            for (const StratumClaim& claim : stratum_claims(c, level)) {
              nb::dict facts;
              facts["rows"] = claim.rows;
              facts["units"] = claim.units;
              facts["basis"] = std::string(to_text(claim.basis));
              facts["guaranteed_coverage"] = claim.coverage;
              claims[claim.name.c_str()] = facts;
            }
            return claims;
          },
          "level"_a, "What is proven for each stratum; empty without strata.")
      .def("guarantee", &guarantee, "level"_a, "What bounds of this level guarantee, in a sentence.")
      .def("guaranteed_coverage", &guaranteed_coverage, "level"_a, "The proven coverage; 0: none.")
      .def(
          "__eq__", [](const Calibration& a, const Calibration& b) { return a == b; }, nb::is_operator(),
          nb::sig("def __eq__(self, other: object) -> bool"))
      .def("__repr__", [](const Calibration& c) {
        return "Calibration(kind='" + std::string(to_text(c.kind)) + "', rows=" + std::to_string(c.rows) + ")";
      });
  bind_learning(m);
}

}  // namespace nomu::python
