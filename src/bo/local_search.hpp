#pragma once
// From the best points of a global search uphill to the tops near them, many starts of many runs in one batch.

#include <cstdint>
#include <span>
#include <vector>

#include "bo/landscape.hpp"
#include "nomu/bo/proposal.hpp"

namespace nomu {

/// The best few points of every run, best first.
class TopPoints {
 public:
  TopPoints(std::size_t runs, std::size_t keep, std::size_t dimension)
      : keep_(keep), dimension_(dimension), best_(runs) {}

  /// units [q][d], `counts` [M] of them for each run, values [q].
  void add(std::span<const double> units, std::span<const std::size_t> counts, std::span<const double> values);

  struct Entry {
    double value;
    std::vector<double> unit;
  };
  [[nodiscard]] const std::vector<Entry>& of(std::size_t run) const { return best_[run]; }
  [[nodiscard]] std::size_t runs() const { return best_.size(); }

 private:
  std::size_t keep_;
  std::size_t dimension_;
  std::vector<std::vector<Entry>> best_;
};

/// Climbs from every kept point for `steps` steps of lengths that adapt; what is found and better replaces `best`.
void refine(const Landscape& landscape, const TopPoints& top, std::int64_t steps, std::span<const double> c,
            std::vector<Proposal>& best);

}  // namespace nomu
