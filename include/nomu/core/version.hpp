#pragma once
/// The version of the library that is running, which need not be the one of the headers. Archives record it.

#include <string_view>

namespace nomu {

/// "0.1.0".
[[nodiscard]] std::string_view version();

}  // namespace nomu
