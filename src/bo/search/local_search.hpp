#pragma once
// Refines the best points of a global search by gradient steps; the starts of all runs share their batches.

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

  /// Adds units [q][d], of which `counts` [S] belong to each search, with values [q].
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

/// Takes `steps` uphill steps of adaptive length from every point; improvements replace `best` [S].
void refine(const Landscape& landscape, const TopPoints& top, std::int64_t steps, std::span<const SearchTask> tasks,
            std::vector<Proposal>& best);

}  // namespace nomu
