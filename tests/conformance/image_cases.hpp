#pragma once
// Networks with convolutions: each shape, pooling and place they can have, for the engines that have them.

#include <string>
#include <vector>

#include "conformance/cases.hpp"
#include "nomu/engine/engine.hpp"

namespace nomu::engine::testing {

/// Two convolutions on images of 2 x 6 x 8: one padded and pooled, one strided.
inline Front small_front(Pooling pooling = Pooling::max) {
  return {.image = {2, 6, 8},
          .windows = {{.filters = 5, .kernel = 3, .padding = 1, .pool = 2}, {.filters = 4, .kernel = 2, .stride = 2}},
          .pooling = pooling};
}

inline constexpr Shape image_shape(std::size_t members = 3, std::size_t rows = 11) {
  return {.members = members, .rows = rows, .inputs = 96, .hidden = {14, 9}};
}

/// The plan with the same convolutions before every net.
inline TrainPlan with_fronts(TrainPlan plan, const Front& front) {
  for (Net& net : plan.networks.nets) net.front = front;
  plan.networks.inputs = front.image.size();
  return plan;
}

inline TrainPlan image_plan(const Front& front, Gradient gradient, std::size_t members = 3) {
  Shape shape = image_shape(members);
  shape.inputs = front.image.size();
  return with_fronts(nomu_plan(shape, gradient), front);
}

/// Shapes and poolings.
inline std::vector<Case> front_cases() {
  const auto nomu = [](const Front& front) { return [front] { return image_plan(front, Gradient::coupled); }; };
  return {
      {"conv_max", nomu(small_front())},
      {"conv_average", nomu(small_front(Pooling::average))},
      {"conv_whole_map", nomu({.image = {1, 7, 5}, .windows = {{.filters = 6, .kernel = 3, .pool = 0}}})},
      {"conv_whole_map_average", nomu({.image = {3, 5, 4},
                                       .windows = {{.filters = 17, .kernel = 2, .padding = 1},
                                                   {.filters = 3, .kernel = 3, .stride = 2, .pool = 0}},
                                       .pooling = Pooling::average})},
      {"conv_of_one_pixel", nomu({.image = {4, 3, 3}, .windows = {{.filters = 20, .kernel = 1}}})},
      {"conv_whole_image", nomu({.image = {1, 5, 5}, .windows = {{.filters = 8, .kernel = 5}}})},
      {"conv_three", nomu({.image = {1, 12, 12},
                           .windows = {{.filters = 3, .kernel = 3, .padding = 1, .pool = 2},
                                       {.filters = 4, .kernel = 3, .padding = 1, .pool = 3},
                                       {.filters = 5, .kernel = 2}}})},
  };
}

/// Places: which nets have convolutions, what follows them, how they are trained.
inline std::vector<Case> image_cases() {
  const auto changed_plan = [](const std::function<void(TrainPlan&)>& change) {
    return [change] { return changed(image_plan(small_front(), Gradient::coupled), change); };
  };
  std::vector<Case> cases = front_cases();
  for (const Case& c : std::vector<Case>{
           {"conv_stopped", [] { return image_plan(small_front(Pooling::average), Gradient::stopped); }},
           {"conv_mean_only", changed_plan([](TrainPlan& p) { p.networks.nets[1].front = {}; })},
           {"conv_sigma_only", changed_plan([](TrainPlan& p) { p.networks.nets[0].front = {}; })},
           {"conv_beside_columns",
            [] {
              Shape shape = image_shape();
              shape.inputs = 99;
              return changed(nomu_plan(shape, Gradient::stopped), [](TrainPlan& p) {
                p.networks.nets[1].front = small_front();
                p.networks.nets[1].front.extra_columns = 3;
                p.networks.nets[1].links.push_back({.from_net = 0, .from_layer = 1, .to_layer = 0});
              });
            }},
           {"conv_frozen_mean", changed_plan([](TrainPlan& p) {
              p.networks.nets[0].trainable = false;
              p.loss.fit_mean = false;
            })},
           {"conv_before_head",
            [] {
              return changed(with_fronts(base_plan(image_shape()), small_front()),
                             [](TrainPlan& p) { p.networks.nets[0].hidden = {}; });
            }},
           {"conv_average_before_head",
            [] {
              return changed(with_fronts(base_plan(image_shape()), small_front(Pooling::average)),
                             [](TrainPlan& p) { p.networks.nets[0].hidden = {}; });
            }},
           {"conv_many_rows", [] { return with_fronts(base_plan(image_shape(2, 45)), small_front()); }},
           {"conv_tanh", changed_plan([](TrainPlan& p) {
              for (Net& net : p.networks.nets) net.activation = Activation::tanh;
            })},
           {"conv_softplus_average",
            [] {
              return changed(image_plan(small_front(Pooling::average), Gradient::coupled), [](TrainPlan& p) {
                for (Net& net : p.networks.nets) net.activation = Activation::softplus;
              });
            }},
           {"conv_clipped", changed_plan([](TrainPlan& p) { p.clip_norm = 0.2F; })},
           {"conv_batches", changed_plan([](TrainPlan& p) { p.train.batch_size = 4; })},
           {"conv_amsgrad_after", changed_plan([](TrainPlan& p) {
              p.train.amsgrad = true;
              p.train.snapshot = Snapshot::after_update;
            })},
           {"conv_dropout",
            [] {
              return changed(with_fronts(base_plan(image_shape()), small_front()), [](TrainPlan& p) {
                p.networks.nets[0].dropout = std::vector<float>{0.2F, 0.0F, 0.4F};
              });
            }},
           {"conv_dropout_tanh_average",
            [] {
              return changed(with_fronts(base_plan(image_shape()), small_front(Pooling::average)), [](TrainPlan& p) {
                p.networks.nets[0].dropout = 0.3F;
                p.networks.nets[0].activation = Activation::tanh;
              });
            }},
       }) {
    cases.push_back(c);
  }
  return cases;
}

/// Everything an engine can do: convolutions are the host's.
inline std::vector<Case> cases_of(const std::string& device) {
  std::vector<Case> cases = all_cases();
  if (device == "cuda") return cases;
  for (const Case& c : image_cases()) cases.push_back(c);
  return cases;
}

}  // namespace nomu::engine::testing
