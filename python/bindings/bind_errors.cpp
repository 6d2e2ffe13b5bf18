#include "bindings.hpp"
#include "nomu/core/error.hpp"

namespace nomu::python {
namespace {

namespace nb = nanobind;

/// The classes are defined in Python (nomu/_errors.py) and looked up when an error is raised.
void raise(const char* name, const Error& error) {
  const nb::object type = nb::module_::import_("nomu._errors").attr(name);
  PyErr_SetString(type.ptr(), error.what());
}

void translate(const std::exception_ptr& failure, void* /*payload*/) {
  try {
    std::rethrow_exception(failure);
  } catch (const ConfigError& error) {
    raise("ConfigError", error);
  } catch (const DataError& error) {
    raise("DataError", error);
  } catch (const DeviceError& error) {
    raise("DeviceError", error);
  } catch (const ConnectionLost& error) {
    raise("ConnectionLost", error);
  } catch (const Cancelled& error) {
    PyErr_SetString(PyExc_KeyboardInterrupt, error.what());
  } catch (const Error& error) {
    raise("NomuError", error);
  }
}

}  // namespace

void bind_errors(nb::module_& /*m*/) { nb::register_exception_translator(&translate); }

}  // namespace nomu::python
