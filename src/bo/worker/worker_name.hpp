#pragma once
// Names of workers, from which other processes on this machine can tell whether a worker still exists.

#include <string>

namespace nomu {

/// run:host:process:start:thread:where. Process numbers are reused, hence the start; "where" says to which boot of
/// which machine and to which namespace the number belongs, because two containers may call themselves the same host.
[[nodiscard]] std::string worker_name();

/// Whether it is the name of such a worker, which renews its leases as long as it lives.
[[nodiscard]] bool is_worker(const std::string& worker);

/// Whether the worker's process, of this machine and this namespace, no longer exists. Names from before they said
/// where are judged by the host alone.
[[nodiscard]] bool is_gone(const std::string& worker);

}  // namespace nomu
