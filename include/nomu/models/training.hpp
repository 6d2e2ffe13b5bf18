#pragma once
/// How networks are trained under `auto`: the defaults that all methods' specs start from. What depends on the rows is
/// left open and filled in by the method's `resolved`.

#include "nomu/nn/network.hpp"
#include "nomu/nn/optimizer.hpp"

namespace nomu {

/// Batches of 128 rows, Adam from 0.01 down to 0 on a cosine schedule, keeping the last parameters; 0 epochs are chosen
/// from the rows.
[[nodiscard]] inline TrainSpec automatic_training() {
  return {.epochs = 0,
          .batch_size = 128,
          .learning_rate = 1e-2,
          .clip_norm = 1000.0,
          .schedule = Schedule::cosine,
          .snapshot = Snapshot::none};
}

/// A network whose layers are chosen by `resolved`, initialised from half the He range.
[[nodiscard]] inline MlpSpec automatic_net() { return {.hidden = {}, .init = Init::he, .init_scale = 0.5}; }

/// For methods that keep a covariance of the weights, whose size grows with the square of their number.
[[nodiscard]] inline MlpSpec shallow_net() { return {.hidden = {50}, .init = Init::he, .init_scale = 1.0}; }

}  // namespace nomu
