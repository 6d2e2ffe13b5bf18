#pragma once
// The moments of several networks' predictions, accumulated one network at a time.

#include <cstddef>
#include <span>
#include <vector>

#include "models/network/output_map.hpp"
#include "nomu/core/prediction.hpp"

namespace nomu {

/// Running weighted mean and population variance.
struct RunningMoments {
  double count = 0.0;
  double mean = 0.0;
  double squares = 0.0;  ///< sum of squared deviations

  void add(double value, double weight = 1.0) {
    count += weight;
    const double step = value - mean;
    mean += weight * step / count;
    squares += weight * step * (value - mean);
  }
  [[nodiscard]] double variance() const { return squares / count; }
};

struct RowRange {
  std::size_t first = 0;
  std::size_t count = 0;
};

/// The predictions of M members, each the mixture of several networks.
class Mixture {
 public:
  /// Networks with heads: `shapes` has one head of each member. The shares of its networks are averaged and then read
  /// as a distance by that head, so that one network among many that takes a row for far does not decide. Without
  /// shapes each network reads its own share, and variances are averaged (files before heads had a start).
  Mixture(const OutputMap& map, std::size_t members, std::size_t rows, std::vector<NetworkHead> shapes = {});

  /// Adds the outputs of one more network of a member at some rows, [rows][K]. Rows may be added by several threads,
  /// each of them by one at a time.
  void add(std::size_t member, RowRange rows, std::span<const float> outputs, double weight = 1.0);

  /// The same for a network with a head and the trend at the rows, [rows].
  void add(std::size_t member, RowRange rows, std::span<const float> outputs, double weight, const NetworkHead& head,
           std::span<const double> trend);

  /// Without constant noise, which the networks do not provide.
  [[nodiscard]] Prediction prediction() const;

 private:
  /// What is known about one row of one member.
  struct Row {
    RunningMoments mean;
    RunningMoments variance;  ///< of the networks' own sigma
    RunningMoments variance_below;
    RunningMoments noise;    ///< variances; with shapes, of the noise at the data
    double noise_far = 0.0;  ///< with shapes: their mean far from the data
    double share = 0.0;      ///< with shapes: mean of the networks' shares
  };
  void add_row(Row& row, std::span<const float> outputs, double weight) const;
  [[nodiscard]] float sigma_of(const Row& row, double own) const;

  const OutputMap& map_;
  std::size_t members_;
  std::size_t rows_;
  std::vector<NetworkHead> shapes_;
  std::vector<Row> all_;  ///< [M][q]
};

}  // namespace nomu
