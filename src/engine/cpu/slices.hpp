#pragma once
// Which crew trains which member next, and for how long. Members are independent, so any order gives the same numbers.

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

namespace nomu::engine::cpu {

/// The crew that begins to train a member, if it is free in time. Its threads should be the first to touch the member's
/// memory, because on a machine with several sockets that decides where the memory is.
[[nodiscard]] constexpr std::size_t home_of(std::size_t member, std::size_t crews) { return member % crews; }

/// Hands out the members of a cohort to crews, each member to one crew at a time, until all are trained. While there
/// are more members than crews, a crew keeps its member, which is in its cache. Towards the end members are handed out
/// in short slices, the one with the most epochs left first, so that all crews finish at about the same time, whatever
/// the number of members and the current speed of each crew.
class Slices {
 public:
  Slices(std::size_t members, std::int64_t epochs, std::size_t crews);

  struct Slice {
    std::size_t member;
    std::int64_t epochs;
  };

  /// The next slice for a crew that is done with its last one, if it had one. Empty if no member is left for it.
  [[nodiscard]] std::optional<Slice> next(std::size_t crew);

 private:
  std::mutex mutex_;
  std::int64_t short_slice_;
  std::vector<std::int64_t> left_;   ///< epochs, per member
  std::vector<bool> taken_;          ///< per member
  std::vector<std::size_t> latest_;  ///< member, per crew
};

}  // namespace nomu::engine::cpu
