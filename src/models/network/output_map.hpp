#pragma once
// How the outputs of a member's networks become its prediction, as plain data. Prediction, slopes and ONNX export all
// use this one description.

#include <cstddef>
#include <span>

#include "nomu/models/readout.hpp"

namespace nomu {

/// Output 0 is the mean. sigma_model is the root of the mean of the networks' own variances plus the variance of their
/// means: for a single network its own sigma, for an ensemble of networks without sigma their spread.
struct OutputMap {
  enum class Sigma {
    between_networks,  ///< networks have no sigma of their own, only their means differ: ensembles, MC dropout
    readout,           ///< the last output, through the readout: NOMU
    noise,             ///< output 1, the data noise: ANN
    directed,          ///< outputs 1 and 2 are an upper and a lower bound: directed bounds
    above,             ///< output 1 is an upper bound, as far below the mean as above
    below,             ///< output 1 is a lower bound
    constant           ///< the same number everywhere, whatever the spread: TUBE
  };
  enum class Noise {
    none,
    output,   ///< softplus of output 1, plus `noise_floor`
    constant  ///< one number per member
  };

  Sigma sigma = Sigma::between_networks;
  Noise noise = Noise::none;
  Readout readout = {};            ///< for `readout`, `directed`, `above` and `below`
  double sigma_constant = 0.0;     ///< for `constant`
  double noise_floor = 0.0;        ///< smallest standard deviation that an output represents
  bool noise_in_float = false;     ///< softplus in single precision, as in the loss of plain regression
  bool variance_as_sigma = false;  ///< return the square of sigma as sigma, as in the published runs
};

/// The share of the way from where sigma begins to artificial points as a distance: below 1 the power makes it rise
/// slowly, above it is the share itself, and never more than 1.5.
[[nodiscard]] double shaped_distance(double share, double power);

/// What is learned about one network from out-of-fold rows (models/evidence): a linear trend that is added to its mean,
/// and how its raw sigma and its raw noise become standard deviations. Away from the data, where the raw sigma rises,
/// the noise tends to a value that the data support.
struct NetworkHead {
  double noise_scale = 1.0;  ///< factor of the noise that the output represents
  double noise_low = 0.0;    ///< smallest noise at rows of the data
  double noise_high = 0.0;   ///< largest noise at rows of the data
  double noise_far = 0.0;    ///< noise far from them, if that at the row is smaller
  double raw_near = 0.0;     ///< typical raw sigma of rows like the data
  double raw_far = 1.0;      ///< typical raw sigma of artificial points
  double sigma_far = 1.0;    ///< sigma where the raw sigma is that large
  double power = 1.0;        ///< how slowly sigma rises from its start to there
  double start = 0.0;        ///< share of the way from the data to artificial points at which sigma begins

  static constexpr std::size_t size = 9;
  /// Heads of older files have no start, and their networks are averaged in another way (Mixture).
  static constexpr std::size_t size_without_start = 8;

  /// The share of the way from the data to artificial points: 0 at the data, and never more than 1.5.
  [[nodiscard]] double share(double raw_sigma) const;
  /// 0 where sigma begins, 1 far from the data, and never more than 1.5. The share may be that of one network, or the
  /// mean of several.
  [[nodiscard]] double distance(double share) const;
  [[nodiscard]] double sigma(double distance) const { return sigma_far * distance; }
  [[nodiscard]] double noise(double at_row, double distance) const;

  void store(std::span<float> numbers) const;                             ///< [size]
  [[nodiscard]] static NetworkHead load(std::span<const float> numbers);  ///< [size] or [size_without_start]
};

/// The standard deviation that a raw noise output represents.
[[nodiscard]] double noise_of(const OutputMap& map, float raw);

}  // namespace nomu
