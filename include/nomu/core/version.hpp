#pragma once
/// The version of the running library, which may differ from that of the headers. Archives record it.

#include <string_view>

namespace nomu {

/// "0.1.0".
[[nodiscard]] std::string_view version();

}  // namespace nomu
