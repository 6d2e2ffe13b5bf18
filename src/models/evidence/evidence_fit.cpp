#include "models/evidence/evidence_fit.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/team.hpp"
#include "engine/layout.hpp"
#include "models/evidence/gap_stage.hpp"
#include "models/evidence/mean_stage.hpp"
#include "models/evidence/noise_stage.hpp"
#include "models/evidence/range_stage.hpp"
#include "models/evidence/rows/inner_folds.hpp"
#include "models/evidence/sigma_shape.hpp"
#include "models/evidence/sigma_stage.hpp"
#include "models/evidence/unknown_stage.hpp"
#include "models/network/beside.hpp"
#include "models/network/chosen_members.hpp"
#include "models/network/ensemble.hpp"
#include "models/nomu/nomu_plan.hpp"
#include "nomu/core/random.hpp"
#include "nomu/eval/statistics.hpp"

namespace nomu {
namespace {

constexpr std::uint64_t fold_purpose = 0x666f6c64;
constexpr std::uint64_t sample_purpose = 0x73616d70;
constexpr double farthest_beyond = 1.5;  ///< largest deviation beyond the range, in sigmas far from the data
constexpr double clearly = 1.5;  ///< standard errors by which an unusual presentation of the inputs must be better

/// What is presented to the networks of one version of a member.
struct Presented {
  DataSet plain;
  std::vector<Step> steps;
  DrawnIn drawn;
  std::uint64_t seed = 0;
};

/// With so many rows a fifth of them teaches a network as much as four fifths do, at a quarter of the memory.
bool plenty(const DataSet& rows) { return rows.rows() > 100'000; }

std::vector<FoldedRows> folded(std::span<const Presented> versions, std::size_t folds, std::int64_t threads) {
  std::vector<FoldedRows> members(versions.size());
  side_by_side(versions.size(), threads, [&](std::size_t v) {
    const Presented& one = versions[v];
    std::vector<Split> parts = inner_folds(one.plain, folds, derived_seed(one.seed, fold_purpose));
    if (plenty(one.plain)) parts = one_part_each(std::move(parts));
    std::vector<std::size_t> judges = judging_rows(one.plain, parts);
    members[v] = {.rows = with_steps(one.plain, one.steps, threads_of_each(versions.size(), threads)),
                  .plain = one.plain,
                  .steps = one.steps,
                  .drawn = one.drawn,
                  .folds = std::move(parts),
                  .judges = std::move(judges),
                  .seed = one.seed};
  });
  return members;
}

/// As many training steps as with all parts but one.
NomuSpec with_steps_kept(NomuSpec spec, std::span<const Presented> versions, std::size_t folds) {
  if (std::ranges::all_of(versions, plenty, &Presented::plain))
    spec.train.epochs *= static_cast<std::int64_t>(folds) - 1;
  return spec;
}

/// At most `most` rows of each, drawn at random.
std::vector<Presented> sampled(std::span<const Presented> versions, std::size_t most) {
  std::vector<Presented> some;
  for (const Presented& one : versions) {
    std::vector<std::size_t> rows = Random(derived_seed(one.seed, sample_purpose)).permutation(one.plain.rows());
    rows.resize(std::min(rows.size(), most));
    std::ranges::sort(rows);
    some.push_back({subset(one.plain, rows), one.steps, one.drawn, one.seed});
  }
  return some;
}

/// The parameters of mean and noise of every network that is kept, in the layout of the final networks.
Tensor<float> fronts(const NomuSpec& spec, const MeanStage& means, std::size_t candidates,
                     std::span<const Chosen> chosen, const NoiseStage& noise, std::size_t noise_candidates,
                     std::size_t folds, std::size_t inputs) {
  const engine::Networks networks = mean_networks(spec, inputs);
  const engine::Layout layout = engine::make_layout(networks, LossKind::gaussian_nll);
  const std::size_t kept = chosen.front().candidates.size();
  Tensor<float> all(chosen.size() * folds * kept, 1, layout.parameters);
  const engine::Layer& head = *std::ranges::find_if(layout.layers, &engine::Layer::head);
  const std::size_t noise_at = std::ranges::find(layout.layers, std::size_t{1}, &engine::Layer::net)->weights;
  for (std::size_t m = 0; m < chosen.size(); ++m) {
    for (std::size_t f = 0; f < folds; ++f) {
      for (std::size_t k = 0; k < kept; ++k) {
        const std::span<float> to = all.member((m * folds + f) * kept + k);
        const auto mean = means.trained.parameters.member((m * folds + f) * candidates + chosen[m].candidates[k]);
        std::ranges::copy(mean.first(std::min(mean.size(), noise_at)), to.begin());
        // The network learned what the trend leaves on a scale of its own; its head is linear.
        const auto scale = static_cast<float>(means.residual_scale[m * folds + f]);
        for (std::size_t e = head.weights; e < noise_at; ++e) to[e] *= scale;
        const auto own = noise.trained.parameters.member((m * folds + f) * noise_candidates + noise.chosen[m]);
        std::ranges::copy(own.subspan(noise.skipped), to.begin() + static_cast<std::ptrdiff_t>(noise_at));
      }
    }
  }
  return all;
}

/// Errors of so many rows tell one shape of sigma from another as well as those of a million.
constexpr std::size_t most_judges = 10'000;

/// At most that many of the rows, at equal distances.
std::vector<std::size_t> some_of(const std::vector<std::size_t>& rows) {
  const std::size_t step = (rows.size() + most_judges - 1) / most_judges;
  std::vector<std::size_t> some;
  for (std::size_t k = 0; k < rows.size(); k += step) some.push_back(rows[k]);
  return some;
}

/// What the out-of-fold rows of one member teach about its networks, as far as it is the same for all of them.
NetworkHead head_of(const SigmaShape& shape, const NoiseStage& noise, std::size_t m) {
  double squares = 0.0;
  for (const double deviation : noise.unseen[m]) squares += std::pow(shape.noise_factor * deviation, 2);
  return {.noise_scale = noise.scale[m] * shape.noise_factor,
          .noise_low = noise.low[m] * shape.noise_factor,
          .noise_high = noise.high[m] * shape.noise_factor,
          .noise_far = std::sqrt(squares / static_cast<double>(noise.unseen[m].size())),
          .sigma_far = shape.far,
          .power = shape.power,
          .start = shape.start};
}

/// What the first stage found out, for every version of every member.
struct JudgedMeans {
  std::vector<FoldedRows> rows;
  std::vector<std::vector<double>> penalties;
  MeanStage means;
  std::vector<Chosen> chosen;
  std::vector<std::vector<double>> errors;  ///< of unseen rows
};

JudgedMeans judge_means(const NomuSpec& spec, const EvidenceSpec& evidence, std::span<const Presented> versions,
                        Engine& engine, const Progress& progress) {
  const auto folds = static_cast<std::size_t>(evidence.folds);
  const auto kept = static_cast<std::size_t>(evidence.kept);
  const auto most = static_cast<std::size_t>(evidence.most_rows);
  const std::int64_t threads = engine.info().threads;
  JudgedMeans judged{.rows = folded(versions, folds, threads),
                     .penalties = {versions.size(), evidence.penalties},
                     .means = {},
                     .chosen = std::vector<Chosen>(versions.size()),
                     .errors = {}};
  // The candidates on all rows, or on some and then only the best of them on all.
  const bool large = std::ranges::any_of(versions, [&](const Presented& one) { return one.plain.rows() > most; });
  const std::vector<FoldedRows> tried = large ? folded(sampled(versions, most), folds, threads) : judged.rows;
  judged.means = train_means(spec, tried, judged.penalties, evidence.trend, engine, progress);
  side_by_side(versions.size(), threads, [&](std::size_t m) {
    const std::int64_t own = threads_of_each(versions.size(), threads);
    const DataSet& rows = tried[m].rows;
    judged.chosen[m] = choose(judged.means.unseen[m], rows.targets, tried[m].judges, kept, own, rows.row_weight);
  });
  if (large) {
    for (std::size_t m = 0; m < versions.size(); ++m) {
      judged.penalties[m].clear();
      for (std::size_t& c : judged.chosen[m].candidates) {
        judged.penalties[m].push_back(evidence.penalties[c]);
        c = judged.penalties[m].size() - 1;
      }
    }
    judged.means = train_means(spec, judged.rows, judged.penalties, evidence.trend, engine, progress);
  }
  for (std::size_t m = 0; m < versions.size(); ++m) {
    const std::vector<double> mixed = judged.chosen[m].mixed(judged.means.unseen[m]);
    judged.errors.emplace_back();
    for (std::size_t i = 0; i < mixed.size(); ++i)
      judged.errors[m].push_back(judged.rows[m].rows.targets[i] - mixed[i]);
  }
  return judged;
}

/// Only these versions, in this order.
JudgedMeans selected(JudgedMeans all, std::span<const std::size_t> which) {
  JudgedMeans some;
  const std::size_t folds = all.rows.front().folds.size();
  const std::size_t networks = all.means.trained.parameters.members() / all.rows.size();
  some.means.trained.parameters = chosen_members(all.means.trained.parameters, which, networks);
  for (const std::size_t v : which) {
    some.rows.push_back(std::move(all.rows[v]));
    some.penalties.push_back(std::move(all.penalties[v]));
    some.chosen.push_back(std::move(all.chosen[v]));
    some.errors.push_back(std::move(all.errors[v]));
    for (std::size_t f = 0; f < folds; ++f) {
      some.means.trends.push_back(std::move(all.means.trends[v * folds + f]));
      some.means.residual_scale.push_back(all.means.residual_scale[v * folds + f]);
    }
  }
  return some;
}

NoiseStage selected(const NoiseStage& all, std::span<const std::size_t> which) {
  NoiseStage some;
  const std::size_t networks = all.trained.parameters.members() / all.chosen.size();
  some.trained.parameters = chosen_members(all.trained.parameters, which, networks);
  some.skipped = all.skipped;
  for (const std::size_t v : which) {
    some.chosen.push_back(all.chosen[v]);
    some.scale.push_back(all.scale[v]);
    some.low.push_back(all.low[v]);
    some.high.push_back(all.high[v]);
    some.unseen.push_back(all.unseen[v]);
  }
  return some;
}

/// Whether unseen rows are predicted better than usual, and by more than chance: the choice would otherwise cost more
/// than it brings.
bool clearly_better(const std::vector<double>& errors, const std::vector<double>& usual, const FoldedRows& rows) {
  std::vector<double> gains;
  for (const std::size_t i : rows.judges)
    gains.push_back(weight_at(rows.rows, i) * (std::abs(usual[i]) - std::abs(errors[i])));
  const bool comparable = std::ranges::all_of(gains, [](double gain) { return std::isfinite(gain); });
  return comparable && mean(gains) > clearly * standard_error(gains);
}

/// The best presentation of the inputs for every scale of the target, as places in `versions`. The judged means of
/// these versions begin at `first`.
std::vector<std::size_t> best_presentations(const std::vector<EvidenceRows>& versions, const JudgedMeans& judged,
                                            std::size_t first) {
  std::vector<std::size_t> best;
  for (std::size_t v = 0; v < versions.size(); ++v) {
    if (versions[v].presentation == 0) best.push_back(v);
  }
  for (std::size_t& one : best) {
    for (std::size_t v = 0; v < versions.size(); ++v) {
      if (versions[v].presentation == 0 || versions[v].warped != versions[one].warped) continue;
      if (clearly_better(judged.errors[first + v], judged.errors[first + one], judged.rows[first + one])) one = v;
    }
  }
  return best;
}

/// How well these unseen rows are predicted, in the units of the target: the mean pinball loss of nine quantiles.
double quantile_loss(const EvidenceRows& version, const std::vector<double>& errors, const std::vector<double>& noise,
                     std::span<const std::size_t> judges) {
  constexpr double normal_quantiles[] = {-1.645, -1.036, -0.674, -0.319, 0.0, 0.319, 0.674, 1.036, 1.645};
  constexpr double levels[] = {0.05, 0.15, 0.25, 0.375, 0.5, 0.625, 0.75, 0.85, 0.95};
  double sum = 0.0;
  double total = 0.0;
  for (const std::size_t i : judges) {
    const double weight = weight_at(version.scaled, i);
    const double mean = version.scaled.targets[i] - errors[i];
    for (std::size_t q = 0; q < std::size(levels); ++q) {
      const double miss = version.targets[i] - version.back(mean + normal_quantiles[q] * noise[i]);
      sum += weight * (miss > 0.0 ? levels[q] * miss : (levels[q] - 1.0) * miss);
    }
    total += weight;
  }
  return sum / total;
}

/// [M][3][E]; empty without steps.
Tensor<float> steps_of_members(std::span<const FoldedRows> members) {
  const std::size_t count = members.front().steps.size();
  if (count == 0) return {};
  Tensor<float> all(members.size(), 3, count);
  for (std::size_t m = 0; m < members.size(); ++m) store_steps(members[m].steps, all.member(m));
  return all;
}

/// Sigma far from the data on the scale of this version. It is meant in deviations of the target; on another scale than
/// the target's own, as much where targets are large would otherwise be many times that.
double sigma_far_on(const EvidenceRows& version, double deviations) {
  if (!version.warped) return deviations;
  const double high = quantile(version.scaled.targets, 0.9);
  const double wanted = deviations * standard_deviation(version.targets);
  double low_end = 0.0;
  double high_end = deviations;
  for (int halvings = 0; halvings < 40; ++halvings) {
    const double middle = std::midpoint(low_end, high_end);
    (version.back(high + middle) - version.back(high) > wanted ? high_end : low_end) = middle;
  }
  return std::max(high_end, 1e-3 * deviations);
}

/// The penalty that counts most in each member.
std::vector<double> heaviest_penalties(const JudgedMeans& judged) {
  std::vector<double> penalties;
  for (std::size_t m = 0; m < judged.chosen.size(); ++m) {
    const Chosen& chosen = judged.chosen[m];
    const auto heaviest = std::ranges::max_element(chosen.weights) - chosen.weights.begin();
    penalties.push_back(judged.penalties[m][chosen.candidates[static_cast<std::size_t>(heaviest)]]);
  }
  return penalties;
}

/// Trains sigma on top of what was chosen, and puts the model together.
std::unique_ptr<FittedNetwork> finished(const NomuSpec& spec, const EvidenceSpec& evidence, const JudgedMeans& judged,
                                        const NoiseStage& noise, std::span<const double> sigma_far,
                                        std::span<const std::uint64_t> seeds, Engine& engine,
                                        const Progress& progress) {
  const std::size_t members = judged.rows.size();
  const auto folds = static_cast<std::size_t>(evidence.folds);
  const auto kept = static_cast<std::size_t>(evidence.kept);
  const std::size_t inputs = judged.rows.front().rows.cols();
  const Tensor<float> front = fronts(spec, judged.means, judged.penalties.front().size(), judged.chosen, noise,
                                     evidence.noise_penalties.size(), folds, inputs);
  const std::size_t parts = folds * kept;
  SigmaStage sigmas;
  std::vector<std::vector<JudgedRows>> gaps;
  train_beside_each_other(
      engine, members * parts, progress,
      [&] { sigmas = train_sigmas(spec, judged.rows, kept, front, engine, progress); },
      [&](Engine& other, const Progress& own) {
        gaps = rows_in_gaps(spec, judged.rows, heaviest_penalties(judged), noise.unseen, evidence.trend, other, own);
      });
  std::vector<double> most_beyond;
  for (const double far : sigma_far) most_beyond.push_back(farthest_beyond * far);
  std::vector<BeyondRange> ranges = ranges_of(judged.rows, judged.chosen, judged.means.trends, most_beyond,
                                              mean_networks(spec, inputs), front, engine);
  for (std::size_t m = 0; m < members; ++m) heed_errors(ranges[m], judged.rows[m], judged.errors[m], noise.unseen[m]);
  NetworkParts made{.parameters = std::move(sigmas.trained.parameters),
                    .weights = kept_networks(sigmas.trained.reports, parts),
                    .heads = Tensor<float>(members * parts, 1, NetworkHead::size),
                    .trend = Tensor<float>(members * parts, 1, 1 + inputs),
                    .steps = steps_of_members(judged.rows),
                    .unknown = variance_of_unknown_names(judged.rows, judged.chosen, judged.means.trends, judged.errors,
                                                         mean_networks(spec, inputs), front, engine),
                    .beyond = stored(ranges)};
  const std::int64_t threads = engine.info().threads;
  side_by_side(members, threads, [&](std::size_t m) {
    const std::vector<std::size_t> judges = some_of(judged.rows[m].judges);
    const JudgedRows unseen{.errors = values_at(judged.errors[m], judges),
                            .noise = values_at(noise.unseen[m], judges),
                            .distance = values_at(sigmas.unseen[m], judges),
                            .beyond = values_at(beyond_folds(judged.rows[m], ranges[m]), judges)};
    const SigmaShape shape = choose_shape(unseen, gaps[m], sigma_far[m], threads_of_each(members, threads));
    NetworkHead head = head_of(shape, noise, m);
    for (std::size_t f = 0; f < folds; ++f) {
      for (std::size_t k = 0; k < kept; ++k) {
        const std::size_t network = (m * folds + f) * kept + k;
        head.raw_far = sigmas.raw_far[network];
        head.raw_near = sigmas.raw_near[network];
        head.store(made.heads.member(network));
        const Trend& trend = judged.means.trends[m * folds + f];
        made.trend(network, 0, 0) = static_cast<float>(trend.intercept);
        for (std::size_t j = 0; j < inputs; ++j) made.trend(network, 0, 1 + j) = static_cast<float>(trend.slopes[j]);
        made.weights(m, 0, f * kept + k) *= static_cast<float>(judged.chosen[m].weights[k]);
      }
    }
  });
  std::vector<FitReport> reports = merged(std::move(sigmas.trained.reports), made.weights, seeds);
  return std::make_unique<FittedNetwork>(design_of(spec, inputs), std::move(made), std::move(reports), engine);
}

}  // namespace

EvidenceFit fit_by_evidence(const NomuSpec& given, const EvidenceSpec& evidence,
                            std::span<const std::vector<EvidenceRows>> members, std::span<const std::uint64_t> seeds,
                            Engine& engine, const Progress& progress) {
  std::vector<Presented> presented;
  for (std::size_t m = 0; m < members.size(); ++m) {
    for (const EvidenceRows& version : members[m])
      presented.push_back({version.scaled, version.steps, version.drawn, seeds[m]});
  }
  const NomuSpec spec = with_steps_kept(given, presented, static_cast<std::size_t>(evidence.folds));
  JudgedMeans judged = judge_means(spec, evidence, presented, engine, progress);
  std::vector<std::vector<std::size_t>> candidates;  // of every member, in its versions
  std::vector<std::size_t> which;
  for (std::size_t first = 0; const std::vector<EvidenceRows>& versions : members) {
    candidates.push_back(best_presentations(versions, judged, first));
    for (const std::size_t v : candidates.back()) which.push_back(first + v);
    first += versions.size();
  }
  judged = selected(std::move(judged), which);
  const NoiseStage noise = train_noise(spec, judged.rows, judged.errors, evidence.noise_penalties, engine, progress);

  EvidenceFit fit;
  std::vector<double> sigma_far;
  which.clear();
  std::size_t first = 0;
  for (std::size_t m = 0; m < members.size(); ++m) {
    std::vector<double> losses;
    for (std::size_t c = 0; c < candidates[m].size(); ++c)
      losses.push_back(quantile_loss(members[m][candidates[m][c]], judged.errors[first + c], noise.unseen[first + c],
                                     judged.rows[first + c].judges));
    const auto best = static_cast<std::size_t>(std::ranges::min_element(losses) - losses.begin());
    fit.versions.push_back(candidates[m][best]);
    sigma_far.push_back(sigma_far_on(members[m][fit.versions.back()], evidence.sigma_far));
    which.push_back(first + best);
    first += candidates[m].size();
  }
  fit.fitted = finished(spec, evidence, selected(std::move(judged), which), selected(noise, which), sigma_far, seeds,
                        engine, progress);
  return fit;
}

}  // namespace nomu
