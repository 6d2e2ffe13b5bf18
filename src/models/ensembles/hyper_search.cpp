#include "models/ensembles/hyper_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "engine/backend.hpp"
#include "engine/session.hpp"
#include "models/ensembles/greedy_ensemble.hpp"
#include "models/network/network_plan.hpp"
#include "nomu/core/error.hpp"
#include "nomu/core/random.hpp"

namespace nomu {
namespace {

constexpr std::uint32_t draw_stream = 1;
constexpr std::uint32_t split_stream = 2;

/// The given rows of each problem, moved to the front; the rest is padding.
Cohort some_rows(const Cohort& cohort, const std::vector<std::vector<std::size_t>>& rows) {
  std::size_t longest = 0;
  for (const auto& own : rows) longest = std::max(longest, own.size());
  Cohort some{.x = {cohort.members(), longest, cohort.cols()},
              .y = {cohort.members(), longest, 1},
              .row_weight = {cohort.members(), longest, 1},
              .noise = {},
              .seeds = cohort.seeds};
  for (std::size_t m = 0; m < cohort.members(); ++m) {
    for (std::size_t i = 0; i < rows[m].size(); ++i) {
      std::ranges::copy(cohort.x.row(m, rows[m][i]), some.x.row(m, i).begin());
      some.y(m, i, 0) = cohort.y(m, rows[m][i], 0);
      some.row_weight(m, i, 0) = cohort.row_weight.empty() ? 1.0F : cohort.row_weight(m, rows[m][i], 0);
    }
  }
  return some;
}

struct Halves {
  Cohort train, validation;
};

Halves halves_of(const HyperDeepEnsembleSpec& spec, const Cohort& cohort) {
  std::vector<std::vector<std::size_t>> train(cohort.members());
  std::vector<std::vector<std::size_t>> validation(cohort.members());
  for (std::size_t m = 0; m < cohort.members(); ++m) {
    std::vector<std::size_t> used;
    for (std::size_t i = 0; i < cohort.rows(); ++i) {
      if (cohort.row_weight.empty() || cohort.row_weight(m, i, 0) > 0.0F) used.push_back(i);
    }
    if (used.size() < 2)
      throw DataError(
          hyper_where,
          fmt::format("member {} has {} rows; at least 2 are needed, for training and validation", m, used.size()));
    const double share = std::ceil(spec.validation * static_cast<double>(used.size()));
    const std::size_t count = std::clamp<std::size_t>(static_cast<std::size_t>(share), 1, used.size() - 1);
    const std::vector<std::size_t> order = Random(cohort.seeds[m], split_stream).permutation(used.size());
    for (std::size_t i = 0; i < used.size(); ++i) (i < count ? validation : train)[m].push_back(used[order[i]]);
    std::ranges::sort(train[m]);
  }
  return {some_rows(cohort, train), some_rows(cohort, validation)};
}

/// rand_search of Algorithm 2: all candidates of a problem share one initialisation.
std::vector<HyperNetwork> draw_candidates(const HyperDeepEnsembleSpec& spec, std::span<const std::uint64_t> seeds) {
  std::vector<HyperNetwork> all;
  const auto log_uniform = [](Random& random, double low, double high) {
    return std::exp(random.uniform(std::log(low), std::log(high)));
  };
  for (std::size_t m = 0; m < seeds.size(); ++m) {
    Random random(seeds[m], draw_stream);
    for (std::int64_t c = 0; c < spec.candidates; ++c) {
      const double dropout = log_uniform(random, spec.dropout_low, spec.dropout_high);
      all.push_back({.problem = m,
                     .seed = derived_seed(seeds[m], 0),
                     .dropout = dropout,
                     .l2 = log_uniform(random, spec.l2_low, spec.l2_high)});
    }
  }
  return all;
}

/// For each network, the block of its `problem`.
Tensor<float> of_networks(const Tensor<float>& tensor, const std::vector<HyperNetwork>& networks) {
  Tensor<float> copies(networks.size(), tensor.rows(), tensor.cols());
  for (std::size_t k = 0; k < networks.size(); ++k)
    std::ranges::copy(tensor.member(networks[k].problem), copies.member(k).begin());
  return copies;
}

/// Networks with their parameters and reports; lists can be filtered and joined.
struct Pool {
  std::vector<HyperNetwork> networks;
  Trained trained;
};

Pool train_pool(const HyperDeepEnsembleSpec& spec, const Cohort& rows, std::vector<HyperNetwork> networks,
                Engine& engine, const Progress& progress) {
  Trained trained = train(hyper_plan(spec, rows, networks), engine, progress);
  return {std::move(networks), std::move(trained)};
}

Pool thinned(const Pool& pool) {
  std::vector<std::size_t> kept;
  for (std::size_t k = 0; k < pool.networks.size(); ++k) {
    if (pool.networks[k].picks > 0) kept.push_back(k);
  }
  Pool some;
  some.trained.parameters = Tensor<float>(kept.size(), 1, pool.trained.parameters.cols());
  for (std::size_t k = 0; k < kept.size(); ++k) {
    some.networks.push_back(pool.networks[kept[k]]);
    some.trained.reports.push_back(pool.trained.reports[kept[k]]);
    std::ranges::copy(pool.trained.parameters.member(kept[k]), some.trained.parameters.member(k).begin());
  }
  return some;
}

/// Sets `picks` of every network by Algorithm 1, problem by problem. The networks of a problem are adjacent.
void pick(const HyperDeepEnsembleSpec& spec, const Cohort& validation, Pool& pool, Engine& engine) {
  const engine::TrainPlan plan = hyper_plan(spec, validation, pool.networks);
  const Tensor<float> outputs = engine::backend(engine).predict(plan.networks, pool.trained.parameters, plan.x, {}, {});
  const GreedySpec greedy{.networks = static_cast<std::size_t>(spec.networks), .published_score = spec.published_score};
  for (std::size_t first = 0; first < pool.networks.size();) {
    const std::size_t problem = pool.networks[first].problem;
    std::size_t end = first;
    while (end < pool.networks.size() && pool.networks[end].problem == problem) ++end;
    const std::size_t rows = member_rows(validation, problem);
    Tensor<float> predictions(1, end - first, rows);
    for (std::size_t k = first; k < end; ++k)
      std::ranges::copy(outputs.member(k).first(rows), predictions.row(0, k - first).begin());
    const std::vector<std::size_t> picks = pick_ensemble(predictions, validation.y.member(problem).first(rows), greedy);
    for (std::size_t k = first; k < end; ++k) pool.networks[k].picks = picks[k - first];
    first = end;
  }
}

/// The stratification of Algorithm 2: trains every chosen network again from `networks - 1` further initialisations.
std::vector<HyperNetwork> further_starts(const HyperDeepEnsembleSpec& spec, const Pool& chosen,
                                         std::span<const std::uint64_t> seeds) {
  std::vector<HyperNetwork> all;
  for (const HyperNetwork& network : chosen.networks) {
    for (std::int64_t start = 1; start < spec.networks; ++start) {
      all.push_back(network);
      all.back().seed = derived_seed(seeds[network.problem], static_cast<std::uint64_t>(start));
    }
  }
  return all;
}

/// Both lists merged, problem by problem.
Pool joined(const Pool& a, const Pool& b) {
  Pool all;
  all.trained.parameters = Tensor<float>(a.networks.size() + b.networks.size(), 1, a.trained.parameters.cols());
  std::size_t ia = 0;
  std::size_t ib = 0;
  while (ia < a.networks.size() || ib < b.networks.size()) {
    const bool first =
        ib == b.networks.size() || (ia < a.networks.size() && a.networks[ia].problem <= b.networks[ib].problem);
    const Pool& from = first ? a : b;
    const std::size_t k = first ? ia++ : ib++;
    std::ranges::copy(from.trained.parameters.member(k), all.trained.parameters.member(all.networks.size()).begin());
    all.networks.push_back(from.networks[k]);
    all.trained.reports.push_back(from.trained.reports[k]);
  }
  return all;
}

}  // namespace

engine::TrainPlan hyper_plan(const HyperDeepEnsembleSpec& spec, const Cohort& rows,
                             const std::vector<HyperNetwork>& networks) {
  Cohort copies{.x = of_networks(rows.x, networks),
                .y = of_networks(rows.y, networks),
                .row_weight = of_networks(rows.row_weight, networks),
                .noise = {},
                .seeds = {}};
  std::vector<float> dropout;
  std::vector<float> l2;
  for (const HyperNetwork& network : networks) {
    copies.seeds.push_back(network.seed);
    dropout.push_back(static_cast<float>(network.dropout));
    l2.push_back(static_cast<float>(network.l2 * (1.0 - network.dropout) / weight_of(rows, network.problem)));
  }
  engine::TrainPlan plan = regression_plan({.net = spec.net, .train = spec.train}, copies, hyper_where);
  engine::Net& net = plan.networks.nets[0];
  net.dropout = dropout;
  net.l2_hidden = net.l2_output = l2;
  return plan;
}

HyperEnsemble search_ensembles(const HyperDeepEnsembleSpec& spec, const Cohort& cohort, Engine& engine,
                               const Progress& progress) {
  const Halves halves = halves_of(spec, cohort);
  Pool pool = train_pool(spec, halves.train, draw_candidates(spec, cohort.seeds), engine, progress);
  pick(spec, halves.validation, pool, engine);
  pool = thinned(pool);
  if (spec.networks > 1) {
    std::vector<HyperNetwork> further = further_starts(spec, pool, cohort.seeds);
    pool = joined(pool, train_pool(spec, halves.train, std::move(further), engine, progress));
    pick(spec, halves.validation, pool, engine);
    pool = thinned(pool);
  }
  if (spec.refit) {
    std::vector<std::vector<std::size_t>> all(cohort.members());
    for (std::size_t m = 0; m < cohort.members(); ++m) {
      for (std::size_t i = 0; i < member_rows(cohort, m); ++i) all[m].push_back(i);
    }
    engine::TrainPlan plan = hyper_plan(spec, some_rows(cohort, all), pool.networks);
    plan.start = std::move(pool.trained.parameters);
    plan.goes_on = true;
    pool.trained = train(plan, engine, progress);
  }
  return {std::move(pool.networks), std::move(pool.trained)};
}

}  // namespace nomu
