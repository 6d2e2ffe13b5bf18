// The rule of `auto`; docs/decisions/0006-auto-preset.md has the evidence for it.

#include "models/network/automatic.hpp"

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

void resolve_regression(MlpSpec& net, bool learn_noise) {
  if (!net.hidden.empty()) return;
  if (learn_noise) {
    net.hidden = {50};
  } else {
    resolve(net);
  }
}

void resolve(TrainSpec& train, std::size_t rows) {
  if (train.epochs != 0) return;
  const std::int64_t n = as_int(std::max<std::size_t>(rows, 1));
  const std::int64_t batch = train.batch_size == 0 ? n : std::min(train.batch_size, n);
  const std::int64_t batches = (n + batch - 1) / batch;
  // Small data sets get many epochs. Thousands of rows need 120 (nearly noise-free ones are still improving then), tens
  // of thousands 40, as far as the number of steps allows.
  const auto epochs_within = [&](std::int64_t epochs, std::int64_t steps) { return std::min(epochs, steps / batches); };
  train.epochs = std::max({3000 / batches, epochs_within(120, 15000), epochs_within(40, 60000), std::int64_t{1}});
}

void resolve(Augmentation& augment, std::size_t cols) {
  if (augment.count == 0) augment.count = std::clamp<std::int64_t>(32 * as_int(cols), 64, 128);
}

void resolve_penalty(double& l2, bool learn_noise) {
  if (l2 < 0.0) l2 = learn_noise ? 0.5 : 1e-8;
}

NomuSpec resolved(const NomuSpec& given, std::size_t rows, std::size_t cols) {
  if (given.ensemble < 1)
    throw ConfigError("models/nomu", fmt::format("ensemble must be positive, got {}", given.ensemble));
  NomuSpec spec = given;
  const bool noisy = spec.noise != Noise::none;
  // The penalty is added to the sum over a batch, so a prior that is the same for all n must fade as n grows.
  const double penalty =
      noisy ? 0.1 * std::min(1.0, 1000.0 / static_cast<double>(std::max<std::size_t>(rows, 1))) : 1e-8;
  resolve(spec.mean_net);
  resolve(spec.sigma_net);
  if (spec.noise_net.hidden.empty()) spec.noise_net.hidden = {16};
  resolve(spec.train, rows);
  resolve(spec.augment, cols);
  if (spec.mu_sqr == 0.0) spec.mu_sqr = 0.1;
  if (spec.mu_exp == 0.0) spec.mu_exp = noisy ? 1.0 : 0.01;
  if (spec.l2 < 0.0) spec.l2 = penalty;
  if (spec.l2_sigma < 0.0) spec.l2_sigma = noisy ? 0.3 * penalty : penalty;
  return spec;
}

}  // namespace nomu
