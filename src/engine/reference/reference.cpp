#include "engine/reference/reference.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "engine/epoch.hpp"
#include "engine/member_data.hpp"
#include "engine/passes.hpp"
#include "engine/preflight.hpp"
#include "engine/reference/evaluate.hpp"
#include "engine/session.hpp"
#include "nomu/core/error.hpp"

namespace nomu::engine::reference {
namespace {

std::vector<double> widened(std::span<const float> values) { return {values.begin(), values.end()}; }

/// One member in training.
struct Member {
  MemberData data;
  std::vector<double> parameters, first, second, largest, best;
  std::uint32_t step = 0;
};

/// The step of the reference: evaluate, clip, Adam.
class Stepper {
 public:
  Stepper(const TrainPlan& plan, const Layout& layout, Member& member)
      : plan_(plan),
        layout_(layout),
        member_(member),
        problem_{&plan.networks, &layout, loss_settings<double>(plan.loss, member.data.index), plan.loss.reduction,
                 member.data.index} {}

  template <class Decide>
  void step(std::span<const std::uint32_t> order, std::uint32_t step, double rate, const Decide& decide) {
    const Masks masks{Masks::Kind::training, member_.data.seed, step};
    const Evaluation now = evaluate(problem_, member_.parameters, rows(order, step), masks);
    const Keep keep = decide(now.loss);
    if (keep == Keep::abandon) return;
    if (keep == Keep::before_update) keep_current();
    update(now.gradient, rate, static_cast<long>(step) + 1);
    if (keep == Keep::after_update) keep_current();
  }

  double loss_of_all_rows(std::uint32_t step) {
    std::vector<std::uint32_t> order(member_.data.rows);
    std::iota(order.begin(), order.end(), 0U);
    return evaluate(problem_, member_.parameters, rows(order, step), {}).loss;
  }

  void keep_current() { member_.best = member_.parameters; }

 private:
  [[nodiscard]] Rows rows(std::span<const std::uint32_t> order, std::uint32_t step) const {
    const MemberData& data = member_.data;
    const std::size_t d = plan_.networks.inputs;
    Rows rows{.data = order.size(), .augmented = plan_.augment.count, .x = {}, .y = {}, .weight = {}, .noise = {}};
    for (const std::uint32_t i : order) {
      rows.x.insert(rows.x.end(), data.x.begin() + static_cast<std::ptrdiff_t>(i * d),
                    data.x.begin() + static_cast<std::ptrdiff_t>((i + 1) * d));
      rows.y.push_back(static_cast<double>(data.y[i]));
      rows.weight.push_back(static_cast<double>(data.weight[i]));
      if (!data.noise.empty()) rows.noise.push_back(static_cast<double>(data.noise[i]));
    }
    std::vector<float> points(plan_.augment.count * d);
    draw_augmented(plan_.augment, data.index, data.seed, step, d, points.data());
    rows.x.insert(rows.x.end(), points.begin(), points.end());
    return rows;
  }

  void update(const std::vector<double>& gradient, double rate, long t) {
    const TrainSpec& spec = plan_.train;
    const AdamStep<double> adam_step{adam_rate(rate, spec.beta1, spec.beta2, t), spec.beta1, spec.beta2, spec.epsilon};
    for (const Layer& layer : layout_.layers) {
      if (!plan_.networks.nets[layer.net].trainable) continue;
      update_tensor(layer.weights, layer.fan_in() * layer.columns(), gradient, adam_step);
      update_tensor(layer.bias, layer.columns(), gradient, adam_step);
    }
  }

  void update_tensor(std::size_t offset, std::size_t count, const std::vector<double>& gradient,
                     const AdamStep<double>& a) {
    double squares = 0.0;
    for (std::size_t e = offset; e < offset + count; ++e) squares += gradient[e] * gradient[e];
    const auto clip = static_cast<double>(plan_.clip_norm[member_.data.index]);
    const double norm = std::sqrt(squares);
    const double factor = clip > 0.0 && norm > clip ? clip / norm : 1.0;
    for (std::size_t e = offset; e < offset + count; ++e) {
      const double g = factor * gradient[e];
      if (plan_.train.amsgrad) {
        amsgrad(a, g, member_.parameters[e], member_.first[e], member_.second[e], member_.largest[e]);
      } else {
        adam(a, g, member_.parameters[e], member_.first[e], member_.second[e]);
      }
    }
  }

  const TrainPlan& plan_;
  const Layout& layout_;
  Member& member_;
  Problem problem_;
};

Tensor<float> outputs(const Networks& networks, const Layout& layout, std::size_t members, const Tensor<float>& x,
                      DropoutPass dropout, const std::vector<std::uint64_t>& seeds, const auto& parameters_of) {
  Tensor<float> out(members, x.rows(), layout.outputs);
  for (std::size_t m = 0; m < members; ++m) {
    const Problem problem{&networks, &layout, {}, Reduction::sum, m};
    const Masks masks{dropout.active ? Masks::Kind::prediction : Masks::Kind::none, dropout.active ? seeds.at(m) : 0,
                      dropout.pass};
    const std::vector<double> rows = widened(x.member(x.members() == 1 ? 0 : m));
    const Activations hidden = forward(problem, parameters_of(m), rows, x.rows(), masks);
    for (std::size_t l = 0; l < layout.layers.size(); ++l) {
      const Layer& layer = layout.layers[l];
      if (!layer.head) continue;
      for (std::size_t i = 0; i < x.rows(); ++i) {
        for (std::size_t k = 0; k < layer.units; ++k) {
          out(m, i, layer.first_output + k) = static_cast<float>(hidden[l][i * layer.units + k]);
        }
      }
    }
  }
  return out;
}

class ReferenceSession final : public Session {
 public:
  explicit ReferenceSession(const TrainPlan& plan) : plan_(plan), layout_(make_layout(plan.networks, plan.loss.kind)) {
    check_start(plan, layout_);
    for (std::size_t m = 0; m < plan.members(); ++m) {
      Member member{
          .data = member_data(plan, m), .parameters = {}, .first = {}, .second = {}, .largest = {}, .best = {}};
      member.parameters = widened(start_parameters(plan, layout_, m));
      member.first.assign(layout_.parameters, 0.0);
      member.second = member.largest = member.first;
      member.best = member.parameters;
      members_.push_back(std::move(member));
      reports_.emplace_back().seed = plan.seeds[m];
    }
  }

  void run(std::int64_t epochs, const std::stop_token& stop) override {
    for (std::size_t m = 0; m < members_.size(); ++m) {
      Stepper stepper(plan_, layout_, members_[m]);
      const auto rate = static_cast<double>(plan_.learning_rate[m]);
      for (std::int64_t e = 0; e < epochs && reports_[m].active(); ++e) {
        train_epoch(plan_.train, members_[m].data.rows, rate, reports_[m], members_[m].step, stepper, stop);
        if (stop.stop_requested()) throw Cancelled("engine/reference", "training was stopped on request");
      }
    }
  }

  [[nodiscard]] Tensor<float> forward(const Tensor<float>& x, DropoutPass dropout) const override {
    return outputs(plan_.networks, layout_, members_.size(), x, dropout, plan_.seeds,
                   [this](std::size_t m) { return final_parameters(m); });
  }

  [[nodiscard]] Tensor<float> parameters() const override {
    Tensor<float> out(members_.size(), 1, layout_.parameters);
    for (std::size_t m = 0; m < members_.size(); ++m) narrow(final_parameters(m), out.member(m));
    return out;
  }

  [[nodiscard]] const std::vector<MemberReport>& reports() const override { return reports_; }

  [[nodiscard]] TrainState state() const override {
    TrainState state;
    const Tensor<float> blank(members_.size(), 1, layout_.parameters);
    state.parameters = state.first_moment = state.second_moment = state.largest_moment = state.best_parameters = blank;
    for (std::size_t m = 0; m < members_.size(); ++m) {
      const Member& member = members_[m];
      narrow(member.parameters, state.parameters.member(m));
      narrow(member.first, state.first_moment.member(m));
      narrow(member.second, state.second_moment.member(m));
      narrow(member.largest, state.largest_moment.member(m));
      narrow(member.best, state.best_parameters.member(m));
      state.steps.push_back(member.step);
    }
    state.reports = reports_;
    return state;
  }

  void restore(const TrainState& state) override {
    check_state(state, members_.size(), layout_.parameters);
    for (std::size_t m = 0; m < members_.size(); ++m) {
      Member& member = members_[m];
      member.parameters = widened(state.parameters.member(m));
      member.first = widened(state.first_moment.member(m));
      member.second = widened(state.second_moment.member(m));
      if (!state.largest_moment.empty()) member.largest = widened(state.largest_moment.member(m));
      if (!state.best_parameters.empty()) member.best = widened(state.best_parameters.member(m));
      member.step = state.steps[m];
    }
    reports_ = state.reports;
  }

 private:
  static void narrow(const std::vector<double>& from, std::span<float> to) {
    std::transform(from.begin(), from.end(), to.begin(), [](double v) { return static_cast<float>(v); });
  }

  [[nodiscard]] const std::vector<double>& final_parameters(std::size_t m) const {
    return plan_.train.snapshot == Snapshot::none ? members_[m].parameters : members_[m].best;
  }

  TrainPlan plan_;
  Layout layout_;
  std::vector<Member> members_;
  std::vector<MemberReport> reports_;
};

class ReferenceEngine final : public Backend {
 public:
  [[nodiscard]] EngineInfo info() const override { return reference::info(); }

  [[nodiscard]] std::size_t memory_needed(const TrainPlan& plan) const override {
    return plan.members() * make_layout(plan.networks, plan.loss.kind).parameters * 5 * sizeof(double);
  }

  [[nodiscard]] std::unique_ptr<Session> open(const TrainPlan& plan) override {
    check(plan);
    require_memory(memory_needed(plan), plan.members(), info().name);
    return std::make_unique<ReferenceSession>(plan);
  }

  [[nodiscard]] Tensor<float> predict(const Networks& networks, const Tensor<float>& parameters, const Tensor<float>& x,
                                      const DropoutPass& dropout, const std::vector<std::uint64_t>& seeds) override {
    const Layout layout = checked_layout(networks, parameters, x);
    return each_pass(dropout, [&](const DropoutPass& pass) {
      return outputs(networks, layout, parameters.members(), x, pass, seeds,
                     [&](std::size_t m) { return widened(parameters.member(m)); });
    });
  }
};

}  // namespace

EngineInfo info() {
  return {.name = "reference",
          .provider = "plain loops",
          .isa = "baseline",
          .threads = 1,
          .device = processor_name(),
          .available = true,
          .note = "double precision; the other engines are tested against it",
          .precision = "fp64"};
}

std::unique_ptr<Backend> make() { return std::make_unique<ReferenceEngine>(); }

}  // namespace nomu::engine::reference
