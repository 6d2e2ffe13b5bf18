#pragma once
// How much less is known about the mean where a number of a row lies beyond those of the training rows.

#include <cstddef>
#include <span>
#include <vector>

#include "data/drawn_in.hpp"
#include "nomu/data/dataset.hpp"

namespace nomu {

/// The inputs of one member. Each may add a deviation where it exceeds its range: the mean may bend there as it does
/// inside, and while a line would go on, what the networks see of the number is drawn in.
struct BeyondRange {
  std::vector<double> low, high;  ///< [d], the range before numbers are drawn in
  std::vector<double> slope;      ///< [d], of the mean inside the range: its average
  std::vector<double> bend;       ///< [d], the standard deviation of the slope there
  DrawnIn drawn;                  ///< how the inputs are drawn in
  double most = 0.0;              ///< of the deviation

  /// For inputs that are drawn in; T is float or double.
  template <class T>
  [[nodiscard]] double deviation(std::span<const T> row) const;

  /// As numbers, so many for d inputs, and back.
  [[nodiscard]] static constexpr std::size_t size(std::size_t d) { return 4 * d + 3; }
  [[nodiscard]] std::vector<float> numbers() const;
  [[nodiscard]] static BeyondRange of(std::span<const float> numbers);

  /// Numbers farther than this from the middle count as so far: the drawn-in ones no longer tell them apart.
  static constexpr double farthest = 1000.0;
};

/// The range of these rows, whose inputs are drawn in; without slopes and bends.
[[nodiscard]] BeyondRange range_of(const DataSet& data, std::span<const std::size_t> rows, DrawnIn drawn);

/// Whether such numbers may come from a file.
[[nodiscard]] bool is_beyond_range(std::span<const float> numbers);

}  // namespace nomu
