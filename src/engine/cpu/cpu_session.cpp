#include "engine/cpu/cpu_session.hpp"

#include <algorithm>
#include <functional>

#include "core/subnormals.hpp"
#include "engine/cpu/predict.hpp"
#include "engine/cpu/slices.hpp"
#include "engine/preflight.hpp"
#include "nomu/core/error.hpp"

namespace nomu::engine::cpu {
namespace {

/// The plan without its rows and starting points: those of a large cohort are worth not copying.
TrainPlan without_rows(const TrainPlan& plan) {
  return {.networks = plan.networks,
          .loss = plan.loss,
          .augment = plan.augment,
          .train = plan.train,
          .learning_rate = plan.learning_rate,
          .clip_norm = plan.clip_norm,
          .x = {},
          .y = {},
          .row_weight = {},
          .noise = {},
          .start = {},
          .goes_on = plan.goes_on,
          .seeds = plan.seeds};
}

}  // namespace

std::size_t most_rows(const TrainPlan& plan) { return Batches(plan.train, plan.x.rows()).size + plan.augment.count; }

std::size_t session_bytes(const TrainPlan& plan, const Program& program, std::size_t threads) {
  const std::size_t copies = 3 + (plan.train.amsgrad ? 1 : 0) + (plan.train.snapshot == Snapshot::none ? 0 : 1);
  const std::size_t state = program.layout.parameters * copies * sizeof(float);
  const std::size_t data = plan.x.rows() * (plan.x.cols() + 3) * sizeof(float);
  const std::size_t members = plan.members();
  if (members != 0 && state + data > static_cast<std::size_t>(-1) / members / 2) return static_cast<std::size_t>(-1);
  const std::size_t rows = most_rows(plan);
  const Crews crews = divide(members, threads, step_cost(plan, program, rows));
  return members * (state + data) + crews.count * Workspace::bytes(program, rows, crews.threads);
}

CpuSession::CpuSession(const TrainPlan& plan, Team& team, const Kernels& kernels, Multiply multiply)
    : plan_(without_rows(plan)),
      rows_(most_rows(plan)),
      program_(make_program(plan_)),
      team_(team),
      context_{plan_, program_, kernels, multiply},
      crews_(divide(plan.members(), team.size(), step_cost(plan, program_, rows_))),
      members_(plan.members()),
      workspaces_(crews_.count) {
  check_start(plan, program_.layout);
  for (const std::uint64_t seed : plan_.seeds) reports_.emplace_back().seed = seed;
  team_.split(crews_.count, [&](std::size_t crew, const Runner& /*threads*/) {
    for (std::size_t m = 0; m < members_.size(); ++m) {
      if (home_of(m, crews_.count) == crew) members_[m] = first_state(plan, m);
    }
  });
}

MemberState CpuSession::first_state(const TrainPlan& plan, std::size_t m) const {
  MemberState member;
  member.data = member_data(plan, m);
  const std::vector<float> start = start_parameters(plan, program_.layout, m);
  member.weight.assign(start.begin(), start.end());
  member.first.assign(start.size(), 0.0F);
  member.second.assign(start.size(), 0.0F);
  if (plan.train.amsgrad) member.largest.assign(start.size(), 0.0F);
  if (plan.train.snapshot != Snapshot::none) member.best = member.weight;
  refresh_squares(member);
  return member;
}

void CpuSession::run(std::int64_t epochs, const std::stop_token& stop) {
  const SingleThreaded scope;
  Slices slices(members_.size(), epochs, crews_.count);
  team_.split(crews_.count, [&](std::size_t crew, const Runner& all) {
    const Runner runner = all.limited(crews_.threads);
    std::unique_ptr<Workspace>& workspace = workspaces_[crew];
    if (!workspace) workspace = std::make_unique<Workspace>(context_, rows_, crews_.threads);
    while (const auto slice = slices.next(crew)) train(slice->member, slice->epochs, stop, *workspace, runner);
  });
  if (stop.stop_requested()) throw Cancelled("engine/cpu", "training was stopped on request");
}

void CpuSession::train(std::size_t m, std::int64_t epochs, const std::stop_token& stop, Workspace& workspace,
                       const Runner& runner) {
  Step step(context_, workspace, runner, members_[m]);
  const auto rate = static_cast<double>(plan_.learning_rate[m]);
  for (std::int64_t e = 0; e < epochs && reports_[m].active() && !stop.stop_requested(); ++e) {
    train_epoch(plan_.train, members_[m].data.rows, rate, reports_[m], members_[m].step, step, stop);
  }
}

Tensor<float> CpuSession::forward(const Tensor<float>& x, DropoutPass dropout) const {
  const SingleThreaded scope;
  PredictContext context{
      plan_.networks, program_.layout, context_.kernels, context_.multiply, dropout, plan_.seeds, {}};
  for (const MemberState& member : members_) context.parameters.emplace_back(final_parameters(member));
  return predict(context, x, team_);
}

Tensor<float> CpuSession::parameters() const {
  return collect([this](const MemberState& member) -> const Floats& { return final_parameters(member); });
}

TrainState CpuSession::state() const {
  TrainState state{.parameters = collect(&MemberState::weight),
                   .first_moment = collect(&MemberState::first),
                   .second_moment = collect(&MemberState::second),
                   .largest_moment = {},
                   .best_parameters = {},
                   .steps = {},
                   .reports = reports_};
  if (plan_.train.amsgrad) state.largest_moment = collect(&MemberState::largest);
  if (plan_.train.snapshot != Snapshot::none) state.best_parameters = collect(&MemberState::best);
  for (const MemberState& member : members_) state.steps.push_back(member.step);
  return state;
}

void CpuSession::restore(const TrainState& state) {
  check_state(state, members_.size(), program_.layout.parameters);
  const auto load = [](const Tensor<float>& from, std::size_t m, Floats& to) {
    if (!from.empty() && !to.empty()) std::copy(from.member(m).begin(), from.member(m).end(), to.begin());
  };
  for (std::size_t m = 0; m < members_.size(); ++m) {
    load(state.parameters, m, members_[m].weight);
    load(state.first_moment, m, members_[m].first);
    load(state.second_moment, m, members_[m].second);
    load(state.largest_moment, m, members_[m].largest);
    load(state.best_parameters, m, members_[m].best);
    members_[m].step = state.steps[m];
    refresh_squares(members_[m]);
  }
  reports_ = state.reports;
}

void CpuSession::refresh_squares(MemberState& member) const {
  const FlushSubnormals flush;
  Workspace none(context_, 0, 1);
  Step(context_, none, Runner(), member).refresh_squares();
}

const Floats& CpuSession::final_parameters(const MemberState& member) const {
  return plan_.train.snapshot == Snapshot::none ? member.weight : member.best;
}

template <class Part>
Tensor<float> CpuSession::collect(const Part& part) const {
  Tensor<float> out(members_.size(), 1, program_.layout.parameters);
  for (std::size_t m = 0; m < members_.size(); ++m) {
    const Floats& values = std::invoke(part, members_[m]);
    std::copy(values.begin(), values.end(), out.member(m).begin());
  }
  return out;
}

}  // namespace nomu::engine::cpu
