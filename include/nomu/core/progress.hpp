#pragma once
/// How long-running work reports its progress and how a caller stops it. The library never prints: it calls back.

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string_view>

namespace nomu {

/// One report of a running job.
struct ProgressEvent {
  std::string_view stage;  ///< what is being done, for example "train"
  std::int64_t done = 0;   ///< units finished
  std::int64_t total = 0;  ///< units in all; 0 when unknown
  double seconds = 0.0;    ///< since the stage began
  double loss = 0.0;       ///< median monitored loss of the members, if there is one
};

/// Passed to everything that may take longer than a second. The default reports nothing and never stops.
struct Progress {
  std::function<void(const ProgressEvent&)> report;  ///< called from the calling thread only; may be empty
  std::stop_token stop;                              ///< when requested, the job throws Cancelled at its next step
};

}  // namespace nomu
