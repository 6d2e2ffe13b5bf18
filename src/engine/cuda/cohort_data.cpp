#include "engine/cuda/cohort_data.hpp"

#include <algorithm>

#include "engine/epoch.hpp"
#include "engine/layout.hpp"
#include "engine/member_data.hpp"
#include "engine/sampling.hpp"

namespace nomu::engine::cuda {
namespace {

std::uint32_t narrow(std::size_t value) { return static_cast<std::uint32_t>(value); }

MemberInfo info_of(const TrainPlan& plan, const MemberData& data) {
  const Batches batches(plan.train, data.rows);
  double weights = 0.0;
  for (const float weight : data.weight) weights += static_cast<double>(weight);
  return {.seed = data.seed,
          .rate = static_cast<double>(plan.learning_rate[data.index]),
          .row_weights = weights,
          .loss = loss_settings<float>(plan.loss, data.index),
          .clip = plan.clip_norm[data.index],
          .rows = narrow(data.rows),
          .batch = narrow(batches.size),
          .batches = narrow(batches.count)};
}

/// One number per member for each of several settings, setting by setting.
void append(std::vector<float>& to, const PerMember& numbers, std::size_t members) {
  for (std::size_t m = 0; m < members; ++m) to.push_back(numbers[m]);
}

}  // namespace

StepSize step_size(const TrainPlan& plan, Precision precision) {
  const std::size_t data = Batches(plan.train, plan.x.rows()).size;
  return {.rows = narrow(data + plan.augment.count),
          .data_rows = narrow(data),
          .training = true,
          .transposed = precision == Precision::tf32_hopper};
}

CohortData::CohortData(const TrainPlan& plan) {
  const std::size_t members = plan.members();
  const std::size_t d = plan.networks.inputs;
  std::vector<MemberData> all;
  std::size_t most = 0;
  for (std::size_t m = 0; m < members; ++m) {
    all.push_back(member_data(plan, m));
    info_.push_back(info_of(plan, all.back()));
    most = std::max(most, all.back().rows);
  }
  most_data_rows_ = narrow(most);
  std::vector<float> x(members * most * d);
  std::vector<float> y(members * most);
  std::vector<float> weight(members * most);
  std::vector<float> noise(plan.noise.empty() ? 0 : members * most);
  for (std::size_t m = 0; m < members; ++m) {
    const auto place = static_cast<std::ptrdiff_t>(m * most);
    std::copy(all[m].x.begin(), all[m].x.end(), x.begin() + place * static_cast<std::ptrdiff_t>(d));
    std::copy(all[m].y.begin(), all[m].y.end(), y.begin() + place);
    std::copy(all[m].weight.begin(), all[m].weight.end(), weight.begin() + place);
    std::copy(all[m].noise.begin(), all[m].noise.end(), noise.begin() + place);
  }
  std::vector<float> dropout;
  std::vector<float> l2;
  for (const Layer& layer : make_layout(plan.networks, plan.loss.kind).layers) {
    for (std::size_t m = 0; m < members; ++m) dropout.push_back(dropout_of(plan.networks, layer, m));
  }
  for (const Net& net : plan.networks.nets) {
    append(l2, net.l2_hidden, members);
    append(l2, net.l2_output, members);
  }
  const Augment& augment = plan.augment;
  const bool drawn = augment.kind == AugmentKind::uniform || augment.kind == AugmentKind::low_discrepancy;
  const Tensor<float>& given = drawn ? augment.box : augment.points;
  pool_rows_ = narrow(given.rows());
  point_owners_ = narrow(given.members());
  std::vector<double> recurrence;
  for (std::size_t j = 0; j < d; ++j) recurrence.push_back(recurrence_step(j, d));

  device_info_ = DeviceArray<MemberInfo>(info_);
  x_ = DeviceArray<float>(x);
  y_ = DeviceArray<float>(y);
  weight_ = DeviceArray<float>(weight);
  noise_ = DeviceArray<float>(noise);
  points_ = DeviceArray<float>(given.flat());
  dropout_ = DeviceArray<float>(dropout);
  l2_ = DeviceArray<float>(l2);
  recurrence_ = DeviceArray<double>(recurrence);
}

void CohortData::describe(View& view) const {
  view.most_data_rows = most_data_rows_;
  view.pool_rows = pool_rows_;
  view.point_owners = point_owners_;
  view.info = device_info_.data();
  view.data_x = x_.data();
  view.data_y = y_.data();
  view.data_weight = weight_.data();
  view.data_noise = noise_.data();
  view.points = points_.data();
  view.dropout = dropout_.data();
  view.l2 = l2_.data();
  view.recurrence = recurrence_.data();
}

}  // namespace nomu::engine::cuda
