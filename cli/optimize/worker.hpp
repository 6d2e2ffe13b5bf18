#pragma once
// Who works on a trial: names of processes that others can find out about.

#include <string>

namespace nomu::cli {

/// This process, told from a later one of its number.
[[nodiscard]] std::string worker_name();

/// Whether a worker of ours on this machine is no more.
[[nodiscard]] bool is_gone(const std::string& worker);

}  // namespace nomu::cli
