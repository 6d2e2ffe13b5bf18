#include "build_info.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "nomu/core/version.hpp"
#include "nomu/interchange/onnx.hpp"

namespace nomu::cli {
namespace {

/// What is in effect, by the compiler's own account where it gives one.
std::vector<std::string> hardening() {
  std::vector<std::string> list;
#ifdef _FORTIFY_SOURCE
  list.push_back(fmt::format("_FORTIFY_SOURCE={}", _FORTIFY_SOURCE));
#endif
#ifdef _GLIBCXX_ASSERTIONS
  list.emplace_back("_GLIBCXX_ASSERTIONS");
#endif
#if defined(__SSP_STRONG__) || defined(__SSP_ALL__)
  list.emplace_back("-fstack-protector-strong");
#endif
#ifdef __SANITIZE_ADDRESS__
  list.emplace_back("AddressSanitizer");
#endif
  if (const std::string linked = NOMU_HARDENED; !linked.empty()) list.push_back(linked);
  if (list.empty()) list.emplace_back("none");
  return list;
}

}  // namespace

std::string build_info() {
  return fmt::format("nomu {}\ncompiler: {}\nONNX: {}\nhardening: {}", version(), NOMU_BUILD,
                     onnx_available() ? "yes" : "no", fmt::join(hardening(), " "));
}

}  // namespace nomu::cli
