#pragma once
// The problems every engine is tried on: each loss, link, head, activation and way of training, small enough for the
// reference.

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "engine/plan.hpp"
#include "nomu/core/random.hpp"

namespace nomu::engine::testing {

struct Shape {
  std::size_t members = 3, rows = 20, inputs = 2;
  std::vector<std::size_t> hidden{24, 20};
};

inline Net mlp(const std::vector<std::size_t>& hidden, std::size_t outputs = 1) {
  Net net;
  net.hidden = hidden;
  net.outputs = outputs;
  net.init_scale = 0.4F;
  net.l2_hidden = 1e-3F;
  net.l2_output = 2e-3F;
  return net;
}

/// A smooth target on random rows; members differ in their rows and seeds.
inline TrainPlan base_plan(const Shape& shape, std::uint64_t first_seed = 11) {
  TrainPlan plan;
  plan.networks.inputs = shape.inputs;
  plan.networks.nets = {mlp(shape.hidden)};
  plan.x = Tensor<float>(shape.members, shape.rows, shape.inputs);
  plan.y = Tensor<float>(shape.members, shape.rows, 1);
  for (std::size_t m = 0; m < shape.members; ++m) {
    plan.seeds.push_back(first_seed + m);
    Random random(first_seed + m, 7);
    for (std::size_t i = 0; i < shape.rows; ++i) {
      double target = 0.3;
      for (float& value : plan.x.row(m, i)) {
        value = static_cast<float>(random.uniform(-1.0, 1.0));
        target += std::sin(3.0 * static_cast<double>(value));
      }
      plan.y(m, i, 0) = static_cast<float>(target);
    }
  }
  plan.train.epochs = 60;
  plan.learning_rate = 2e-3F;
  return plan;
}

inline void add_box(TrainPlan& plan, AugmentKind kind, std::size_t count) {
  plan.augment.kind = kind;
  plan.augment.count = count;
  plan.augment.box = Tensor<float>(1, 2, plan.networks.inputs, 1.1F);
  for (float& low : plan.augment.box.row(0, 0)) low = -1.1F;
}

/// The NOMU pair: mean net, sigma net, link from the last hidden layer into the sigma head.
inline TrainPlan nomu_plan(const Shape& shape, Gradient gradient, LossKind kind = LossKind::nomu,
                           std::size_t augmented = 24) {
  TrainPlan plan = base_plan(shape);
  plan.networks.nets[0].outputs = kind == LossKind::nomu_noise ? 2 : 1;
  Net sigma = mlp(shape.hidden);
  sigma.links = {
      {.from_net = 0, .from_layer = shape.hidden.size() - 1, .to_layer = shape.hidden.size(), .gradient = gradient}};
  plan.networks.nets.push_back(sigma);
  plan.loss.kind = kind;
  plan.loss.c_exp = 5.0F;
  plan.loss.mu_exp = 0.5F;
  add_box(plan, AugmentKind::uniform, augmented);
  if (kind == LossKind::nomu_known) plan.noise = Tensor<float>(shape.members, shape.rows, 1, 0.7F);
  return plan;
}

inline TrainPlan directed_plan(const Shape& shape, LossKind kind = LossKind::directed) {
  TrainPlan plan = base_plan(shape);
  plan.networks.nets.push_back(mlp(shape.hidden));
  if (kind == LossKind::directed) plan.networks.nets.push_back(mlp(shape.hidden));
  plan.loss.kind = kind;
  plan.loss.c_exp = 3.0F;
  plan.loss.mu_exp = 0.5F;
  add_box(plan, AugmentKind::uniform, 24);
  return plan;
}

struct Case {
  std::string name;
  std::function<TrainPlan()> make;
};

inline TrainPlan changed(TrainPlan plan, const std::function<void(TrainPlan&)>& change) {
  change(plan);
  return plan;
}

/// Each loss, link and head.
inline std::vector<Case> loss_cases() {
  const Shape shape;
  return {
      {"squared_error", [=] { return base_plan(shape); }},
      {"mean_squared_error",
       [=] { return changed(base_plan(shape), [](TrainPlan& p) { p.loss.reduction = Reduction::mean; }); }},
      {"gaussian_nll",
       [=] {
         return changed(base_plan(shape), [](TrainPlan& p) {
           p.networks.nets[0].outputs = 2;
           p.loss.kind = LossKind::gaussian_nll;
         });
       }},
      {"nomu_coupled", [=] { return nomu_plan(shape, Gradient::coupled); }},
      {"nomu_stopped", [=] { return nomu_plan(shape, Gradient::stopped); }},
      {"nomu_stable",
       [=] { return changed(nomu_plan(shape, Gradient::coupled), [](TrainPlan& p) { p.loss.stable = true; }); }},
      {"nomu_noise", [=] { return nomu_plan(shape, Gradient::coupled, LossKind::nomu_noise); }},
      {"nomu_noise_stopped", [=] { return nomu_plan(shape, Gradient::stopped, LossKind::nomu_noise); }},
      {"nomu_known", [=] { return nomu_plan(shape, Gradient::coupled, LossKind::nomu_known); }},
      {"directed", [=] { return directed_plan(shape); }},
      {"directed_upper", [=] { return directed_plan(shape, LossKind::directed_upper); }},
      {"directed_lower", [=] { return directed_plan(shape, LossKind::directed_lower); }},
      {"directed_as_printed",
       [=] { return changed(directed_plan(shape), [](TrainPlan& p) { p.loss.around_mean = false; }); }},
      {"earlier_links_coupled",
       [=] {
         return changed(nomu_plan(shape, Gradient::coupled), [](TrainPlan& p) {
           p.networks.nets[1].links.push_back(
               {.from_net = 0, .from_layer = 0, .to_layer = 2, .gradient = Gradient::coupled});
           p.networks.nets[1].links.push_back(
               {.from_net = 0, .from_layer = 0, .to_layer = 1, .gradient = Gradient::coupled});
         });
       }},
      {"earlier_links_stopped",
       [=] {
         return changed(nomu_plan(shape, Gradient::stopped), [](TrainPlan& p) {
           p.networks.nets[1].links.push_back(
               {.from_net = 0, .from_layer = 0, .to_layer = 1, .gradient = Gradient::stopped});
         });
       }},
      {"frozen_mean",
       [=] {
         return changed(nomu_plan(shape, Gradient::coupled), [](TrainPlan& p) {
           p.networks.nets[0].trainable = false;
           p.loss.fit_mean = false;
         });
       }},
      {"frozen_sigma",
       [=] {
         return changed(nomu_plan(shape, Gradient::coupled),
                        [](TrainPlan& p) { p.networks.nets[1].trainable = false; });
       }},
      {"no_hidden_layer",
       [=] { return changed(base_plan(shape), [](TrainPlan& p) { p.networks.nets[0].hidden = {}; }); }},
  };
}

/// Each activation and each shape that takes a path of its own: few rows, wide layers, many inputs, many rows.
inline std::vector<Case> shape_cases() {
  const auto with = [](Activation activation) {
    return [activation] {
      return changed(nomu_plan({}, Gradient::coupled), [activation](TrainPlan& p) {
        for (Net& net : p.networks.nets) net.activation = activation;
      });
    };
  };
  const auto wide = [](const std::vector<std::size_t>& hidden, Gradient gradient) {
    return changed(nomu_plan({.members = 1, .rows = 20, .inputs = 2, .hidden = hidden}, gradient), [](TrainPlan& p) {
      for (Net& net : p.networks.nets) net.init_scale = 0.1F;  // wider sums: a smaller start keeps e^{-c r} in range
    });
  };
  return {
      {"tanh", with(Activation::tanh)},
      {"softplus", with(Activation::softplus)},
      {"identity", with(Activation::identity)},
      {"few_rows",
       [] {
         return base_plan({.members = 2, .rows = 8, .inputs = 1, .hidden = {40, 70, 30}});
       }},
      {"odd_few_rows",
       [] {
         return base_plan({.members = 2, .rows = 13, .inputs = 3, .hidden = {33, 17}});
       }},
      {"few_rows_stopped",
       [] {
         return nomu_plan({.members = 2, .rows = 8, .inputs = 1, .hidden = {48, 40}}, Gradient::stopped);
       }},
      {"wide",
       [=] {
         return wide({300, 270}, Gradient::coupled);
       }},
      {"wide_multiples_of_64",
       [=] {
         return wide({256, 320}, Gradient::stopped);
       }},
      {"wide_many_rows",
       [=] {
         return changed(wide({128, 256}, Gradient::coupled), [](TrainPlan& p) { p.augment.count = 277; });
       }},
      {"many_inputs",
       [] { return nomu_plan({.members = 2, .rows = 30, .inputs = 40, .hidden = {24}}, Gradient::stopped); }},
      {"many_rows",
       [] {
         return nomu_plan({.members = 1, .rows = 900, .inputs = 2, .hidden = {24, 18}}, Gradient::coupled);
       }},
  };
}

/// Each way of training.
inline std::vector<Case> training_cases() {
  const Shape shape;
  const auto nomu = [=](const std::function<void(TrainPlan&)>& change) {
    return [=] { return changed(nomu_plan(shape, Gradient::coupled), change); };
  };
  const auto with_points = [=](AugmentKind kind, std::size_t points) {
    return [=] {
      return changed(nomu_plan(shape, Gradient::coupled), [=](TrainPlan& p) {
        p.augment = {};
        p.augment.kind = kind;
        p.augment.count = 16;
        p.augment.points = Tensor<float>(1, points, 2);
        Random random(3);
        for (float& value : p.augment.points.flat()) value = static_cast<float>(random.uniform(-1.0, 1.0));
      });
    };
  };
  return {
      {"amsgrad", nomu([](TrainPlan& p) { p.train.amsgrad = true; })},
      {"clipped", nomu([](TrainPlan& p) { p.clip_norm = 0.05F; })},
      {"loosely_clipped", nomu([](TrainPlan& p) { p.clip_norm = 1000.0F; })},
      {"clipped_few_rows",
       [] {
         return changed(base_plan({.members = 2, .rows = 8, .inputs = 1, .hidden = {40, 70}}),
                        [](TrainPlan& p) { p.clip_norm = 0.3F; });
       }},
      {"cosine", nomu([](TrainPlan& p) {
         p.train.schedule = Schedule::cosine;
         p.train.final_rate = 0.1;
       })},
      {"batches", nomu([](TrainPlan& p) {
         p.train.batch_size = 7;
         p.train.snapshot = Snapshot::after_update;
       })},
      {"batches_exact", nomu([](TrainPlan& p) {
         p.train.batch_size = 7;
         p.train.snapshot = Snapshot::exact;
       })},
      {"batches_mean_exact",
       [=] {
         return changed(base_plan(shape), [](TrainPlan& p) {
           p.train.batch_size = 6;
           p.loss.reduction = Reduction::mean;
         });
       }},
      {"drop_remainder", nomu([](TrainPlan& p) {
         p.train.batch_size = 7;
         p.train.drop_remainder = true;
       })},
      {"snapshot_after", nomu([](TrainPlan& p) { p.train.snapshot = Snapshot::after_update; })},
      {"no_snapshot", nomu([](TrainPlan& p) { p.train.snapshot = Snapshot::none; })},
      {"row_weights", nomu([](TrainPlan& p) {
         p.row_weight = Tensor<float>(p.members(), p.x.rows(), 1, 1.0F);
         for (std::size_t i = 0; i < p.x.rows(); ++i) p.row_weight(0, i, 0) = 0.25F * static_cast<float>(i % 5);
       })},
      {"dropout",
       [=] {
         return changed(base_plan(shape), [](TrainPlan& p) {
           p.networks.nets[0].dropout = std::vector<float>{0.2F, 0.0F, 0.5F};
           p.loss.reduction = Reduction::mean;
         });
       }},
      {"dropout_tanh",
       [=] {
         return changed(base_plan(shape), [](TrainPlan& p) {
           p.networks.nets[0].dropout = 0.3F;
           p.networks.nets[0].activation = Activation::tanh;
         });
       }},
      {"dropout_by_layer",
       [=] {
         return changed(base_plan(shape), [](TrainPlan& p) {
           p.networks.nets[0].dropout_layers.assign(p.networks.nets[0].hidden.size(), 0.4F);
           p.networks.nets[0].dropout_layers[0] = std::vector<float>{0.1F, 0.0F, 0.3F};
         });
       }},
      {"low_discrepancy", nomu([](TrainPlan& p) { p.augment.kind = AugmentKind::low_discrepancy; })},
      {"fixed_points", with_points(AugmentKind::fixed, 16)},
      {"pool_of_points", with_points(AugmentKind::pool, 50)},
      {"per_member", nomu([](TrainPlan& p) {
         p.loss.mu_sqr = std::vector<float>{0.1F, 0.5F, 1.0F};
         p.loss.mu_exp = std::vector<float>{0.5F, 0.2F, 0.1F};
         p.loss.c_exp = std::vector<float>{5.0F, 3.0F, 8.0F};
         p.learning_rate = std::vector<float>{1e-3F, 3e-3F, 5e-4F};
         p.networks.nets[1].l2_hidden = std::vector<float>{0.0F, 1e-2F, 1e-4F};
       })},
  };
}

inline std::vector<Case> all_cases() {
  std::vector<Case> cases = loss_cases();
  for (const Case& c : shape_cases()) cases.push_back(c);
  for (const Case& c : training_cases()) cases.push_back(c);
  return cases;
}

}  // namespace nomu::engine::testing
