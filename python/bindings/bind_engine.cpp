#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "nomu/engine/engine.hpp"

namespace nomu::python {

void bind_engine(nanobind::module_& m) {
  namespace nb = nanobind;
  nb::class_<EngineInfo>(m, "EngineInfo", "What trains and predicts.")
      .def_ro("name", &EngineInfo::name, "cpu, reference or cuda")
      .def_ro("provider", &EngineInfo::provider, "who multiplies matrices: onednn, eigen, ...")
      .def_ro("isa", &EngineInfo::isa, "instruction set in use")
      .def_ro("threads", &EngineInfo::threads)
      .def_ro("device", &EngineInfo::device, "the processor's own name")
      .def_ro("available", &EngineInfo::available)
      .def_ro("note", &EngineInfo::note, "why it is not available, or what to know")
      .def_ro("precision", &EngineInfo::precision)
      .def("__repr__", [](const EngineInfo& e) {
        return "EngineInfo(name='" + e.name + "', provider='" + e.provider + "', isa='" + e.isa +
               "', threads=" + std::to_string(e.threads) + ")";
      });
  m.def("list_engines", &list_engines, "Every engine of this build, and what it would use on this machine.");
}

}  // namespace nomu::python
