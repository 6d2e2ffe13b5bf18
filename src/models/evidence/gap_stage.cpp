#include "models/evidence/gap_stage.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "models/evidence/mean_stage.hpp"
#include "models/evidence/sigma_stage.hpp"
#include "nomu/core/random.hpp"

namespace nomu {
namespace {

constexpr std::size_t gap_count = 3;
constexpr double gap_share = 0.2;     ///< of the rows, in each gap
constexpr double usual_share = 0.08;  ///< of the rows, left out from everywhere else
constexpr std::size_t most_rows = 4000;
constexpr std::int64_t most_repeats = 4;  ///< how much longer networks may learn from a sample, for as many steps
constexpr std::uint64_t gap_purpose = 0x676170;

double squared_distance(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += (a[j] - b[j]) * (a[j] - b[j]);
  return sum;
}

/// Moves whole units, in this order, from those that nobody has to `taken` until it has so many rows.
void take(std::span<const std::size_t> order, const std::vector<std::vector<std::size_t>>& rows_of, std::size_t wanted,
          std::vector<bool>& free, std::vector<std::size_t>& taken) {
  for (const std::size_t unit : order) {
    if (taken.size() >= wanted) return;
    if (!free[unit]) continue;
    free[unit] = false;
    taken.insert(taken.end(), rows_of[unit].begin(), rows_of[unit].end());
  }
}

/// All units, those whose first rows are nearest to this row first.
std::vector<std::size_t> nearest_units(const DataSet& scaled, const std::vector<std::vector<std::size_t>>& rows_of,
                                       std::size_t row) {
  std::vector<double> distance;
  distance.reserve(rows_of.size());
  for (const std::vector<std::size_t>& rows : rows_of)
    distance.push_back(squared_distance(scaled.row(rows.front()), scaled.row(row)));
  std::vector<std::size_t> order(rows_of.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t unit) { return distance[unit]; });
  return order;
}

/// All rows but the sorted ones that are tested.
Split split_with(std::vector<std::size_t> test, std::size_t rows) {
  std::ranges::sort(test);
  Split split{.train = {}, .test = std::move(test)};
  for (std::size_t i = 0; i < rows; ++i)
    if (!std::ranges::binary_search(split.test, i)) split.train.push_back(i);
  return split;
}

/// Parts at random, none of whose rows is inside a gap.
MadeGaps without_gaps(std::size_t rows, std::size_t count, std::uint64_t seed) {
  MadeGaps made{.folds = k_folds(rows, count, seed), .usual = {}};
  for (const Split& split : made.folds) made.usual.push_back(split.test);
  return made;
}

/// A sample of a member's rows with gaps in it.
struct Gapped {
  FoldedRows folded;
  std::vector<std::size_t> sample;  ///< which rows of the member they are
};

Gapped gapped(const FoldedRows& member) {
  const std::uint64_t seed = derived_seed(member.seed, gap_purpose);
  Gapped made{.folded = {}, .sample = Random(seed).permutation(member.plain.rows())};
  made.sample.resize(std::min(made.sample.size(), most_rows));
  std::ranges::sort(made.sample);
  const DataSet plain = subset(member.plain, made.sample);
  MadeGaps gaps = made_gaps(plain, gap_count, seed);
  made.folded = {.rows = subset(member.rows, made.sample),
                 .plain = plain,
                 .steps = member.steps,
                 .drawn = member.drawn,
                 .folds = std::move(gaps.folds),
                 .usual = std::move(gaps.usual),
                 .seed = seed};
  return made;
}

}  // namespace

MadeGaps made_gaps(const DataSet& scaled, std::size_t count, std::uint64_t seed) {
  const Units units = distinct_rows(scaled.inputs, scaled.cols());
  std::vector<std::vector<std::size_t>> rows_of(units.count);
  for (std::size_t i = 0; i < scaled.rows(); ++i) rows_of[units.of_row[i]].push_back(i);
  const auto share_of_rows = [&](double share) {
    return std::max<std::size_t>(2, static_cast<std::size_t>(share * static_cast<double>(scaled.rows())));
  };
  Random random(seed, 1);
  std::vector<bool> free(units.count, true);
  std::vector<std::vector<std::size_t>> regions(count);
  for (std::vector<std::size_t>& region : regions) {
    const std::vector<std::size_t> order = random.permutation(units.count);
    const auto centre = std::ranges::find_if(order, [&](std::size_t unit) { return free[unit]; });
    if (centre == order.end()) return without_gaps(scaled.rows(), count, seed);
    take(nearest_units(scaled, rows_of, rows_of[*centre].front()), rows_of, share_of_rows(gap_share), free, region);
  }
  MadeGaps made;
  for (std::vector<std::size_t>& region : regions) {
    std::vector<std::size_t> usual;
    take(random.permutation(units.count), rows_of, share_of_rows(usual_share), free, usual);
    std::ranges::sort(usual);
    region.insert(region.end(), usual.begin(), usual.end());
    made.folds.push_back(split_with(std::move(region), scaled.rows()));
    if (usual.empty() || made.folds.back().train.size() < scaled.rows() / 4)
      return without_gaps(scaled.rows(), count, seed);
    made.usual.push_back(std::move(usual));
  }
  return made;
}

std::vector<std::vector<JudgedRows>> rows_in_gaps(const NomuSpec& given, std::span<const FoldedRows> members,
                                                  std::span<const double> penalties,
                                                  std::span<const std::vector<double>> noise, bool trend,
                                                  Engine& engine, const Progress& progress) {
  NomuSpec spec = given;
  spec.noise = Noise::none;
  std::vector<FoldedRows> folded;
  std::vector<std::vector<std::size_t>> samples;
  std::vector<std::vector<double>> own_penalties;
  for (std::size_t m = 0; m < members.size(); ++m) {
    Gapped made = gapped(members[m]);
    folded.push_back(std::move(made.folded));
    samples.push_back(std::move(made.sample));
    own_penalties.push_back({penalties[m]});
  }
  std::size_t rows = 1;  // the same for every cohort of the same table, whichever targets are in it
  for (const FoldedRows& member : members) rows = std::max(rows, member.plain.rows());
  spec.train.epochs *= std::clamp<std::int64_t>(static_cast<std::int64_t>(rows / most_rows), 1, most_repeats);
  const MeanStage means = train_means(spec, folded, own_penalties, trend, engine, progress);
  const SigmaStage sigmas = train_sigmas(spec, folded, 1, means.trained.parameters, engine, progress);
  std::vector<std::vector<JudgedRows>> judged(members.size());
  for (std::size_t m = 0; m < members.size(); ++m) {
    for (std::size_t g = 0; g < folded[m].folds.size(); ++g) {
      JudgedRows gap;
      for (const std::size_t i : folded[m].folds[g].test) {
        if (std::ranges::binary_search(folded[m].usual[g], i)) continue;
        gap.errors.push_back(folded[m].rows.targets[i] - means.unseen[m].front()[i]);
        gap.noise.push_back(noise[m][samples[m][i]]);
        gap.distance.push_back(sigmas.unseen[m][i]);
      }
      judged[m].push_back(std::move(gap));
    }
  }
  return judged;
}

}  // namespace nomu
