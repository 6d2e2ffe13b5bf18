#pragma once
// Studies that take milliseconds, and something to minimise.

#include <memory>

#include "nomu/bo/study.hpp"

namespace nomu {

/// One thread: results do not depend on it, and tests run beside each other.
inline std::shared_ptr<Engine> one_thread() {
  static const std::shared_ptr<Engine> shared = make_engine({.threads = 1});
  return shared;
}

inline OptimizeSpec quick() {
  OptimizeSpec spec;
  spec.settings = "train.epochs=60; mean_net.hidden=[12]; sigma_net.hidden=[12]; augment.count=32";
  spec.initial = 5;
  spec.direct.evaluations = 150;
  spec.local_starts = 2;
  return spec;
}

inline double bowl(const Point& x) {
  double sum = 0.0;
  for (const double v : x) sum += (v - 0.3) * (v - 0.3);
  return sum;
}

}  // namespace nomu
