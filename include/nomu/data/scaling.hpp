#pragma once
/// Affine maps, one per column, between the user's units and the range networks learn best in. Values are shifted and
/// divided; widths, such as standard deviations, are only divided.

#include <cstddef>
#include <span>
#include <vector>

#include "nomu/data/dataset.hpp"

namespace nomu {

enum class ScalingKind {
  min_max,      ///< minimum to -1, maximum to +1
  standardise,  ///< mean to 0, population standard deviation to 1
  robust,       ///< median to 0, the distance between the quartiles to 1.35; values far outside are compressed
  identity,     ///< unchanged
};

/// scaled = (value - shift) / factor, column by column. With a reach, what z = scaled exceeds `straight` by, on either
/// side, is then drawn in: e becomes e / sqrt(1 + (e / (reach - straight))^2). The result never leaves (-reach, reach).
struct Scaling {
  std::vector<double> shift;   ///< [d]
  std::vector<double> factor;  ///< [d], positive
  double reach = 0.0;          ///< 0: none
  double straight = 0.0;       ///< less than reach: nearer values act in proportion

  [[nodiscard]] std::size_t cols() const { return shift.size(); }
  /// User's units to scaled, [n][d]. This and the functions below throw DataError when the size is not a multiple of d.
  [[nodiscard]] std::vector<double> apply(std::span<const double> values) const;
  /// Scaled to user's units, [n][d].
  [[nodiscard]] std::vector<double> invert(std::span<const double> scaled) const;
  /// Widths in user's units to scaled widths, [n][d].
  [[nodiscard]] std::vector<double> apply_width(std::span<const double> widths) const;
  /// Scaled widths to user's units, [n][d].
  [[nodiscard]] std::vector<double> invert_width(std::span<const double> widths) const;

  friend bool operator==(const Scaling&, const Scaling&) = default;
};

/// Learns the map from values [n][cols]. A constant column is shifted to 0 and keeps its units. Throws DataError when
/// there are no rows, the size is not a multiple of `cols` or a value is not finite.
[[nodiscard]] Scaling fit_scaling(std::span<const double> values, std::size_t cols, ScalingKind kind);

/// The data set with inputs, targets and noise scaled; `targets` has one column. Throws DataError when a scaling has
/// the wrong number of columns.
[[nodiscard]] DataSet scaled_dataset(const DataSet& data, const Scaling& inputs, const Scaling& targets);

}  // namespace nomu
