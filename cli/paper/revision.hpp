#pragma once
// Which sources the tool was built from.

namespace nomu::cli {

/// "7e97880", with "-dirty" for sources that were changed since; the version where they are no repository.
[[nodiscard]] const char* revision();

}  // namespace nomu::cli
