#pragma once
// From the best points of a global search uphill to the tops near them, many starts of many runs in one batch.

#include <cstdint>
#include <span>
#include <vector>

#include "bo/search/landscape.hpp"
#include "nomu/bo/proposal.hpp"

namespace nomu {

/// The best few points of every search, best first.
class TopPoints {
 public:
  TopPoints(std::size_t searches, std::size_t keep, std::size_t dimension)
      : keep_(keep), dimension_(dimension), best_(searches) {}

  /// units [q][d], `counts` [S] of them for each search, values [q].
  void add(std::span<const double> units, std::span<const std::size_t> counts, std::span<const double> values);

  struct Entry {
    double value;
    std::vector<double> unit;
  };
  [[nodiscard]] const std::vector<Entry>& of(std::size_t search) const { return best_[search]; }
  [[nodiscard]] std::size_t searches() const { return best_.size(); }

 private:
  std::size_t keep_;
  std::size_t dimension_;
  std::vector<std::vector<Entry>> best_;
};

/// Climbs from every kept point for `steps` steps of lengths that adapt; what is found and better replaces `best` [S].
void refine(const Landscape& landscape, const TopPoints& top, std::int64_t steps, std::span<const Seeker> seekers,
            std::vector<Proposal>& best);

}  // namespace nomu
