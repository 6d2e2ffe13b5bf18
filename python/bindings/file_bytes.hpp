#pragma once
/// Files that Python reads: while a pipe is silent, it hears Ctrl-C.

#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <string>
#include <system_error>

#include "nomu/core/file.hpp"

namespace nomu::python {

/// `read_file`, except that Python waits for what a pipe or a device brings.
[[nodiscard]] inline std::string file_bytes(const std::filesystem::path& path, const ExpectedFile& expected) {
  std::error_code unknown;
  if (!std::filesystem::exists(path, unknown) || std::filesystem::is_regular_file(path, unknown))
    return read_file(path, expected);
  try {
    // Without a buffer, which would wait until it is full.
    const nanobind::object file = nanobind::module_::import_("io").attr("open")(path, "rb", nanobind::int_(0));
    std::string bytes = read_pipe(path, expected, [&](std::span<char> into) {
      const auto got = nanobind::cast<nanobind::bytes>(file.attr("read")(into.size()));
      std::copy_n(got.c_str(), got.size(), into.begin());
      return got.size();
    });
    file.attr("close")();
    return bytes;
  } catch (const nanobind::python_error& error) {
    if (!error.matches(PyExc_OSError)) throw;
  }
  return read_file(path, expected);  // fails too, in our words
}

}  // namespace nomu::python
