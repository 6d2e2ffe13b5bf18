#pragma once
/// What the library's objects say about themselves on a stream, for `__repr__`.

#include <sstream>
#include <string>

#include "nomu/report/print.hpp"

namespace nomu::python {

template <class T>
[[nodiscard]] std::string printed(const T& object) {
  std::ostringstream out;
  out << object;
  return out.str();
}

}  // namespace nomu::python
