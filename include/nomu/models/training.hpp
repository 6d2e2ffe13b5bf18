#pragma once
/// How networks are trained under `auto`: the one start from which every method's default spec sets out. What depends
/// on the rows is left open there and filled in by the method's `resolved`.

#include "nomu/nn/network.hpp"
#include "nomu/nn/optimizer.hpp"

namespace nomu {

/// Batches of 128 rows, Adam from 0.01 down to 0 by a cosine, the last parameters kept; epochs of 0 are chosen from the
/// rows.
[[nodiscard]] inline TrainSpec automatic_training() {
  return {.epochs = 0,
          .batch_size = 128,
          .learning_rate = 1e-2,
          .clip_norm = 1000.0,
          .schedule = Schedule::cosine,
          .snapshot = Snapshot::none};
}

/// A network whose layers are chosen by `resolved`, starting from half the He range.
[[nodiscard]] inline MlpSpec automatic_net() { return {.hidden = {}, .init = Init::he, .init_scale = 0.5}; }

/// The network of methods that keep a covariance of its weights, which grows with their square.
[[nodiscard]] inline MlpSpec shallow_net() { return {.hidden = {50}, .init = Init::he, .init_scale = 1.0}; }

}  // namespace nomu
