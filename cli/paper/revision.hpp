#pragma once
// The source revision the tool was built from.

namespace nomu::cli {

/// "7e97880", with "-dirty" if the sources have changed since; the version if they are not in a repository.
[[nodiscard]] const char* revision();

}  // namespace nomu::cli
