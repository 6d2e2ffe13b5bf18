#pragma once
/// Files that Python reads: while a pipe is silent, it hears Ctrl-C.

#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "nomu/core/file.hpp"

namespace nomu::python {

/// The bytes of a file that should begin with `begin`; of any other, which may be endless, no more than that.
[[nodiscard]] inline std::string file_bytes(const std::filesystem::path& path, std::string_view begin) {
  const auto text = [](const nanobind::object& read) {
    const auto bytes = nanobind::cast<nanobind::bytes>(read);
    return std::string(bytes.c_str(), bytes.size());
  };
  try {
    const nanobind::object file = nanobind::module_::import_("io").attr("open")(path, "rb");
    std::string bytes;
    if (!begin.empty()) bytes = text(file.attr("read")(begin.size()));
    if (bytes == begin) bytes += text(file.attr("read")());
    file.attr("close")();
    return bytes;
  } catch (const nanobind::python_error& error) {
    if (!error.matches(PyExc_OSError)) throw;
  }
  return read_file(path, begin);  // fails too, in our words
}

}  // namespace nomu::python
