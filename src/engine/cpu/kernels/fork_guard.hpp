#pragma once
// Forks of a process with several threads copy the locks that the other threads hold, and nobody in the child opens
// them again. Our own code holds none while it computes; libraries do.

namespace nomu::engine::cpu {

/// While one exists, no thread of this process forks: a fork waits for the end of what is in progress, and what begins
/// meanwhile waits for the fork. For short work of a library that locks something. Costs two stores and a load.
class ForkGuard {
 public:
  ForkGuard();
  ForkGuard(const ForkGuard&) = delete;
  ForkGuard& operator=(const ForkGuard&) = delete;
  ForkGuard(ForkGuard&&) = delete;
  ForkGuard& operator=(ForkGuard&&) = delete;
  ~ForkGuard();
};

}  // namespace nomu::engine::cpu
