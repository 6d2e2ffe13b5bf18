#include "engine/benchmark.hpp"

#include <algorithm>
#include <chrono>

#include "engine/backend.hpp"
#include "engine/plan.hpp"
#include "engine/session.hpp"
#include "nomu/core/random.hpp"

namespace nomu {
namespace {

using engine::TrainPlan;

engine::Net network(const BenchmarkSpec& spec) {
  engine::Net net;
  for (const std::int64_t units : spec.hidden) net.hidden.push_back(static_cast<std::size_t>(units));
  net.l2_hidden = net.l2_output = 1e-8F;
  net.dropout = static_cast<float>(spec.dropout);
  return net;
}

Snapshot snapshot_of(BenchmarkSpec::Kept kept) {
  switch (kept) {
    case BenchmarkSpec::Kept::last: return Snapshot::none;
    case BenchmarkSpec::Kept::after_update: return Snapshot::after_update;
    case BenchmarkSpec::Kept::exact: break;
  }
  return Snapshot::exact;
}

TrainPlan plan_of(const BenchmarkSpec& spec) {
  TrainPlan plan;
  const auto members = static_cast<std::size_t>(spec.members);
  const auto rows = static_cast<std::size_t>(spec.rows);
  plan.networks.inputs = static_cast<std::size_t>(spec.inputs);
  plan.networks.nets = {network(spec)};
  plan.x = Tensor<float>(members, rows, plan.networks.inputs);
  plan.y = Tensor<float>(members, rows, 1);
  Random random(1);
  for (float& value : plan.x.flat()) value = static_cast<float>(random.uniform(-1.0, 1.0));
  for (float& value : plan.y.flat()) value = static_cast<float>(random.uniform(-1.0, 1.0));
  for (std::size_t m = 0; m < members; ++m) plan.seeds.push_back(m + 1);
  plan.train.snapshot = snapshot_of(spec.snapshot);
  plan.train.batch_size = spec.batch_size;
  plan.clip_norm = static_cast<float>(spec.clip_norm);
  plan.train.epochs = spec.steps * (spec.repeats + 1);
  if (spec.method == BenchmarkSpec::Method::mlp) {
    plan.loss.reduction = Reduction::mean;
    return plan;
  }
  engine::Net sigma = network(spec);
  const std::size_t depth = sigma.hidden.size();
  const bool stopped = spec.gradient == BenchmarkSpec::Link::stopped;
  if (depth > 0) sigma.links = {{0, depth - 1, depth, stopped ? Gradient::stopped : Gradient::coupled}};
  plan.networks.nets.push_back(sigma);
  plan.loss.kind = LossKind::nomu;
  plan.augment.kind = engine::AugmentKind::uniform;
  plan.augment.count = static_cast<std::size_t>(spec.augment);
  plan.augment.box = Tensor<float>(1, 2, plan.networks.inputs, 1.1F);
  for (float& low : plan.augment.box.row(0, 0)) low = -1.1F;
  return plan;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

Fields fields_of(BenchmarkSpec& spec) {
  Fields f("engine/benchmark");
  f.add("name", spec.name, "short name of the case");
  f.add("title", spec.title, "what the case represents");
  f.add_choice("method", spec.method, {"nomu", "mlp"}, "the NOMU pair or one plain network");
  f.add_choice("gradient", spec.gradient, {"coupled", "stopped"}, "whether the sigma loss reaches the mean network");
  f.add("inputs", spec.inputs, Range::at_least(1), "input columns");
  f.add("hidden", spec.hidden, Range::at_least(1), "sizes of the hidden layers");
  f.add("rows", spec.rows, Range::at_least(1), "training rows");
  f.add("augment", spec.augment, Range::at_least(0), "artificial points per step");
  f.add("batch_size", spec.batch_size, Range::at_least(0), "rows per step; 0: all");
  f.add("dropout", spec.dropout, Range::between(0.0, 0.99), "share of hidden units that a step leaves out");
  f.add("clip_norm", spec.clip_norm, Range::at_least(0.0), "largest norm of a tensor's gradient; 0: no limit");
  f.add_choice("snapshot", spec.snapshot, {"none", "after_update", "exact"}, "which parameters are kept");
  f.add("members", spec.members, Range::at_least(1), "networks (pairs) trained in lock step");
  f.add("steps", spec.steps, Range::at_least(1), "epochs of one repeat; without batches, steps");
  f.add("repeats", spec.repeats, Range::at_least(1), "timed repeats");
  return f;
}

BenchmarkReport run_benchmark(const BenchmarkSpec& spec, Engine& engine, const Progress& progress) {
  using Clock = std::chrono::steady_clock;
  const TrainPlan plan = plan_of(spec);
  engine::Backend& backend = engine::backend(engine);
  BenchmarkReport report{.engine = engine.info(), .memory_bytes = backend.memory_needed(plan)};
  const auto session = backend.open(plan);
  session->run(spec.steps, progress.stop);  // warm-up: page faults, code generation, caches
  std::vector<double> steps;
  std::vector<double> products;
  std::vector<double> state;
  const std::int64_t batch = spec.batch_size == 0 ? spec.rows : std::min(spec.batch_size, spec.rows);
  const std::int64_t batches = (spec.rows + batch - 1) / batch;
  const double networks = static_cast<double>(spec.members) * static_cast<double>(spec.steps * batches);
  for (std::int64_t r = 0; r < spec.repeats; ++r) {
    const auto begin = Clock::now();
    session->run(spec.steps, progress.stop);
    steps.push_back(std::chrono::duration<double>(Clock::now() - begin).count() / networks);
    const engine::Roofline bound = backend.roofline(plan);
    products.push_back(bound.products_seconds);
    state.push_back(bound.state_seconds);
    if (progress.report) progress.report({.stage = "bench", .done = r + 1, .total = spec.repeats});
  }
  const engine::Layout layout = engine::make_layout(plan.networks, plan.loss.kind);
  const double flops =
      engine::flops_per_step(layout, static_cast<std::size_t>(batch), plan.augment.count, plan.networks);
  report.us_per_network_step = median(steps) * 1e6;
  report.gflops = flops / median(steps) * 1e-9;
  report.products_us = median(products) * 1e6;
  report.state_us = median(state) * 1e6;
  report.roofline_us = report.products_us + report.state_us;
  report.last_loss = session->reports().front().last_loss;
  return report;
}

}  // namespace nomu
