#include "nomu/models/gaussian_process.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/team.hpp"
#include "engine/preflight.hpp"
#include "models/gp/gp_evidence.hpp"
#include "models/gp/gp_posterior.hpp"
#include "models/network/chosen_members.hpp"
#include "models/network/methods.hpp"
#include "models/network/per_member.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr const char* where = "models/gaussian_process";

void check_range(const char* name, const SearchRange& range) {
  if (range.low > 0.0 && range.low <= range.start && range.start <= range.high && std::isfinite(range.high)) return;
  throw ConfigError(where, fmt::format("{} needs 0 < low <= start <= high, got low {}, start {}, high {}", name,
                                       range.low, range.start, range.high));
}

void check_settings(const GpSpec& spec) {
  check_range("variance", spec.variance);
  check_range("length", spec.length);
  if (spec.learn_noise) check_range("noise", spec.noise);
  if (!(spec.nugget >= 0.0)) throw ConfigError(where, fmt::format("nugget must not be negative, got {}", spec.nugget));
  if (!(spec.sigma_floor >= 0.0))
    throw ConfigError(where, fmt::format("sigma_floor must not be negative, got {}", spec.sigma_floor));
  if (spec.restarts < 0) throw ConfigError(where, fmt::format("restarts must not be negative, got {}", spec.restarts));
  if (spec.most_steps < 1)
    throw ConfigError(where, fmt::format("most_steps must be positive, got {}", spec.most_steps));
}

std::size_t kernel_size(const GpSpec& spec, std::size_t inputs) { return 2 + (spec.length_per_input ? inputs : 1); }

/// A member's rows of positive weight, with the target scaled.
GpData data_of(const GpSpec& spec, const Cohort& cohort, std::size_t member) {
  std::vector<std::size_t> used;
  for (std::size_t i = 0; i < cohort.rows(); ++i) {
    if (cohort.row_weight.empty() || cohort.row_weight(member, i, 0) > 0.0F) used.push_back(i);
  }
  if (used.empty()) throw DataError(where, fmt::format("member {} has no row of positive weight", member));
  const auto n = static_cast<Eigen::Index>(used.size());
  const auto d = static_cast<Eigen::Index>(cohort.cols());
  GpData data{.x = RowMatrix(n, d), .y = Vector(n), .fixed = Vector(n), .row_share = Vector(n)};
  Vector weight(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const std::size_t row = used[static_cast<std::size_t>(i)];
    for (Eigen::Index j = 0; j < d; ++j) data.x(i, j) = cohort.x(member, row, static_cast<std::size_t>(j));
    data.y[i] = cohort.y(member, row, 0);
    weight[i] = cohort.row_weight.empty() ? 1.0 : cohort.row_weight(member, row, 0);
    const double known = cohort.noise.empty() ? 0.0 : cohort.noise(member, row, 0);
    data.fixed[i] = known * known;
  }
  if (spec.target != GpSpec::Target::as_given) data.mean = data.y.dot(weight) / weight.sum();
  data.y.array() -= data.mean;
  if (spec.target == GpSpec::Target::standardised) {
    const double deviation = std::sqrt(data.y.cwiseAbs2().dot(weight) / weight.sum());
    if (deviation > 0.0) data.scale = deviation;
  }
  data.y /= data.scale;
  data.row_share = weight.cwiseInverse();
  data.fixed = data.fixed.cwiseProduct(data.row_share) / (data.scale * data.scale);
  data.fixed.array() += spec.nugget;
  return data;
}

/// Settings are stored in single precision, so an archive restores exactly the same posterior.
void store(const GpKernel& kernel, std::span<float> values) {
  values[0] = static_cast<float>(kernel.variance);
  values[1] = static_cast<float>(kernel.noise);
  for (Eigen::Index k = 0; k < kernel.lengths.size(); ++k)
    values[2 + static_cast<std::size_t>(k)] = static_cast<float>(kernel.lengths[k]);
}

GpKernel load(std::span<const float> values) {
  GpKernel kernel{
      .variance = values[0], .lengths = Vector(static_cast<Eigen::Index>(values.size()) - 2), .noise = values[1]};
  for (Eigen::Index k = 0; k < kernel.lengths.size(); ++k) kernel.lengths[k] = values[2 + static_cast<std::size_t>(k)];
  return kernel;
}

class FittedGp final : public FittedCohort {
 public:
  FittedGp(const GpSpec& spec, Cohort cohort, Tensor<float> kernels, std::vector<FitReport> reports, Engine& engine)
      : spec_(spec),
        cohort_(std::move(cohort)),
        kernels_(std::move(kernels)),
        reports_(std::move(reports)),
        threads_(engine.info().threads) {
    posteriors_.resize(cohort_.members());
    per_member(members(), threads_, "factorise", {}, [&](std::size_t m) {
      posteriors_[m] = std::make_shared<const GpPosterior>(data_of(spec_, cohort_, m), load(kernels_.member(m)));
    });
    for (std::size_t m = 0; m < members(); ++m) reports_[m].diverged = !posteriors_[m]->valid();
  }

  [[nodiscard]] std::size_t members() const override { return cohort_.members(); }

  [[nodiscard]] Prediction predict(const Tensor<float>& x) const override {
    if (x.cols() != cohort_.cols() || (x.members() != 1 && x.members() != members())) {
      throw DataError(where, fmt::format("x must be [1 or {}][q][{}], got [{}][{}][{}]", members(), cohort_.cols(),
                                         x.members(), x.rows(), x.cols()));
    }
    const Tensor<float> blank(members(), x.rows(), 1);
    Prediction prediction{.mean = blank, .sigma_model = blank, .sigma_noise = {}, .sigma_below = {}};
    if (spec_.learn_noise) prediction.sigma_noise = blank;
    constexpr std::size_t part = 4 * GpPosterior::block_rows;
    const std::size_t parts = (x.rows() + part - 1) / part;
    side_by_side(members() * parts, threads_, [&](std::size_t piece) {
      const std::size_t m = piece / parts;
      const std::size_t first = piece % parts * part;
      const std::size_t rows = std::min(part, x.rows() - first);
      const std::span<float> sigma = prediction.sigma_model.member(m).subspan(first, rows);
      posteriors_[m]->predict(x.member(x.members() == 1 ? 0 : m).subspan(first * x.cols(), rows * x.cols()),
                              prediction.mean.member(m).subspan(first, rows), sigma);
      for (float& value : sigma) value += static_cast<float>(spec_.sigma_floor);
      if (spec_.learn_noise)
        std::ranges::fill(prediction.sigma_noise.member(m).subspan(first, rows),
                          static_cast<float>(posteriors_[m]->noise_sigma()));
    });
    return prediction;
  }

  [[nodiscard]] std::unique_ptr<FittedCohort> select(std::span<const std::size_t> members) const override {
    return std::unique_ptr<FittedCohort>(new FittedGp(*this, members));
  }

  [[nodiscard]] const std::vector<FitReport>& reports() const override { return reports_; }

  [[nodiscard]] FittedState state() const override {
    FittedState state{.inputs = cohort_.cols(), .blocks = {}};
    state.blocks = {{"x", cohort_.x}, {"y", cohort_.y}, {"row_weight", cohort_.row_weight}, {"kernel", kernels_}};
    if (!cohort_.noise.empty()) state.blocks.push_back({"noise", cohort_.noise});
    return state;
  }

 private:
  /// Some members of another cohort, sharing its factors.
  FittedGp(const FittedGp& all, std::span<const std::size_t> members)
      : spec_(all.spec_),
        cohort_{.x = chosen_members(all.cohort_.x, members),
                .y = chosen_members(all.cohort_.y, members),
                .row_weight = chosen_members(all.cohort_.row_weight, members),
                .noise = chosen_members(all.cohort_.noise, members),
                .seeds = {}},
        kernels_(chosen_members(all.kernels_, members)),
        threads_(all.threads_) {
    for (const std::size_t m : members) {
      cohort_.seeds.push_back(all.cohort_.seeds[m]);
      reports_.push_back(all.reports_[m]);
      posteriors_.push_back(all.posteriors_[m]);
    }
  }

  GpSpec spec_;
  Cohort cohort_;
  Tensor<float> kernels_;  ///< [M][1][variance, noise, lengths]
  std::vector<FitReport> reports_;
  std::int64_t threads_;
  std::vector<std::shared_ptr<const GpPosterior>> posteriors_;
};

FitReport report_of(const GpSearch& search, std::uint64_t seed) {
  FitReport report{.seed = seed,
                   .epochs = search.evaluations,
                   .first_loss = -search.first,
                   .best_loss = -search.best,
                   .last_loss = -search.best,
                   .history = {}};
  for (const double value : search.found) report.history.push_back(static_cast<float>(-value));
  return report;
}

/// Searches that may run at the same time, one for every thread but no more than fit into memory: each has a kernel
/// matrix, its shape, factor and inverse, and the factors of all members are kept. Throws if there is no room for one.
std::int64_t searches_at_once(const Cohort& cohort, std::int64_t threads) {
  const std::size_t matrix = std::max<std::size_t>(cohort.rows() * cohort.rows(), 1) * sizeof(double);
  const std::size_t kept = cohort.members() * matrix;
  const std::size_t room = engine::available_memory();
  engine::require_room(kept + 4 * matrix, room, cohort.members(), where);
  const std::size_t fit = (room - kept) / (4 * matrix);
  return std::clamp<std::int64_t>(threads, 1, static_cast<std::int64_t>(std::min<std::size_t>(fit, 1'000'000)));
}

}  // namespace

GpSpec GpSpec::published() {
  GpSpec spec;
  spec.target = Target::centred;
  spec.length_per_input = false;
  spec.learn_noise = false;
  spec.sigma_floor = 1e-3;
  spec.restarts = 10;
  spec.first_step = FirstStep::leap;
  return spec;
}

Fields fields_of(GpSpec& spec) {
  Fields f(where);
  f.add_choice("target", spec.target, {"as_given", "centred", "standardised"},
               "how the target is scaled before the fit");
  const auto add_range = [&f](const std::string& name, SearchRange& range, const std::string& what) {
    f.add(name + ".start", range.start, Range::positive(), what + ": where the search starts");
    f.add(name + ".low", range.low, Range::positive(), what + ": lower bound");
    f.add(name + ".high", range.high, Range::positive(),
          what + ": upper bound; if equal to the lower one, the value is fixed");
  };
  add_range("variance", spec.variance, "prior variance of the function");
  add_range("length", spec.length, "length scale of the function");
  f.add("length_per_input", spec.length_per_input, "one length per input column instead of one for all");
  f.add("learn_noise", spec.learn_noise, "whether to search for the variance of the data noise");
  add_range("noise", spec.noise, "variance of the data noise");
  f.add("nugget", spec.nugget, Range::at_least(0.0), "added to the diagonal of the kernel matrix");
  f.add("sigma_floor", spec.sigma_floor, Range::at_least(0.0), "added to every sigma");
  f.add("restarts", spec.restarts, Range::between(0, 1e6), "additional random starts of the search");
  f.add_choice("first_step", spec.first_step, {"unit", "leap"},
               "how far a search may step before it knows the curvature; leap: as in the published runs");
  f.add("tolerance", spec.tolerance, Range::positive(), "improvement of the evidence below which a search ends");
  f.add("most_steps", spec.most_steps, Range::between(1, 1e9), "largest number of evidence evaluations per start");
  return f;
}

FittedPointer fit_cohort(const GpSpec& spec, const Cohort& cohort, Engine& engine, const Progress& progress) {
  check_settings(spec);
  const std::int64_t threads = searches_at_once(cohort, engine.info().threads);
  Tensor<float> kernels(cohort.members(), 1, kernel_size(spec, cohort.cols()));
  std::vector<FitReport> reports(cohort.members());
  per_member(cohort.members(), threads, "evidence", progress, [&](std::size_t m) {
    const GpSearch search = maximise_evidence(spec, data_of(spec, cohort, m), cohort.seeds[m],
                                              threads_of_each(cohort.members(), threads), progress.stop);
    store(search.kernel, kernels.member(m));
    reports[m] = report_of(search, cohort.seeds[m]);
  });
  return std::make_unique<FittedGp>(spec, cohort, std::move(kernels), std::move(reports), engine);
}

FittedPointer restore_cohort(const GpSpec& spec, const FittedState& state, FitReports reports, Engine& engine) {
  const std::size_t members = reports.size();
  const auto y = std::ranges::find_if(state.blocks, [](const FittedState::Block& block) { return block.name == "y"; });
  const std::size_t rows = y == state.blocks.end() ? 0 : y->values.rows();
  if (members == 0 || rows == 0) throw DataError(where, "there are no rows to condition on");
  if (state.data_rows > 0 && rows > state.data_rows)
    throw DataError(where, fmt::format("it is conditioned on {} rows, but the data have {}", rows, state.data_rows));
  Cohort cohort{.x = state.block("x", {members, rows, state.inputs}),
                .y = state.block("y", {members, rows, 1}),
                .row_weight = state.block("row_weight", {members, rows, 1}),
                .noise = {},
                .seeds = {}};
  if (state.has("noise")) cohort.noise = state.block("noise", {members, rows, 1});
  for (const FitReport& report : reports) cohort.seeds.push_back(report.seed);
  (void)searches_at_once(cohort, 1);  // refuses what memory cannot hold
  const Tensor<float>& kernels = state.block("kernel", {members, 1, kernel_size(spec, state.inputs)});
  return std::make_unique<FittedGp>(spec, std::move(cohort), kernels, std::move(reports), engine);
}

}  // namespace nomu
