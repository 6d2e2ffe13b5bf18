#include <nanobind/stl/string_view.h>

#include "bindings.hpp"
#include "nomu/core/version.hpp"

NB_MODULE(_nomu, m) {
  m.doc() = "The compiled part of nomu; use the modules of the package instead.";
  m.def("version", &nomu::version, "The version of the library.");
  nomu::python::bind_errors(m);
  nomu::python::bind_engine(m);
  nomu::python::bind_data(m);
  nomu::python::bind_metrics(m);
  nomu::python::bind_calibration(m);
  nomu::python::bind_model(m);
  nomu::python::bind_adaptive(m);
  nomu::python::bind_targets(m);
  nomu::python::bind_report(m);
  nomu::python::bind_onnx(m);
  nomu::python::bind_space(m);
  nomu::python::bind_settings(m);
  nomu::python::bind_study(m);
}
