#include "models/evidence/sigma_stage.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/team.hpp"
#include "engine/backend.hpp"
#include "models/evidence/rows/artificial_rows.hpp"
#include "models/network/ensemble.hpp"
#include "models/nomu/nomu_plan.hpp"
#include "nomu/core/random.hpp"

namespace nomu {
namespace {

constexpr std::size_t pool_size = 2048;
constexpr std::size_t judged_points = 512;
constexpr double clearly_farther = 2.5;  ///< times as far as 19 of 20 unseen rows
constexpr double sigma_penalty = 1e-3;
constexpr double sharper = 10.0;  ///< factor of mu_sqr
constexpr std::uint64_t pool_purpose = 0x706f6f6c;

double nth(std::vector<double> values, std::size_t n) {
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(n);
  std::ranges::nth_element(values, place);
  return *place;
}

double upper_quartile(const std::vector<double>& values) { return nth(values, values.size() * 3 / 4); }
double median(const std::vector<double>& values) { return nth(values, values.size() / 2); }

/// Half the epochs of the means, and on small tables more: to tell a gap from its edge takes a sigma network of few
/// columns some 1,800 steps. Among many columns there is less to tell, and a step costs more.
std::int64_t sigma_epochs(const TrainSpec& train, std::span<const FoldedRows> members) {
  constexpr std::int64_t fine_steps = 1800;
  constexpr std::int64_t few_columns = 10;
  std::size_t most = 1;  // the same for every cohort of the same table, whichever targets are in it
  for (const FoldedRows& member : members) most = std::max(most, member.plain.rows());
  const auto rows = static_cast<std::int64_t>(most);
  const auto columns = static_cast<std::int64_t>(members.front().plain.cols());
  const std::int64_t batches = train.batch_size == 0 ? 1 : (rows + train.batch_size - 1) / train.batch_size;
  const std::int64_t fine = fine_steps * few_columns / std::max(columns, few_columns);
  return std::max<std::int64_t>(1, std::max(train.epochs / 2, std::min(2 * train.epochs, fine / batches)));
}

/// The pools of all members, [M][k][d].
Tensor<float> pools_of(std::span<const FoldedRows> members, std::int64_t threads) {
  Tensor<float> all(members.size(), pool_size, members.front().rows.cols());
  side_by_side(members.size(), threads, [&](std::size_t m) {
    const Tensor<float> own = artificial_rows(members[m].plain, pool_size, derived_seed(members[m].seed, pool_purpose));
    Tensor<float> steps(1, 3, members[m].steps.size());
    store_steps(members[m].steps, steps.flat());
    std::ranges::copy(steps.empty() ? own.flat() : embedded(own, steps).flat(), all.member(m).begin());
  });
  return all;
}

/// The unseen rows of a fold that are like the data, even where others of them lie in a gap made on purpose.
const std::vector<std::size_t>& usual_rows(const FoldedRows& member, std::size_t fold) {
  return member.usual.empty() ? member.folds[fold].test : member.usual[fold];
}

/// What 19 of 20 values of a fold do not exceed. A fold of fewer than 20 has no such value but its largest, beyond
/// which none of its rows could ever be; there the values of all folds count.
double tail_of(const std::vector<std::vector<double>>& folds, std::size_t fold) {
  std::vector<double> values = folds[fold];
  if (values.size() < 20) {
    values.clear();
    for (const std::vector<double>& one : folds) values.insert(values.end(), one.begin(), one.end());
  }
  return nth(values, values.size() * 19 / 20);
}

}  // namespace

SigmaStage train_sigmas(const NomuSpec& given, std::span<const FoldedRows> members, std::size_t kept,
                        const Tensor<float>& front, Engine& engine, const Progress& progress) {
  NomuSpec spec = given;
  spec.augment.kind = Augmentation::Kind::given;
  // Where rows lie is known exactly, unlike their targets: a strong penalty would only blur it.
  spec.l2 = spec.l2_sigma = sigma_penalty;
  // The raw output gets its scale afterwards. Here it must only tell a gap from its edge, for which the penalty and the
  // artificial rows among the data must not hold it back.
  spec.mu_sqr *= sharper;
  spec.train.epochs = sigma_epochs(spec.train, members);
  const std::size_t folds = members.front().folds.size();
  std::vector<std::vector<double>> targets;
  for (const FoldedRows& member : members) targets.push_back(member.rows.targets);
  Cohort cohort = training_cohort(members, targets, kept, engine.info().threads);
  const Tensor<float> pools = pools_of(members, engine.info().threads);
  cohort.unlabelled = repeat_rows(pools, members.size(), folds * kept, engine.info().threads);
  const engine::TrainPlan plan = sigma_plan(spec, std::move(cohort), front);
  SigmaStage stage{.trained = train(plan, engine, progress), .unseen = {}, .raw_near = {}, .raw_far = {}};

  const UnseenOutputs outputs(members, kept, plan.networks, stage.trained.parameters, engine);
  const std::size_t last = engine::output_count(plan.networks) - 1;
  Tensor<float> judged(members.size(), judged_points, pools.cols());
  for (std::size_t m = 0; m < members.size(); ++m)
    std::ranges::copy(pools.member(m).first(judged_points * pools.cols()), judged.member(m).begin());
  const Tensor<float> far =
      engine::backend(engine).predict(plan.networks, stage.trained.parameters,
                                      rows_for(engine, std::move(judged), members.size(), folds * kept), {}, {});
  for (std::size_t network = 0; network < far.members(); ++network) {
    std::vector<double> raw;
    for (std::size_t k = 0; k < judged_points; ++k) raw.push_back(static_cast<double>(far(network, k, last)));
    stage.raw_far.push_back(upper_quartile(raw));
  }
  stage.raw_near.assign(far.members(), 0.0);
  for (std::size_t m = 0; m < members.size(); ++m) {
    stage.unseen.emplace_back(members[m].rows.rows(), 0.0);
    for (std::size_t c = 0; c < kept; ++c) {
      // Raw sigma of unseen rows like the data, less the median of their fold.
      std::vector<std::vector<double>> beyond_typical(folds);
      for (std::size_t f = 0; f < folds; ++f) {
        for (const std::size_t i : usual_rows(members[m], f)) beyond_typical[f].push_back(outputs.at(m, c, i, last));
        const double near = std::max(median(beyond_typical[f]), 0.0);
        stage.raw_near[(m * folds + f) * kept + c] = near;
        for (double& one : beyond_typical[f]) one -= near;
      }
      for (std::size_t f = 0; f < folds; ++f) {
        const std::size_t network = (m * folds + f) * kept + c;
        const double near = stage.raw_near[network];
        // Artificial points may lie among the data, too. What is far must be clearly farther than rows like the data.
        double& away = stage.raw_far[network];
        away = std::max({away, near + clearly_farther * tail_of(beyond_typical, f), near + 0.01});
        for (const std::size_t i : members[m].folds[f].test) {
          const double share = (outputs.at(m, c, i, last) - near) / (away - near);
          stage.unseen[m][i] += std::clamp(share, 0.0, 1.5) / static_cast<double>(kept);
        }
      }
    }
  }
  return stage;
}

}  // namespace nomu
