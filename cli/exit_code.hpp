#pragma once
// Errors as exit codes: 0 done; 1 it went wrong; 2 wrong input; 130 interrupted.

#include <exception>

#include "nomu/core/error.hpp"

namespace nomu::cli {

template <class E>
[[nodiscard]] bool is(const std::exception& error) {
  return dynamic_cast<const E*>(&error) != nullptr;
}

/// A missing device is a wrong request; one that fails during the work is not.
[[nodiscard]] inline int exit_code(const std::exception& error) {
  if (is<Cancelled>(error)) return 130;
  if (is<DeviceFailure>(error)) return 1;
  return is<ConfigError>(error) || is<DataError>(error) || is<DeviceError>(error) ? 2 : 1;
}

}  // namespace nomu::cli
