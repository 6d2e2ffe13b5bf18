#include "bindings.hpp"
#include "nomu/core/error.hpp"

namespace nomu::python {
namespace {

namespace nb = nanobind;

/// The classes live as long as the process, as those of the interpreter itself do.
struct ErrorClasses {
  PyObject* base = nullptr;
  PyObject* config = nullptr;
  PyObject* data = nullptr;
  PyObject* device = nullptr;
};

ErrorClasses& classes() {
  static ErrorClasses all;
  return all;
}

PyObject* add_class(nb::module_& m, const char* name, const char* doc, const nb::object& bases) {
  const std::string full = std::string("nomu.") + name;
  PyObject* made = PyErr_NewExceptionWithDoc(full.c_str(), doc, bases.ptr(), nullptr);
  if (made == nullptr) throw nb::python_error();
  m.attr(name) = nb::handle(made);
  return made;
}

void translate(const std::exception_ptr& failure, void* /*payload*/) {
  const ErrorClasses& known = classes();
  try {
    std::rethrow_exception(failure);
  } catch (const ConfigError& error) {
    PyErr_SetString(known.config, error.what());
  } catch (const DataError& error) {
    PyErr_SetString(known.data, error.what());
  } catch (const DeviceError& error) {
    PyErr_SetString(known.device, error.what());
  } catch (const Cancelled& error) {
    PyErr_SetString(PyExc_KeyboardInterrupt, error.what());
  } catch (const Error& error) {
    PyErr_SetString(known.base, error.what());
  }
}

}  // namespace

void bind_errors(nb::module_& m) {
  const nb::handle value_error(PyExc_ValueError);
  const nb::handle exception(PyExc_Exception);
  ErrorClasses& all = classes();
  all.base = add_class(m, "NomuError", "Base of everything nomu raises on purpose.", nb::borrow(exception));
  const nb::handle base(all.base);
  all.config = add_class(m, "ConfigError", "A setting is out of its range, unknown, or contradicts another one.",
                         nb::make_tuple(base, value_error));
  all.data = add_class(m, "DataError", "Numbers, a table or a file do not hold what they should.",
                       nb::make_tuple(base, value_error));
  all.device =
      add_class(m, "DeviceError", "A device is missing, too small for the job, or failed.", nb::make_tuple(base));
  nb::register_exception_translator(&translate);
}

}  // namespace nomu::python
