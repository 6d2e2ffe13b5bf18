#pragma once
// How this program was built, for bug reports and security reviews.

#include <string>

namespace nomu::cli {

/// Lines of "what: value": version, compiler, optional parts, hardening.
[[nodiscard]] std::string build_info();

}  // namespace nomu::cli
