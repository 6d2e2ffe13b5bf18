#include "models/ensemble.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/session.hpp"
#include "models/network_plan.hpp"
#include "nomu/core/error.hpp"
#include "nomu/core/random.hpp"

namespace nomu {

void Mixture::add(std::size_t member, std::span<const float> outputs, double weight) {
  const std::size_t width = outputs.size() / std::max<std::size_t>(rows_, 1);
  noisy_ = noisy_ || width == 2;
  for (std::size_t i = 0; i < rows_; ++i) {
    means_[member * rows_ + i].add(static_cast<double>(outputs[i * width]), weight);
    if (width != 2) continue;
    const double noise = noise_of(outputs[i * width + 1]);
    noises_[member * rows_ + i].add(noise * noise, weight);
  }
}

Prediction Mixture::prediction() const {
  const Tensor<float> blank(members_, rows_, 1);
  Prediction prediction{.mean = blank, .sigma_model = blank, .sigma_noise = {}, .sigma_below = {}};
  if (noisy_) prediction.sigma_noise = blank;
  for (std::size_t e = 0; e < means_.size(); ++e) {
    prediction.mean.flat()[e] = static_cast<float>(means_[e].mean);
    prediction.sigma_model.flat()[e] = static_cast<float>(std::sqrt(std::max(0.0, means_[e].variance())));
    if (noisy_) prediction.sigma_noise.flat()[e] = static_cast<float>(std::sqrt(noises_[e].mean));
  }
  return prediction;
}

std::vector<std::uint64_t> network_seeds(std::span<const std::uint64_t> seeds, std::size_t networks) {
  std::vector<std::uint64_t> all;
  all.reserve(seeds.size() * networks);
  for (const std::uint64_t seed : seeds) {
    for (std::size_t k = 0; k < networks; ++k) all.push_back(derived_seed(seed, k));
  }
  return all;
}

std::vector<FitReport> reports_of_problems(std::span<const FitReport> reports, std::span<const std::uint64_t> seeds) {
  std::vector<FitReport> combined(seeds.size());
  const std::size_t networks = reports.size() / std::max<std::size_t>(seeds.size(), 1);
  for (std::size_t m = 0; m < seeds.size(); ++m) {
    FitReport& all = combined[m];
    all.seed = seeds[m];
    std::vector<RunningMoments> losses(3);
    std::vector<RunningMoments> history;
    for (const FitReport& one : reports.subspan(m * networks, networks)) {
      all.epochs = std::max(all.epochs, one.epochs);
      all.restarts += one.restarts;
      all.diverged = all.diverged || one.diverged;
      all.stopped_early = all.stopped_early || one.stopped_early;
      losses[0].add(one.first_loss);
      losses[1].add(one.best_loss);
      losses[2].add(one.last_loss);
      history.resize(std::max(history.size(), one.history.size()));
      for (std::size_t e = 0; e < one.history.size(); ++e) history[e].add(static_cast<double>(one.history[e]));
    }
    all.first_loss = losses[0].mean;
    all.best_loss = losses[1].mean;
    all.last_loss = losses[2].mean;
    for (const RunningMoments& loss : history) all.history.push_back(static_cast<float>(loss.mean));
  }
  return combined;
}

Tensor<float> outputs_of_networks(Engine& engine, const engine::Networks& networks, const Tensor<float>& parameters,
                                  const Tensor<float>& x, std::size_t problems) {
  if (x.members() == 1 || parameters.members() == problems) return engine.predict(networks, parameters, x, {}, {});
  if (x.members() != problems)
    throw DataError("models/ensemble", fmt::format("x is of {} members, the cohort of {}", x.members(), problems));
  const std::size_t copies = parameters.members() / problems;
  Tensor<float> repeated(parameters.members(), x.rows(), x.cols());
  for (std::size_t m = 0; m < parameters.members(); ++m)
    std::ranges::copy(x.member(m / copies), repeated.member(m).begin());
  return engine.predict(networks, parameters, repeated, {}, {});
}

}  // namespace nomu
