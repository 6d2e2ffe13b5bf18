#include "engine/cpu/cpu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "core/subnormals.hpp"
#include "engine/cpu/kernels/isa.hpp"
#include "engine/cpu/predict.hpp"
#include "engine/cpu/roofline.hpp"
#include "engine/cpu/step.hpp"
#include "engine/passes.hpp"
#include "engine/preflight.hpp"
#include "nomu/core/error.hpp"

namespace nomu::engine::cpu {
namespace {

constexpr const char* where = "engine/cpu";

const GemmProvider& provider_for(const EngineOptions& options, const Kernels& kernels) {
  const GemmProvider* onednn = onednn_provider();
  if (options.provider == "eigen") return *kernels.eigen;
  if (options.provider != "auto" && options.provider != "onednn") {
    throw ConfigError(where, fmt::format("unknown provider '{}'; there are auto, onednn, eigen", options.provider));
  }
  if (onednn != nullptr) return *onednn;
  if (options.provider == "onednn") throw DeviceError(where, "built without oneDNN; use --provider eigen");
  return *kernels.eigen;
}

/// Number of rows in the largest step of any member.
std::size_t most_rows(const TrainPlan& plan) { return Batches(plan.train, plan.x.rows()).size + plan.augment.count; }

/// Bytes of a session: what every member stores, and the buffers of the steps in progress.
std::size_t session_bytes(const TrainPlan& plan, const Program& program, std::size_t threads) {
  const std::size_t copies = 3 + (plan.train.amsgrad ? 1 : 0) + (plan.train.snapshot == Snapshot::none ? 0 : 1);
  const std::size_t state = program.layout.parameters * copies * sizeof(float);
  const std::size_t data = plan.x.rows() * (plan.x.cols() + 3) * sizeof(float) * 2;
  const std::size_t members = plan.members();
  if (members != 0 && state + data > static_cast<std::size_t>(-1) / members / 2) return static_cast<std::size_t>(-1);
  const std::size_t alone = Workspace::bytes(program, most_rows(plan), threads);
  const std::size_t together = threads * Workspace::bytes(program, most_rows(plan), 1);
  return members * (state + data) + (members >= threads ? together : alone);
}

class CpuSession final : public Session {
 public:
  CpuSession(TrainPlan plan, Team& team, const Kernels& kernels, Multiply multiply)
      : plan_(std::move(plan)),
        program_(make_program(plan_)),
        team_(team),
        context_{plan_, program_, kernels, multiply} {
    check_start(plan_, program_.layout);
    members_.resize(plan_.members());
    for (std::size_t m = 0; m < members_.size(); ++m) {
      MemberState& member = members_[m];
      member.data = member_data(plan_, m);
      const std::vector<float> start = start_parameters(plan_, program_.layout, m);
      member.weight.assign(start.begin(), start.end());
      member.first.assign(start.size(), 0.0F);
      member.second.assign(start.size(), 0.0F);
      if (plan_.train.amsgrad) member.largest.assign(start.size(), 0.0F);
      if (plan_.train.snapshot != Snapshot::none) member.best = member.weight;
      reports_.emplace_back().seed = plan_.seeds[m];
    }
    plan_.x = plan_.y = plan_.row_weight = plan_.noise = plan_.start = {};  // the members have their own rows now
    refresh_squares();
  }

  void run(std::int64_t epochs, const std::stop_token& stop) override {
    const SingleThreaded scope;
    const FlushSubnormals flush;
    // Full rounds of one member per thread run side by side, without a barrier; each of the few members left over is
    // worked on by all threads together. Both ways compute the same pieces.
    const std::size_t threads = team_.size();
    const std::size_t side_by_side = members_.size() / threads * threads;
    if (side_by_side > 0) {
      prepare(alone_, threads, 1);
      team_.run(side_by_side,
                [&](std::size_t m, std::size_t worker) { train(m, epochs, stop, *alone_[worker], Runner()); });
    }
    if (side_by_side < members_.size()) prepare(together_, 1, threads);
    for (std::size_t m = side_by_side; m < members_.size(); ++m) train(m, epochs, stop, *together_[0], Runner(team_));
    if (stop.stop_requested()) throw Cancelled(where, "training was stopped on request");
  }

  [[nodiscard]] Tensor<float> forward(const Tensor<float>& x, DropoutPass dropout) const override {
    const SingleThreaded scope;
    const FlushSubnormals flush;
    PredictContext context{
        plan_.networks, program_.layout, context_.kernels, context_.multiply, dropout, plan_.seeds, {}};
    for (const MemberState& member : members_) context.parameters.emplace_back(final_parameters(member));
    return predict(context, x, Runner(team_));
  }

  [[nodiscard]] Tensor<float> parameters() const override {
    return collect([this](const MemberState& member) -> const Floats& { return final_parameters(member); });
  }

  [[nodiscard]] const std::vector<MemberReport>& reports() const override { return reports_; }

  [[nodiscard]] TrainState state() const override {
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

  void restore(const TrainState& state) override {
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
    }
    reports_ = state.reports;
    refresh_squares();
  }

 private:
  void prepare(std::vector<std::unique_ptr<Workspace>>& workspaces, std::size_t count, std::size_t workers) {
    while (workspaces.size() < count) workspaces.push_back(std::make_unique<Workspace>(context_, rows_, workers));
  }

  void train(std::size_t m, std::int64_t epochs, const std::stop_token& stop, Workspace& workspace,
             const Runner& runner) {
    Step step(context_, workspace, runner, members_[m]);
    const auto rate = static_cast<double>(plan_.learning_rate[m]);
    for (std::int64_t e = 0; e < epochs && reports_[m].active() && !stop.stop_requested(); ++e) {
      train_epoch(plan_.train, members_[m].data.rows, rate, reports_[m], members_[m].step, step, stop);
    }
  }

  void refresh_squares() {
    Workspace none(context_, 0, 1);
    for (MemberState& member : members_) Step(context_, none, Runner(), member).refresh_squares();
  }

  [[nodiscard]] const Floats& final_parameters(const MemberState& member) const {
    return plan_.train.snapshot == Snapshot::none ? member.weight : member.best;
  }

  template <class Part>
  [[nodiscard]] Tensor<float> collect(const Part& part) const {
    Tensor<float> out(members_.size(), 1, program_.layout.parameters);
    for (std::size_t m = 0; m < members_.size(); ++m) {
      const Floats& values = std::invoke(part, members_[m]);
      std::copy(values.begin(), values.end(), out.member(m).begin());
    }
    return out;
  }

  TrainPlan plan_;
  std::size_t rows_ = most_rows(plan_);
  Program program_;
  Team& team_;
  StepContext context_;
  std::vector<MemberState> members_;
  std::vector<MemberReport> reports_;
  std::vector<std::unique_ptr<Workspace>> alone_, together_;
};

class CpuEngine final : public Backend {
 public:
  explicit CpuEngine(const EngineOptions& options)
      : options_(options),
        kernels_(kernels_for(options.isa)),
        provider_(provider_for(options, kernels_)),
        team_(thread_count(options, where), keep_single_threaded) {}

  [[nodiscard]] EngineInfo info() const override { return cpu::info(options_); }

  [[nodiscard]] std::size_t memory_needed(const TrainPlan& plan) const override {
    check(plan);
    return session_bytes(plan, make_program(plan), team_.size());
  }

  [[nodiscard]] std::unique_ptr<Session> open(const TrainPlan& plan) override {
    require_memory(memory_needed(plan), plan.members(), "cpu");
    return std::make_unique<CpuSession>(plan, team_, kernels_, provider_.multiply);
  }

  [[nodiscard]] Tensor<float> predict(const Networks& networks, const Tensor<float>& parameters, const Tensor<float>& x,
                                      const DropoutPass& dropout, const std::vector<std::uint64_t>& seeds) override {
    const SingleThreaded scope;
    const FlushSubnormals flush;
    const Layout layout = checked_layout(networks, parameters, x);
    return each_pass(dropout, [&](const DropoutPass& pass) {
      PredictContext context{networks, layout, kernels_, provider_.multiply, pass, seeds, {}};
      for (std::size_t m = 0; m < parameters.members(); ++m) context.parameters.emplace_back(parameters.member(m));
      return cpu::predict(context, x, Runner(team_));
    });
  }

  [[nodiscard]] Roofline roofline(const TrainPlan& plan) override {
    const SingleThreaded scope;
    const FlushSubnormals flush;
    return measure_roofline(plan, make_program(plan), provider_.multiply, team_);
  }

 private:
  EngineOptions options_;
  const Kernels& kernels_;
  const GemmProvider& provider_;
  Team team_;
};

}  // namespace

EngineInfo info(const EngineOptions& options) {
  const Kernels& kernels = kernels_for(options.isa);
  return {.name = "cpu",
          .provider = provider_for(options, kernels).name,
          .isa = kernels.isa,
          .threads = static_cast<std::int64_t>(thread_count(options, where)),
          .device = processor_name(),
          .available = true,
          .note = ""};
}

std::unique_ptr<Backend> make(const EngineOptions& options) { return std::make_unique<CpuEngine>(options); }

}  // namespace nomu::engine::cpu
