#include <nanobind/stl/tuple.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "nomu/eval/metrics.hpp"

namespace nomu::python {
namespace {

using namespace nb::literals;

NllConstant constant_of(bool included) { return included ? NllConstant::included : NllConstant::left_out; }

std::tuple<Array, Array, Array> curve_of(const Numbers& mean, const Numbers& sigma, const Numbers& target) {
  std::vector<double> c;
  std::vector<double> covered;
  std::vector<double> width;
  for (const CurvePoint& point : mw_cp_curve(span_of(mean), span_of(sigma), span_of(target))) {
    c.push_back(point.c);
    covered.push_back(point.coverage);
    width.push_back(point.mean_width);
  }
  return {to_numpy(std::move(c)), to_numpy(std::move(covered)), to_numpy(std::move(width))};
}

nb::dict report_of(const Numbers& mean, const Numbers& sigma, const Numbers& target) {
  const MetricsReport report = measure(span_of(mean), span_of(sigma), span_of(target));
  nb::dict all;
  all["rows"] = report.rows;
  all["rmse"] = report.rmse;
  all["nll"] = report.nll;
  all["min_nll"] = report.min_nll;
  all["best_c"] = report.best_c;
  all["auc"] = report.auc;
  all["full_coverage_c"] = report.full_coverage_c;
  all["crps"] = report.crps;
  all["miscalibration_area"] = report.miscalibration_area;
  all["sharpness"] = report.sharpness;
  return all;
}

}  // namespace

void bind_metrics(nb::module_& m) {
  m.def(
      "standardised_residuals",
      [](const Numbers& mean, const Numbers& sigma, const Numbers& y) {
        return to_numpy(standardised_residuals(span_of(mean), span_of(sigma), span_of(y)));
      },
      "mean"_a, "sigma"_a, "y"_a);
  m.def(
      "nll",
      [](const Numbers& mean, const Numbers& sigma, const Numbers& y, bool constant) {
        return nll(span_of(mean), span_of(sigma), span_of(y), constant_of(constant));
      },
      "mean"_a, "sigma"_a, "y"_a, "constant"_a);
  m.def(
      "minimal_nll",
      [](const Numbers& mean, const Numbers& sigma, const Numbers& y, bool constant) {
        const MinimalNll least = minimal_nll(span_of(mean), span_of(sigma), span_of(y), constant_of(constant));
        return std::tuple(least.value, least.c);
      },
      "mean"_a, "sigma"_a, "y"_a, "constant"_a);
  m.def(
      "coverage",
      [](const Numbers& lower, const Numbers& upper, const Numbers& y) {
        return coverage(span_of(lower), span_of(upper), span_of(y));
      },
      "lower"_a, "upper"_a, "y"_a);
  m.def(
      "mean_width",
      [](const Numbers& lower, const Numbers& upper) { return mean_width(span_of(lower), span_of(upper)); }, "lower"_a,
      "upper"_a);
  m.def(
      "interval_score",
      [](const Numbers& lower, const Numbers& upper, const Numbers& y, double level) {
        return interval_score(span_of(lower), span_of(upper), span_of(y), level);
      },
      "lower"_a, "upper"_a, "y"_a, "level"_a);
  m.def("mw_cp_curve", &curve_of, "mean"_a, "sigma"_a, "y"_a);
  m.def(
      "auc",
      [](const Numbers& mean, const Numbers& sigma, const Numbers& y) {
        return auc(span_of(mean), span_of(sigma), span_of(y));
      },
      "mean"_a, "sigma"_a, "y"_a);
  m.def(
      "crps",
      [](const Numbers& mean, const Numbers& sigma, const Numbers& y) {
        return crps(span_of(mean), span_of(sigma), span_of(y));
      },
      "mean"_a, "sigma"_a, "y"_a);
  m.def(
      "rmse", [](const Numbers& mean, const Numbers& y) { return rmse(span_of(mean), span_of(y)); }, "mean"_a, "y"_a);
  m.def(
      "miscalibration_area",
      [](const Numbers& mean, const Numbers& sigma, const Numbers& y) {
        return miscalibration_area(span_of(mean), span_of(sigma), span_of(y));
      },
      "mean"_a, "sigma"_a, "y"_a);
  m.def(
      "sharpness", [](const Numbers& sigma) { return sharpness(span_of(sigma)); }, "sigma"_a);
  m.def("measure", &report_of, "mean"_a, "sigma"_a, "y"_a);
}

}  // namespace nomu::python
