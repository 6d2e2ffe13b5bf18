// The reference's gradient of every loss, link, head and activation against finite differences, in double precision.

#include <gtest/gtest.h>

#include <cmath>

#include "conformance/image_cases.hpp"
#include "engine/member_data.hpp"
#include "engine/preflight.hpp"
#include "engine/reference/evaluate.hpp"

namespace nomu::engine::testing {
namespace {

using reference::evaluate;
using reference::Masks;
using reference::Problem;
using reference::Rows;

struct Trial {
  TrainPlan plan;
  Layout layout;
  Rows rows;
  std::vector<double> parameters;
  Masks masks;

  explicit Trial(TrainPlan p) : plan(std::move(p)), layout(make_layout(plan.networks, plan.loss.kind)) {
    const MemberData data = member_data(plan, 0);
    rows.data = data.rows;
    rows.augmented = plan.augment.count;
    rows.x.assign(data.x.begin(), data.x.end());
    rows.y.assign(data.y.begin(), data.y.end());
    rows.weight.assign(data.weight.begin(), data.weight.end());
    rows.noise.assign(data.noise.begin(), data.noise.end());
    std::vector<float> points(rows.augmented * plan.networks.inputs);
    draw_augmented(plan.augment, 0, plan.seeds[0], 0, plan.networks.inputs, points.data());
    rows.x.insert(rows.x.end(), points.begin(), points.end());
    const std::vector<float> start = start_parameters(plan, layout, 0);
    parameters.assign(start.begin(), start.end());
    masks = {Masks::Kind::training, plan.seeds[0], 0};
  }

  [[nodiscard]] Problem problem() const {
    return {&plan.networks, &layout, loss_settings<double>(plan.loss, 0), plan.loss.reduction, 0};
  }
};

/// Directional derivative along a random direction within one tensor, by the gradient and by central differences.
void expect_slope(const Trial& s, const std::vector<double>& gradient, std::size_t offset, std::size_t count,
                  const std::string& name) {
  Random random(offset + 5);
  std::vector<double> direction(count);
  for (double& d : direction) d = random.normal() / std::sqrt(static_cast<double>(count));
  double expected = 0.0;
  for (std::size_t i = 0; i < count; ++i) expected += gradient[offset + i] * direction[i];
  constexpr double h = 1e-6;
  double value[2];
  for (const int side : {0, 1}) {
    std::vector<double> moved = s.parameters;
    for (std::size_t i = 0; i < count; ++i) moved[offset + i] += (side == 0 ? -h : h) * direction[i];
    value[side] = evaluate(s.problem(), moved, s.rows, s.masks).loss;
  }
  const double measured = (value[1] - value[0]) / (2.0 * h);
  EXPECT_NEAR(expected, measured, 1e-6 * (1.0 + std::abs(measured))) << name;
}

/// Nets whose values enter the loss somewhere without a gradient: a stopped link's source, the directed mean.
bool partly_detached(const TrainPlan& plan, std::size_t net) {
  const bool directed = plan.loss.kind == LossKind::directed || plan.loss.kind == LossKind::directed_upper ||
                        plan.loss.kind == LossKind::directed_lower;
  if (directed && plan.loss.around_mean && net == 0) return true;
  for (const Net& other : plan.networks.nets) {
    for (const Link& link : other.links) {
      if (link.from_net == net && link.gradient == Gradient::stopped) return true;
    }
  }
  return false;
}

void check_all_tensors(const Trial& s, bool detached) {
  const std::vector<double> gradient = evaluate(s.problem(), s.parameters, s.rows, s.masks).gradient;
  for (const Layer& layer : s.layout.layers) {
    if (partly_detached(s.plan, layer.net) != detached || !s.plan.networks.nets[layer.net].trainable) continue;
    const std::string name = "net " + std::to_string(layer.net) + " layer " + std::to_string(layer.depth);
    expect_slope(s, gradient, layer.weights, layer.fan_in() * layer.columns(), name + " weights");
    expect_slope(s, gradient, layer.bias, layer.columns(), name + " bias");
  }
}

TEST(Gradient, AgreesWithFiniteDifferences) {
  for (const Case& c : cases_of("reference")) {
    if (c.name.find("many_rows") != std::string::npos || c.name == "wide") continue;  // only slower than smaller cases
    SCOPED_TRACE(c.name);
    check_all_tensors(Trial(c.make()), false);
  }
}

TEST(Gradient, DetachedNetsSeeOnlyTheirOwnTerm) {
  for (const Case& c : cases_of("reference")) {
    TrainPlan plan = c.make();
    if (!partly_detached(plan, 0)) continue;
    SCOPED_TRACE(c.name);
    const Trial whole(plan);
    const std::vector<double> gradient = evaluate(whole.problem(), whole.parameters, whole.rows, whole.masks).gradient;
    // Without terms (b) and (c) nothing is detached any more: the mean net's gradient must be the same as with them,
    // except that learned noise also enters term (b).
    plan.loss.mu_exp = 0.0F;
    if (plan.loss.kind != LossKind::nomu_noise) plan.loss.mu_sqr = 0.0F;
    Trial own(plan);
    const std::vector<double> alone = evaluate(own.problem(), own.parameters, own.rows, own.masks).gradient;
    for (const Layer& layer : whole.layout.layers) {
      if (layer.net != 0) continue;
      for (std::size_t i = 0; i < layer.fan_in() * layer.columns(); ++i) {
        ASSERT_DOUBLE_EQ(gradient[layer.weights + i], alone[layer.weights + i]);
      }
    }
    if (plan.loss.kind != LossKind::nomu_noise) check_all_tensors(own, true);
  }
}

TEST(Gradient, StableLossHasBoundedSlopes) {
  const LossSettings<double> s{LossKind::nomu, true, true, 1e-6, 0.1, 0.01, 30.0, true};
  const double out[2] = {0.0, -50.0};
  EXPECT_DOUBLE_EQ(augmented_loss(s, out).value, 0.01 * (1.0 + 30.0 * 50.0));
  EXPECT_DOUBLE_EQ(augmented_loss(s, out).slope[1], -0.3);
  EXPECT_DOUBLE_EQ(data_loss(s, out, 0.0, 1.0).value, 0.1 * 99.0);
  EXPECT_DOUBLE_EQ(data_loss(s, out, 0.0, 1.0).slope[1], -0.2);
}

}  // namespace
}  // namespace nomu::engine::testing
