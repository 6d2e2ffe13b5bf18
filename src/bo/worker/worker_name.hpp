#pragma once
// Names of workers, from which other processes on this machine can tell whether a worker still exists.

#include <string>

namespace nomu {

/// Names the host, this process, its start time (process numbers are reused) and this thread.
[[nodiscard]] std::string worker_name();

/// Whether it is the name of such a worker, which renews its leases as long as it lives.
[[nodiscard]] bool is_worker(const std::string& worker);

/// Whether the worker ran on this machine and its process no longer exists.
[[nodiscard]] bool is_gone(const std::string& worker);

}  // namespace nomu
