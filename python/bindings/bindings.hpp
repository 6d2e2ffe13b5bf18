#pragma once
/// The parts of the extension module `nomu._nomu`, one a concept. Each adds its classes and functions; all are thin.

#include <nanobind/nanobind.h>

namespace nomu {
class Study;
}

namespace nomu::python {

void bind_errors(nanobind::module_& m);
void bind_engine(nanobind::module_& m);
void bind_data(nanobind::module_& m);
void bind_metrics(nanobind::module_& m);
void bind_calibration(nanobind::module_& m);
void bind_model(nanobind::module_& m);
void bind_adaptive(nanobind::module_& m);
void bind_targets(nanobind::module_& m);
void bind_report(nanobind::module_& m);
void bind_onnx(nanobind::module_& m);
void bind_space(nanobind::module_& m);
void bind_settings(nanobind::module_& m);
void bind_study(nanobind::module_& m);
void bind_results(nanobind::class_<Study>& study);

}  // namespace nomu::python
