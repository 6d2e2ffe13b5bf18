#pragma once
// The processes of this machine, as far as /proc shows them: whose parent, group and session they are of.

#include <sys/types.h>

#include <vector>

namespace nomu {

struct LiveProcess {
  pid_t id = 0;
  pid_t parent = 0;
  pid_t group = 0;
  pid_t session = 0;
};

/// All that have not ended; zombies have.
[[nodiscard]] std::vector<LiveProcess> live_processes();

}  // namespace nomu
