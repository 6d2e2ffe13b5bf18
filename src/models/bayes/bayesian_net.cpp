#include "models/bayes/bayesian_net.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/layout.hpp"
#include "engine/preflight.hpp"
#include "models/bayes/bayesian_linear.hpp"
#include "models/bayes/linearised_net.hpp"
#include "models/network/chosen_members.hpp"
#include "models/network/per_member.hpp"
#include "models/network/train.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr std::size_t block_rows = 64;

/// Regressors of up to 64 rows, one column per row, and the network's own values there. Unused columns are 0.
struct Block {
  Matrix columns;
  Vector values;

  explicit Block(std::size_t size)
      : columns(static_cast<Eigen::Index>(size), static_cast<Eigen::Index>(block_rows)), values(block_rows) {}

  void fill(LinearisedNet& net, bool whole_network, std::span<const float> x, std::size_t inputs) {
    columns.setZero();
    values.setZero();
    for (std::size_t i = 0; i * inputs < x.size(); ++i) {
      const auto c = static_cast<Eigen::Index>(i);
      const std::span<double> column(columns.col(c).data(), static_cast<std::size_t>(columns.rows()));
      const std::span<const float> row = x.subspan(i * inputs, inputs);
      values[c] = whole_network ? net.differentiate(row, column) : net.evaluate(row, column);
    }
  }
};

std::size_t size_of(const BayesianNet& spec, const engine::Layout& layout) {
  std::size_t size = 0;
  for (const engine::Layer& layer : layout.layers) {
    if (spec.whole_network || layer.head) size += (layer.fan_in() + 1) * layer.units;
  }
  if (size > most_uncertain) {
    throw ConfigError(
        spec.origin,
        fmt::format(
            "{} uncertain parameters are too many for a full covariance (limit {}); use {}", size, most_uncertain,
            spec.whole_network ? "smaller hidden layers or weights = last_layer" : "a smaller last hidden layer"));
  }
  return size;
}

BayesianLinear posterior_of(const BayesianNet& spec, const Cohort& cohort, std::size_t member,
                            const engine::Layout& layout, std::span<const float> parameters, std::size_t size) {
  LinearisedNet net(layout, parameters);
  NormalEquations equations(static_cast<Eigen::Index>(size));
  Block block(size);
  double error_squares = 0.0;
  for (std::size_t first = 0; first < cohort.rows(); first += block_rows) {
    const std::size_t count = std::min(block_rows, cohort.rows() - first);
    block.fill(net, spec.whole_network, cohort.x.member(member).subspan(first * cohort.cols(), count * cohort.cols()),
               cohort.cols());
    Vector target = Vector::Zero(block_rows);
    Vector weight = Vector::Zero(block_rows);
    for (std::size_t i = 0; i < count; ++i) {
      const auto c = static_cast<Eigen::Index>(i);
      weight[c] = cohort.row_weight.empty() ? 1.0 : cohort.row_weight(member, first + i, 0);
      target[c] = cohort.y(member, first + i, 0);
    }
    equations.add(block.columns, target, weight);
    error_squares += (target - block.values).cwiseAbs2().dot(weight);
  }
  return spec.new_head ? regress(equations)
                       : regress_around(equations, net.squares(!spec.whole_network), error_squares);
}

void check_memory(std::size_t size, std::size_t members, std::int64_t threads, std::string_view where) {
  const std::size_t at_once = std::min(members, static_cast<std::size_t>(std::max<std::int64_t>(threads, 1)));
  engine::require_memory(size * size * (members * sizeof(float) + 4 * at_once * sizeof(double)), members, where);
}

}  // namespace

FittedBayesianNet::FittedBayesianNet(const BayesianNet& spec, engine::Layout layout, BayesianPosterior posterior,
                                     FitReports reports, std::int64_t threads)
    : whole_network_(spec.whole_network),
      where_(spec.origin),
      layout_(std::move(layout)),
      posterior_(std::move(posterior)),
      reports_(std::move(reports)),
      threads_(threads) {}

Prediction FittedBayesianNet::predict(const Tensor<float>& x) const {
  if (x.cols() != layout_.inputs || (x.members() != 1 && x.members() != members())) {
    throw DataError(where_, fmt::format("x must be [1 or {}][q][{}], got [{}][{}][{}]", members(), layout_.inputs,
                                        x.members(), x.rows(), x.cols()));
  }
  const Tensor<float> blank(members(), x.rows(), 1);
  Prediction prediction{.mean = blank, .sigma_model = blank, .sigma_noise = blank, .sigma_below = {}};
  per_member(members(), threads_, "predict", {}, [&](std::size_t m) { predict_member(x, m, prediction); });
  return prediction;
}

std::unique_ptr<FittedCohort> FittedBayesianNet::select(std::span<const std::size_t> members) const {
  BayesianPosterior posterior{.parameters = chosen_members(posterior_.parameters, members),
                              .root = chosen_members(posterior_.root, members),
                              .head = chosen_members(posterior_.head, members),
                              .noise = chosen_members(posterior_.noise, members)};
  auto some = std::unique_ptr<FittedBayesianNet>(new FittedBayesianNet(*this, std::move(posterior)));
  for (const std::size_t m : members) some->reports_.push_back(reports_[m]);
  return some;
}

FittedBayesianNet::FittedBayesianNet(const FittedBayesianNet& all, BayesianPosterior posterior)
    : whole_network_(all.whole_network_),
      where_(all.where_),
      layout_(all.layout_),
      posterior_(std::move(posterior)),
      threads_(all.threads_) {}

FittedState FittedBayesianNet::state() const {
  FittedState state{.inputs = layout_.inputs, .blocks = {}};
  state.blocks = {{"parameters", posterior_.parameters}, {"root", posterior_.root}, {"noise", posterior_.noise}};
  if (!posterior_.head.empty()) state.blocks.push_back({"head", posterior_.head});
  return state;
}

void FittedBayesianNet::predict_member(const Tensor<float>& x, std::size_t m, Prediction& prediction) const {
  LinearisedNet net(layout_, posterior_.parameters.member(m));
  const auto size = static_cast<Eigen::Index>(posterior_.root.cols());
  const Matrix root = Eigen::Map<const Eigen::MatrixXf>(posterior_.root.member(m).data(), size, size).cast<double>();
  Vector head;
  if (!posterior_.head.empty())
    head = Eigen::Map<const Eigen::VectorXf>(posterior_.head.member(m).data(), size).cast<double>();
  Block block(posterior_.root.cols());
  const std::span<const float> rows = x.member(x.members() == 1 ? 0 : m);
  for (std::size_t first = 0; first < x.rows(); first += block_rows) {
    const std::size_t count = std::min(block_rows, x.rows() - first);
    block.fill(net, whole_network_, rows.subspan(first * x.cols(), count * x.cols()), x.cols());
    if (head.size() > 0) block.values = block.columns.transpose() * head;
    const Matrix projected = root.transpose() * block.columns;
    for (std::size_t i = 0; i < count; ++i) {
      const auto c = static_cast<Eigen::Index>(i);
      prediction.mean(m, first + i, 0) = static_cast<float>(block.values[c]);
      prediction.sigma_model(m, first + i, 0) = static_cast<float>(projected.col(c).norm());
      prediction.sigma_noise(m, first + i, 0) = posterior_.noise(m, 0, 0);
    }
  }
}

FittedPointer fit_bayesian_net(const BayesianNet& spec, const Cohort& cohort, Engine& engine,
                               const Progress& progress) {
  refuse_convolutions(spec.net.net, spec.origin);
  const engine::TrainPlan plan = regression_plan(spec.net, cohort, spec.origin);
  engine::Layout layout = engine::make_layout(plan.networks, plan.loss.kind);
  const std::size_t size = size_of(spec, layout);
  const std::size_t members = cohort.members();
  check_memory(size, members, engine.info().threads, spec.origin);
  Trained trained = train(plan, engine, progress);
  BayesianPosterior posterior{.parameters = std::move(trained.parameters),
                              .root = Tensor<float>(members, size, size),
                              .head = spec.new_head ? Tensor<float>(members, 1, size) : Tensor<float>(),
                              .noise = Tensor<float>(members, 1, 1)};
  per_member(members, engine.info().threads, "posterior", progress, [&](std::size_t m) {
    const BayesianLinear fit = posterior_of(spec, cohort, m, layout, posterior.parameters.member(m), size);
    std::copy_n(fit.root.data(), fit.root.size(), posterior.root.member(m).begin());
    if (spec.new_head) std::copy_n(fit.coefficients.data(), size, posterior.head.member(m).begin());
    posterior.noise(m, 0, 0) = static_cast<float>(1.0 / std::sqrt(fit.beta));
    trained.reports[m].diverged = trained.reports[m].diverged || !fit.valid;
  });
  return std::make_unique<FittedBayesianNet>(spec, std::move(layout), std::move(posterior), std::move(trained.reports),
                                             engine.info().threads);
}

FittedPointer restore_bayesian_net(const BayesianNet& spec, const FittedState& state, FitReports reports,
                                   Engine& engine) {
  refuse_convolutions(spec.net.net, spec.origin);
  const engine::Networks networks = regression_networks(spec.net, state.inputs, spec.origin);
  engine::Layout layout = engine::make_layout(networks, regression_loss(spec.net.learn_noise));
  const std::size_t size = size_of(spec, layout);
  const std::size_t members = reports.size();
  BayesianPosterior posterior{.parameters = state.block("parameters", {members, 1, layout.parameters}),
                              .root = state.block("root", {members, size, size}),
                              .head = spec.new_head ? state.block("head", {members, 1, size}) : Tensor<float>(),
                              .noise = state.block("noise", {members, 1, 1})};
  return std::make_unique<FittedBayesianNet>(spec, std::move(layout), std::move(posterior), std::move(reports),
                                             engine.info().threads);
}

}  // namespace nomu
