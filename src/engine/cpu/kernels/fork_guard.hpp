#pragma once
// A fork of a process with several threads copies the locks that other threads hold, and nothing in the child ever
// releases them. Our own code holds no locks while it computes; libraries do.

namespace nomu::engine::cpu {

/// While one exists, no thread of this process forks: a fork waits until all guards are gone, and new guards wait for
/// the fork. For short calls of a library that takes locks. Costs two stores and a load.
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
