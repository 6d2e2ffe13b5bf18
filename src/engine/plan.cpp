#include "engine/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/team.hpp"
#include "nomu/core/error.hpp"

namespace nomu::engine {
namespace {

constexpr const char* where = "engine/plan";

template <class... Args>
void require(bool condition, fmt::format_string<Args...> text, Args&&... args) {
  if (!condition) throw ConfigError(where, fmt::format(text, std::forward<Args>(args)...));
}

void check_numbers(const PerMember& numbers, std::size_t members, const char* name, float low, float high) {
  require(numbers.values().size() == 1 || numbers.values().size() == members, "{} has {} values for {} members", name,
          numbers.values().size(), members);
  for (const float value : numbers.values()) {
    require(std::isfinite(value) && value >= low && value <= high, "{} must be between {} and {}, got {}", name, low,
            high, value);
  }
}

void check_front(const Networks& networks, std::size_t k) {
  const std::vector<Convolution> convolutions = convolutions_of(networks.nets[k].front, k);
  if (convolutions.empty()) return;
  const ImageShape& image = convolutions.front().in;
  const std::size_t extra = networks.nets[k].front.extra_columns;
  require(extra < networks.inputs && image.size() == networks.inputs - extra,
          "the image of net {} has {} x {} x {} = {} values, but rows have {} columns", k, image.channels, image.height,
          image.width, image.size(), networks.inputs - std::min(extra, networks.inputs));
}

void check_net(const Networks& networks, std::size_t k) {
  constexpr std::size_t widest = std::size_t{1} << 24U;
  const Net& net = networks.nets[k];
  check_front(networks, k);
  require(net.outputs >= 1 && net.outputs <= 2, "net {} must have 1 or 2 outputs, got {}", k, net.outputs);
  for (const std::size_t units : net.hidden) {
    require(units >= 1 && units <= widest, "hidden layers of net {} must have 1 to {} units, got {}", k, widest, units);
  }
  require(std::isfinite(net.init_scale) && net.init_scale >= 0.0F, "init_scale must not be negative, got {}",
          net.init_scale);
  for (const Link& link : net.links) {
    require(link.from_net < k, "net {} may only be linked from an earlier net, got net {}", k, link.from_net);
    require(link.from_layer < networks.nets[link.from_net].hidden.size(), "net {} has no hidden layer {} to link from",
            link.from_net, link.from_layer);
    require(link.to_layer <= net.hidden.size(), "net {} has no layer {} to link to", k, link.to_layer);
  }
}

/// How many outputs each loss reads.
std::size_t outputs_wanted(LossKind kind) {
  switch (kind) {
    case LossKind::squared_error: return 1;
    case LossKind::gaussian_nll:
    case LossKind::nomu:
    case LossKind::nomu_known:
    case LossKind::directed_upper:
    case LossKind::directed_lower: return 2;
    case LossKind::nomu_noise:
    case LossKind::directed: return 3;
  }
  return 0;
}

bool same_shape(const Tensor<float>& tensor, const TrainPlan& plan) {
  return tensor.members() == plan.members() && tensor.rows() == plan.x.rows() && tensor.cols() == 1;
}

/// Without a branch for every number, because all rows of a large cohort are checked.
bool all_finite(std::span<const float> values) {
  constexpr std::uint32_t exponent = 0x7f800000U;
  std::uint32_t beyond = 0;
  for (const float value : values)
    beyond |= static_cast<std::uint32_t>((std::bit_cast<std::uint32_t>(value) & exponent) == exponent);
  return beyond == 0;
}

/// What is wrong with the rows of a member, as the rest of a sentence; empty: nothing.
std::string problem_of_rows(const TrainPlan& plan, std::size_t m) {
  const bool known = plan.loss.kind == LossKind::nomu_known;
  std::size_t used = 0;
  for (std::size_t i = 0; i < plan.x.rows(); ++i) {
    const float weight = plan.row_weight.empty() ? 1.0F : plan.row_weight(m, i, 0);
    if (!std::isfinite(weight) || weight < 0.0F)
      return fmt::format(", row {}: row weights must not be negative, got {}", i, weight);
    if (weight == 0.0F) continue;
    ++used;
    if (!std::isfinite(plan.y(m, i, 0)) || !all_finite(plan.x.row(m, i)))
      return fmt::format(", row {}: inputs and target must be finite numbers", i);
    if (known && !(plan.noise(m, i, 0) > 0.0F))
      return fmt::format(", row {}: the known data noise must be positive", i);
  }
  return used > 0 ? "" : " has no row of positive weight";
}

void check_rows(const TrainPlan& plan, std::int64_t most) {
  constexpr std::size_t worth_a_thread = 250'000;  // numbers; some tenths of a millisecond
  require(plan.members() > 0 && plan.x.rows() > 0, "there are no rows to train on");
  require(plan.x.cols() == plan.networks.inputs, "x has {} columns but the networks read {}", plan.x.cols(),
          plan.networks.inputs);
  require(same_shape(plan.y, plan), "y must be [{}][{}][1]", plan.members(), plan.x.rows());
  require(plan.row_weight.empty() || same_shape(plan.row_weight, plan), "row_weight must have the shape of y");
  require(plan.seeds.size() == plan.members(), "{} seeds for {} members", plan.seeds.size(), plan.members());
  const bool known = plan.loss.kind == LossKind::nomu_known;
  require(!known || same_shape(plan.noise, plan), "known data noise must have the shape of y");
  std::vector<std::string> problems(plan.members());
  const auto threads = static_cast<std::int64_t>(plan.x.size() / worth_a_thread);
  side_by_side(plan.members(), std::min(threads, most), [&](std::size_t m) { problems[m] = problem_of_rows(plan, m); });
  for (std::size_t m = 0; m < plan.members(); ++m)
    if (!problems[m].empty()) throw DataError(where, fmt::format("member {}{}", m, problems[m]));
}

void check_augment(const TrainPlan& plan) {
  const Augment& augment = plan.augment;
  const std::size_t d = plan.networks.inputs;
  bool wanted = false;
  for (std::size_t k = 0; k < output_count(plan.networks); ++k) wanted = wanted || augments_output(plan.loss.kind, k);
  if (augment.kind == AugmentKind::none) {
    require(!wanted, "this loss needs artificial points, but none are planned");
    return;
  }
  require(wanted, "artificial points are planned, but the loss does not use them");
  require(augment.count > 0, "the number of artificial points must be positive, got {}", augment.count);
  const bool drawn = augment.kind == AugmentKind::uniform || augment.kind == AugmentKind::low_discrepancy;
  const Tensor<float>& given = drawn ? augment.box : augment.points;
  require(given.cols() == d && (given.members() == 1 || given.members() == plan.members()) && given.rows() > 0,
          "the artificial points' {} must have {} columns for 1 or {} members", drawn ? "box" : "list", d,
          plan.members());
  require(!drawn || given.rows() == 2, "the box of the artificial points needs a lower and an upper corner");
  require(augment.kind != AugmentKind::fixed || given.rows() == augment.count,
          "{} fixed artificial points given, {} planned", given.rows(), augment.count);
  require(all_finite(given.flat()), "artificial points must be finite numbers");
}

PerMember select(const PerMember& numbers, std::span<const std::size_t> members) {
  if (numbers.values().size() == 1) return numbers;
  std::vector<float> chosen;
  for (const std::size_t m : members) chosen.push_back(numbers[m]);
  return chosen;
}

/// A tensor of one member is shared by all.
Tensor<float> select(const Tensor<float>& tensor, std::span<const std::size_t> members, std::size_t all) {
  if (tensor.members() != all) return tensor;
  Tensor<float> chosen(members.size(), tensor.rows(), tensor.cols());
  for (std::size_t i = 0; i < members.size(); ++i) {
    std::copy(tensor.member(members[i]).begin(), tensor.member(members[i]).end(), chosen.member(i).begin());
  }
  return chosen;
}

}  // namespace

TrainPlan select(const TrainPlan& plan, std::span<const std::size_t> members) {
  TrainPlan chosen = plan;
  for (Tensor<float>* tensor : {&chosen.x, &chosen.y, &chosen.row_weight, &chosen.noise, &chosen.start,
                                &chosen.augment.box, &chosen.augment.points}) {
    *tensor = select(*tensor, members, plan.members());
  }
  chosen.seeds.clear();
  for (const std::size_t m : members) chosen.seeds.push_back(plan.seeds.at(m));
  for (Net& net : chosen.networks.nets) {
    for (PerMember* numbers : {&net.dropout, &net.l2_hidden, &net.l2_output}) *numbers = select(*numbers, members);
    for (PerMember& rates : net.dropout_layers) rates = select(rates, members);
  }
  for (PerMember* numbers :
       {&chosen.loss.mu_sqr, &chosen.loss.mu_exp, &chosen.loss.c_exp, &chosen.learning_rate, &chosen.clip_norm}) {
    *numbers = select(*numbers, members);
  }
  return chosen;
}

std::size_t output_count(const Networks& networks) {
  std::size_t total = 0;
  for (const Net& net : networks.nets) total += net.outputs;
  return total;
}

bool augments_output(LossKind kind, std::size_t k) {
  switch (kind) {
    case LossKind::nomu:
    case LossKind::nomu_known:
    case LossKind::directed_upper:
    case LossKind::directed_lower: return k == 1;
    case LossKind::nomu_noise: return k == 2;
    case LossKind::directed: return k == 1 || k == 2;
    case LossKind::squared_error:
    case LossKind::gaussian_nll: break;
  }
  return false;
}

void check(const Networks& networks) {
  require(!networks.nets.empty(), "there is no network to train");
  require(networks.inputs >= 1, "the networks need at least one input column");
  for (std::size_t k = 0; k < networks.nets.size(); ++k) check_net(networks, k);
}

void check(const TrainPlan& plan, std::int64_t threads) {
  check(plan.networks);
  require(output_count(plan.networks) == outputs_wanted(plan.loss.kind),
          "the loss reads {} outputs, but the networks have {}", outputs_wanted(plan.loss.kind),
          output_count(plan.networks));
  check_rows(plan, threads);
  check_augment(plan);
  const std::size_t members = plan.members();
  constexpr float big = 1e30F;
  for (const Net& net : plan.networks.nets) {
    check_numbers(net.dropout, members, "dropout", 0.0F, 0.999F);
    const std::size_t layers = net.front.windows.size() + net.hidden.size();
    require(net.dropout_layers.empty() || net.dropout_layers.size() == layers, "{} dropout rates for {} hidden layers",
            net.dropout_layers.size(), layers);
    for (const PerMember& rates : net.dropout_layers) check_numbers(rates, members, "dropout", 0.0F, 0.999F);
    check_numbers(net.l2_hidden, members, "l2", 0.0F, big);
    check_numbers(net.l2_output, members, "l2", 0.0F, big);
  }
  check_numbers(plan.loss.mu_sqr, members, "mu_sqr", 0.0F, big);
  check_numbers(plan.loss.mu_exp, members, "mu_exp", 0.0F, big);
  check_numbers(plan.loss.c_exp, members, "c_exp", 0.0F, big);
  check_numbers(plan.learning_rate, members, "learning_rate", 0.0F, big);
  check_numbers(plan.clip_norm, members, "clip_norm", 0.0F, big);
  require(plan.train.epochs >= 1, "epochs must be positive, got {}", plan.train.epochs);
  require(plan.train.batch_size >= 0, "batch_size must not be negative, got {}", plan.train.batch_size);
}

}  // namespace nomu::engine
