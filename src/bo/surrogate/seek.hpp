#pragma once
// The search for the most promising point of a space: points spread over all of it and around the best results, of
// which the best are refined.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "bo/surrogate/promise.hpp"
#include "nomu/bo/space.hpp"

namespace nomu {

/// Whether a point may be proposed: it is not known, and not too close to a pending one.
using Allowed = std::function<bool(const Point& point, std::span<const double> inputs)>;

struct SeekSpec {
  std::size_t points_everywhere = 320;  ///< spread over the space
  std::size_t around = 48;              ///< points around each of the best ones
  std::size_t starts = 5;               ///< points that are refined
  std::size_t steps = 40;               ///< evaluations of each refinement
  std::uint64_t enumerate = 2048;       ///< finite spaces of up to this many points are searched exhaustively
};

/// A part of the unit cube of a space; categories are not restricted.
struct Region {
  std::vector<double> low;
  std::vector<double> high;

  [[nodiscard]] static Region all(std::size_t variables);
  /// A cube with this side around a point, as far as it is inside.
  [[nodiscard]] static Region around(const std::vector<double>& centre, double side);
};

struct Sought {
  Point point;
  double promise = 0.0;
};

/// Empty if nothing that is allowed was found. `near`: points around which to search.
[[nodiscard]] std::optional<Sought> seek(const Promise& promise, const Space& space, const std::vector<Point>& near,
                                         const Region& region, const Allowed& allowed, std::uint64_t seed,
                                         const SeekSpec& spec = {});

/// Points spread over the region, and points around each of `near`.
[[nodiscard]] std::vector<Point> candidates(const Space& space, const std::vector<Point>& near, const Region& region,
                                            std::uint64_t seed, const SeekSpec& spec);

}  // namespace nomu
