// The rule of `auto`; docs/decisions/0006-auto-preset.md has the evidence for it.

#include "models/automatic.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "nomu/core/error.hpp"
#include "nomu/models/nomu.hpp"

namespace nomu {
namespace {

std::int64_t as_int(std::size_t value) { return static_cast<std::int64_t>(value); }

}  // namespace

void resolve(MlpSpec& net) {
  if (net.hidden.empty()) net.hidden = {64, 64};
}

void resolve(TrainSpec& train, std::size_t rows) {
  if (train.epochs != 0) return;
  const std::int64_t batch = train.batch_size == 0 ? as_int(rows) : std::min(train.batch_size, as_int(rows));
  const std::int64_t batches = (as_int(rows) + batch - 1) / batch;
  train.epochs = std::max<std::int64_t>(4000 / batches, 20);
}

void resolve(Augmentation& augment, std::size_t cols) {
  if (augment.count == 0) augment.count = std::clamp<std::int64_t>(32 * as_int(cols), 64, 128);
}

NomuSpec resolved(const NomuSpec& given, std::size_t rows, std::size_t cols) {
  if (given.ensemble < 1)
    throw ConfigError("models/nomu", fmt::format("ensemble must be positive, got {}", given.ensemble));
  NomuSpec spec = given;
  const bool noisy = spec.noise != Noise::none;
  resolve(spec.mean_net);
  resolve(spec.sigma_net);
  resolve(spec.train, rows);
  resolve(spec.augment, cols);
  if (spec.mu_sqr == 0.0) spec.mu_sqr = 0.1;
  if (spec.mu_exp == 0.0) spec.mu_exp = noisy ? 1.0 : 0.01;
  if (spec.l2 < 0.0) spec.l2 = noisy ? 1e-2 : 1e-8;
  if (spec.l2_sigma < 0.0) spec.l2_sigma = noisy ? 1e-2 : 1e-8;
  return spec;
}

NomuSpec NomuSpec::automatic(std::size_t rows, std::size_t cols, Noise noise) {
  NomuSpec spec;
  spec.noise = noise;
  return resolved(spec, rows, cols);
}

}  // namespace nomu
