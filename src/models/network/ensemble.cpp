#include "models/network/ensemble.hpp"

#include <algorithm>
#include <utility>

#include "core/team.hpp"
#include "engine/backend.hpp"
#include "nomu/core/random.hpp"

namespace nomu {
namespace {

FitReport average(std::span<const FitReport> parts, std::span<const float> kept, std::uint64_t seed) {
  FitReport report;
  report.seed = seed;
  report.diverged = true;
  std::vector<double> sums;
  std::vector<double> counts;
  double used = 0.0;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const FitReport& part = parts[k];
    report.epochs = std::max(report.epochs, part.epochs);
    report.stopped_early = report.stopped_early || part.stopped_early;
    report.restarts += part.restarts;
    report.dropped += part.diverged && kept[k] == 0.0F ? 1 : 0;  // others may count for nothing because none is chosen
    report.diverged = report.diverged && part.diverged;
    if (kept[k] == 0.0F) continue;
    used += 1.0;
    report.first_loss += part.first_loss;
    report.best_loss += part.best_loss;
    report.last_loss += part.last_loss;
    sums.resize(std::max(sums.size(), part.history.size()));
    counts.resize(sums.size());
    for (std::size_t e = 0; e < part.history.size(); ++e) {
      sums[e] += static_cast<double>(part.history[e]);
      counts[e] += 1.0;
    }
  }
  for (double* loss : {&report.first_loss, &report.best_loss, &report.last_loss}) *loss /= used;
  for (std::size_t e = 0; e < sums.size(); ++e) report.history.push_back(static_cast<float>(sums[e] / counts[e]));
  return report;
}

}  // namespace

Cohort repeat_members(const Cohort& cohort, std::size_t parts) {
  if (parts == 1) return cohort;
  std::vector<std::uint64_t> seeds;
  for (const std::uint64_t seed : cohort.seeds) {
    for (std::size_t k = 0; k < parts; ++k) seeds.push_back(derived_seed(seed, k));
  }
  return repeat(cohort, seeds);
}

Tensor<float> repeat_rows(const Tensor<float>& x, std::size_t members, std::size_t parts, std::int64_t threads) {
  if (parts == 1 || x.members() != members || members == 1) return x;
  Tensor<float> all(members * parts, x.rows(), x.cols());
  side_by_side(members * parts, threads,
               [&](std::size_t i) { std::ranges::copy(x.member(i / parts), all.member(i).begin()); });
  return all;
}

Tensor<float> rows_for(Engine& engine, Tensor<float> x, std::size_t members, std::size_t parts) {
  return engine::backend(engine).shares_rows() ? std::move(x) : repeat_rows(x, members, parts);
}

Tensor<float> kept_networks(std::span<const FitReport> parts, std::size_t per_member) {
  Tensor<float> kept(parts.size() / per_member, 1, per_member);
  for (std::size_t m = 0; m < kept.members(); ++m) {
    const auto own = parts.subspan(m * per_member, per_member);
    const bool none = std::ranges::all_of(own, [](const FitReport& r) { return r.diverged; });
    for (std::size_t k = 0; k < per_member; ++k) kept(m, 0, k) = none || !own[k].diverged ? 1.0F : 0.0F;
  }
  return kept;
}

std::vector<FitReport> merged(std::vector<FitReport> parts, const Tensor<float>& kept,
                              std::span<const std::uint64_t> seeds) {
  const std::size_t per_member = parts.size() / seeds.size();
  if (per_member == 1) return parts;
  std::vector<FitReport> reports;
  for (std::size_t m = 0; m < seeds.size(); ++m) {
    const auto own = std::span<const FitReport>(parts).subspan(m * per_member, per_member);
    reports.push_back(average(own, kept.member(m), seeds[m]));
  }
  return reports;
}

std::vector<FitReport> merged(std::vector<FitReport> parts, std::span<const std::uint64_t> seeds) {
  const std::size_t per_member = parts.size() / seeds.size();
  std::vector<bool> diverged(seeds.size());
  for (std::size_t p = 0; p < parts.size(); ++p)
    diverged[p / per_member] = diverged[p / per_member] || parts[p].diverged;
  const Tensor<float> all(seeds.size(), 1, per_member, 1.0F);
  std::vector<FitReport> reports = merged(std::move(parts), all, seeds);
  for (std::size_t m = 0; m < reports.size(); ++m) reports[m].diverged = diverged[m];
  return reports;
}

FitReport joined(FitReport first, const FitReport& second) {
  first.seed = second.seed;
  first.epochs += second.epochs;
  first.best_loss = second.best_loss;
  first.last_loss = second.last_loss;
  first.diverged = first.diverged || second.diverged;
  first.stopped_early = first.stopped_early || second.stopped_early;
  first.restarts += second.restarts;
  first.history.insert(first.history.end(), second.history.begin(), second.history.end());
  return first;
}

}  // namespace nomu
