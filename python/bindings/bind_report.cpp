#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "bindings.hpp"
#include "interruptible.hpp"
#include "nomu/core/file.hpp"
#include "nomu/report/model_report.hpp"

namespace nomu::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

void save_report(const Model& model, const std::filesystem::path& path, const DataSet* rows,
                 std::optional<double> level, const std::string& title, const std::string& date, bool check, bool refit,
                 const nb::object& progress) {
  ModelReportSpec spec{.title = title, .date = date, .level = level};
  if (rows != nullptr) spec.rows = *rows;
  if (check) spec.check = CheckSpec{.refit = refit};
  run_interruptible(
      [&](const Progress& reports) {
        write_file_atomically(path, render_report(report_subject(model, spec, reports)));
      },
      progress);
}

}  // namespace

void bind_report(nb::module_& m) {
  m.def("save_report", &save_report, "model"_a, "path"_a, "rows"_a = nb::none(), "level"_a = nb::none(), "title"_a = "",
        "date"_a = "", "check"_a = true, "refit"_a = false, "progress"_a = nb::none(),
        "Writes the page of `nomu report` atomically; `rows`: rows with targets that the model has not seen.");
}

}  // namespace nomu::python
