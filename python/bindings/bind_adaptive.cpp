#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "nomu/core/error.hpp"
#include "nomu/models/adapt.hpp"

namespace nomu::python {
namespace {

using namespace nb::literals;

/// Lower and upper bounds of the rows, each from what came before it; with results, each result counts for the next
/// row.
std::tuple<Array, Array> follow(AdaptiveBounds& bounds, const std::vector<PredictedRow>& rows, const double* results) {
  std::vector<double> lower;
  std::vector<double> upper;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const AdaptiveInterval interval = bounds.interval(rows[i]);
    lower.push_back(interval.lower);
    upper.push_back(interval.upper);
    if (results != nullptr) bounds.update(results[i], rows[i]);
  }
  return {to_numpy(std::move(lower)), to_numpy(std::move(upper))};
}

std::vector<PredictedRow> rows_from(const Numbers& mean, const Numbers& sigma) {
  if (mean.size() != sigma.size()) throw DataError("python", "mean and sigma must have one number per row each");
  std::vector<PredictedRow> rows;
  const std::span<const double> means = span_of(mean);
  const std::span<const double> sigmas = span_of(sigma);
  for (std::size_t i = 0; i < means.size(); ++i) {
    rows.push_back({.mean = means[i], .sigma_above = sigmas[i], .sigma_below = sigmas[i]});
  }
  return rows;
}

void require_one_per_row(std::size_t rows, const Numbers& y) {
  if (y.size() != rows) throw DataError("python", "y must have one number per row");
}

}  // namespace

void bind_adaptive(nb::module_& m) {
  nb::class_<AdaptiveBounds>(m, "AdaptiveBounds", "Bounds that follow the results of rows in order of time.")
      .def(
          "__init__",
          [](AdaptiveBounds* self, const Numbers& errors, double level, double step, double memory) {
            new (self) AdaptiveBounds(span_of(errors), {.level = level, .step = step, .memory = memory});
          },
          "errors"_a, "level"_a = AdaptiveSpec{}.level, "step"_a = AdaptiveSpec{}.step,
          "memory"_a = AdaptiveSpec{}.memory,
          "Starts from (y - mean) / sigma of rows that the model has not seen, the earliest first.")
      .def(
          "interval",
          [](AdaptiveBounds& self, const Numbers& mean, const Numbers& sigma) {
            return follow(self, rows_from(mean, sigma), nullptr);
          },
          "mean"_a, "sigma"_a, "Lower and upper bounds of the next rows, [q] each.")
      .def(
          "update",
          [](AdaptiveBounds& self, const Numbers& y, const Numbers& mean, const Numbers& sigma) {
            const std::vector<PredictedRow> rows = rows_from(mean, sigma);
            require_one_per_row(rows.size(), y);
            return follow(self, rows, span_of(y).data());
          },
          "y"_a, "mean"_a, "sigma"_a,
          "Takes results in order of time; returns the bounds that each row had before its result, [q] each.")
      .def_prop_ro("rows", &AdaptiveBounds::rows, "results so far")
      .def_prop_ro("missed", &AdaptiveBounds::missed, "those outside the bounds given before")
      .def_prop_ro("allowance", &AdaptiveBounds::allowance,
                   "how far the share within the bounds can be from the level at most")
      .def("guarantee", &AdaptiveBounds::guarantee, "What is proven about these rows, in a sentence.");
  m.def(
      "adaptive_bounds", [](const Model& model, double level) { return adaptive_bounds(model, {.level = level}); },
      "model"_a, "level"_a, "Adaptive bounds that start from the rows a model's calibration learned from.");
  m.def(
      "adaptive_follow",
      [](AdaptiveBounds& bounds, const Model& model, const Rows& x, const std::optional<Numbers>& y,
         const std::optional<Numbers>& noise) {
        const std::vector<PredictedRow> rows = adaptive_rows(model, span_of(x), span_of(noise));
        if (y) require_one_per_row(rows.size(), *y);
        return follow(bounds, rows, y ? span_of(*y).data() : nullptr);
      },
      "bounds"_a, "model"_a, "x"_a, "y"_a = nb::none(), "noise"_a = nb::none());
}

}  // namespace nomu::python
