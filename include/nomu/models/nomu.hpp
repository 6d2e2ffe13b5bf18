#pragma once
/// NOMU: a mean network and a sigma network that reads its last hidden layer, trained together or one after the other
/// with a loss that pins the raw sigma to zero at the data and lifts it everywhere else (Definition 3.1 of the paper),
/// optionally with known or learned data noise (Appendix C.1).

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nomu/core/fields.hpp"
#include "nomu/models/augmentation.hpp"
#include "nomu/models/readout.hpp"
#include "nomu/models/training.hpp"
#include "nomu/nn/network.hpp"
#include "nomu/nn/optimizer.hpp"

namespace nomu {

/// What is known about the noise of the targets.
enum class Noise {
  none,    ///< negligible: the mean goes through every target
  known,   ///< `Cohort::noise` holds its standard deviation for each row
  learned  ///< learned by a third, small network
};

/// Joint training, or first the mean (and noise) and then sigma with the rest frozen.
enum class Stages { joint, two_stage };

/// A default NomuSpec is `auto`: sizes of 0, networks without layers, mu of 0 and a negative l2 mean "chosen from the
/// rows, the columns and the kind of noise", see `resolved`; everything else is used as given.
struct NomuSpec {
  MlpSpec mean_net = automatic_net();
  MlpSpec sigma_net = automatic_net();
  MlpSpec noise_net = automatic_net();
  TrainSpec train = automatic_training();
  double l2 = -1.0;        ///< mean network and, as published, the head of the sigma network
  double l2_sigma = -1.0;  ///< hidden layers of the sigma network
  double l2_noise = 1.0;   ///< noise network
  double mu_sqr = 0.0;
  double mu_exp = 0.0;
  double c_exp = 30.0;
  bool stable = true;  ///< bounded slopes in terms (b) and (c)
  Gradient gradient = Gradient::stopped;
  /// Hidden layers of the mean network before its last, counted from 1, that the sigma network reads, too: layer k
  /// feeds layer k + 1 of the sigma network, or its head if it has no such layer (remark in Section 3.2).
  std::vector<std::int64_t> early_links = {};
  Noise noise = Noise::none;
  double noise_floor = 1e-2;  ///< smallest standard deviation of learned noise
  Stages stages = Stages::two_stage;
  /// K fits per member, from derived seeds. The means are averaged; the model variance is the mean of the K variances
  /// plus the variance of the K means; the noise variance is the mean of the K.
  std::int64_t ensemble = 5;
  Augmentation augment;
  Readout readout;

  /// As the paper's tables were made: coupled gradients, a fixed grid in one dimension, clipped gradients.
  [[nodiscard]] static NomuSpec published(std::size_t dimension);

  /// As the paper's text describes it: stopped gradients, fresh uniform points on [-1,1]^d.
  [[nodiscard]] static NomuSpec written(std::size_t dimension);
};

[[nodiscard]] Fields fields_of(NomuSpec& spec);

/// The spec with all automatic choices made; docs/decisions/0006-auto-preset.md has the rule and the evidence for it.
/// `fit` does this itself, for the member with the most rows.
[[nodiscard]] NomuSpec resolved(const NomuSpec& spec, std::size_t rows, std::size_t cols);

}  // namespace nomu
