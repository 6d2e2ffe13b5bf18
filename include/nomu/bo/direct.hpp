#pragma once
/// DIRECT, the global search of Jones by dividing rectangles, with an ask-and-tell interface: it asks for all points of
/// an iteration at once, so that one model, or the models of many runs, can evaluate them in one batch.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "nomu/core/fields.hpp"

namespace nomu {

struct DirectSpec {
  double epsilon = 1e-4;            ///< smallest relative improvement a rectangle must promise (Jones)
  std::int64_t evaluations = 5000;  ///< no iteration starts after this many; the last one is completed
  std::int64_t iterations = 0;      ///< largest number of iterations; 0: no limit
};

[[nodiscard]] Fields fields_of(DirectSpec& spec);

/// One search for the largest value of a function on the unit cube.
class Direct {
 public:
  /// Throws ConfigError for a dimension of 0 or invalid limits.
  Direct(std::size_t dimension, const DirectSpec& spec);

  [[nodiscard]] std::size_t dimension() const { return dimension_; }
  [[nodiscard]] bool finished() const { return asked_.empty(); }
  /// The points of this iteration, [q][d] in the unit cube; empty when finished.
  [[nodiscard]] std::span<const double> ask() const { return asked_; }
  /// Passes their values, [q]; a value that is not finite marks an infeasible point. Throws DataError for a wrong
  /// count.
  void tell(std::span<const double> values);

  [[nodiscard]] std::int64_t evaluations() const { return evaluations_; }
  [[nodiscard]] std::int64_t iterations() const { return iterations_; }
  /// The best feasible point so far, [d], and its value; empty if no point was feasible.
  [[nodiscard]] std::span<const double> best() const { return best_; }
  [[nodiscard]] double best_value() const { return -least_; }

 private:
  struct Cell {
    std::vector<std::uint8_t> cuts;  // [d], how often each side was divided by three
    std::size_t level = 0;           // sum of the cuts, which determines the size
    double cost = 0.0;               // the negated value; infinite: infeasible
  };
  struct Division {
    std::size_t cell;
    std::size_t first;               // index of the first new cell; there are two per side
    std::vector<std::size_t> sides;  // the longest sides
  };
  // The cells of one size by cost; equal ones in the order of insertion.
  using Level = std::multimap<double, std::size_t>;

  [[nodiscard]] double size_of(std::size_t level) const;
  [[nodiscard]] double effective(double cost) const;
  [[nodiscard]] std::vector<std::size_t> chosen_levels() const;
  [[nodiscard]] std::vector<std::size_t> chosen_cells() const;
  void plan_division(std::size_t cell);
  void plan_iteration();
  void divide(const Division& division);
  void insert(std::size_t cell);
  void remove(std::size_t cell);
  void insert_pair(std::size_t first);
  void record(std::size_t cell, double cost);

  std::size_t dimension_;
  DirectSpec spec_;
  std::vector<Cell> cells_;
  std::vector<double> centres_;  // [cells][d]
  std::map<std::size_t, Level> levels_;
  std::vector<Division> divisions_;
  std::vector<double> asked_;
  std::vector<double> best_;
  double least_;
  double largest_;
  std::int64_t evaluations_ = 0;
  std::int64_t iterations_ = 0;
};

/// One iteration of several searches.
struct DirectBatch {
  std::span<const double> points;       ///< [q][d], one search after the other
  std::span<const std::size_t> counts;  ///< [M], number of points of each search; 0 if it is finished
};

/// Calls a task for 0, ..., count - 1, in any order and possibly in parallel.
using ForEach = std::function<void(std::size_t count, const std::function<void(std::size_t)>& task)>;

/// Runs all searches to their end in lock step: each call of `evaluate` gets one iteration of every unfinished search.
/// `each` updates the searches after an iteration; if it is empty, they are updated one after the other.
void run_together(std::span<Direct> searches, const std::function<std::vector<double>(const DirectBatch&)>& evaluate,
                  const ForEach& each = {});

}  // namespace nomu
