#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "nomu/engine/engine.hpp"

namespace nomu::python {

void bind_engine(nanobind::module_& m) {
  namespace nb = nanobind;
  nb::class_<EngineInfo>(m, "EngineInfo", "Describes an engine, which trains and predicts.")
      .def_ro("name", &EngineInfo::name, "cpu, reference or cuda")
      .def_ro("provider", &EngineInfo::provider, "library for matrix products: onednn, eigen, ...")
      .def_ro("isa", &EngineInfo::isa, "instruction set in use")
      .def_ro("threads", &EngineInfo::threads)
      .def_ro("device", &EngineInfo::device, "name of the processor")
      .def_ro("available", &EngineInfo::available)
      .def_ro("note", &EngineInfo::note, "why it is not available, or other remarks")
      .def_ro("precision", &EngineInfo::precision)
      .def("__repr__", [](const EngineInfo& e) {
        return "EngineInfo(name='" + e.name + "', provider='" + e.provider + "', isa='" + e.isa +
               "', threads=" + std::to_string(e.threads) + ")";
      });
  m.def("list_engines", &list_engines, "All engines of this build, and what they would use on this machine.");
}

}  // namespace nomu::python
