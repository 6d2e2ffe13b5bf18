#pragma once
// Which crew trains which member next, and for how long. Members are independent, so any order gives the same numbers.

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

namespace nomu::engine::cpu {

/// The crew that begins with a member, if it comes in time, and whose threads should be the first to touch its memory:
/// on a machine with several sockets that decides where it lies.
[[nodiscard]] constexpr std::size_t home_of(std::size_t member, std::size_t crews) { return member % crews; }

/// Hands out the members of a cohort to crews, each of them to one crew at a time, until all are trained. While there
/// are more members than crews, a crew keeps its member, which is in its cache; towards the end members are handed out
/// in short slices, the one with most left first, so that all crews are done at about the same time, however many
/// members there are and however fast each crew's processors are just now.
class Slices {
 public:
  Slices(std::size_t members, std::int64_t epochs, std::size_t crews);

  struct Slice {
    std::size_t member;
    std::int64_t epochs;
  };

  /// The crew is done with the slice it had, if any; nothing if no member is left for it.
  [[nodiscard]] std::optional<Slice> next(std::size_t crew);

 private:
  std::mutex mutex_;
  std::int64_t short_slice_;
  std::vector<std::int64_t> left_;   ///< epochs, per member
  std::vector<bool> taken_;          ///< per member
  std::vector<std::size_t> latest_;  ///< member, per crew
};

}  // namespace nomu::engine::cpu
