#pragma once
/// How a network is trained: Adam as in Keras, batches, learning rate schedule, and which parameters are kept.

#include <cstdint>

#include "nomu/core/fields.hpp"

namespace nomu {

enum class Schedule { constant, cosine };

/// Which parameters a fit keeps: the last ones, those one update after the best monitored loss (as published), or
/// exactly those with the best loss.
enum class Snapshot { none, after_update, exact };

struct TrainSpec {
  std::int64_t epochs = 1024;
  std::int64_t batch_size = 0;  ///< rows per step; 0: all
  bool drop_remainder = false;  ///< skip the incomplete last batch of an epoch, as the authors did
  double learning_rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-7;  ///< added outside the bias-corrected root
  bool amsgrad = false;
  double clip_norm = 0.0;  ///< per tensor; 0: none
  Schedule schedule = Schedule::constant;
  double final_rate = 0.0;  ///< cosine: share of the learning rate left at the end
  Snapshot snapshot = Snapshot::exact;
  std::int64_t patience = 0;  ///< stop after this many epochs without a better loss; 0: never
  std::int64_t restarts = 1;  ///< how many times a diverged member is retrained from a derived seed
};

/// The settings of `spec`, bound for reading and writing by name.
[[nodiscard]] Fields fields_of(TrainSpec& spec);

}  // namespace nomu
