#include "engine/member_data.hpp"

namespace nomu::engine {

MemberData member_data(const TrainPlan& plan, std::size_t member) {
  MemberData data{.index = member, .seed = plan.seeds[member], .rows = 0, .x = {}, .y = {}, .weight = {}, .noise = {}};
  data.x.reserve(plan.x.rows() * plan.x.cols());
  for (std::size_t i = 0; i < plan.x.rows(); ++i) {
    const float weight = plan.row_weight.empty() ? 1.0F : plan.row_weight(member, i, 0);
    if (weight == 0.0F) continue;
    const auto row = plan.x.row(member, i);
    data.x.insert(data.x.end(), row.begin(), row.end());
    data.y.push_back(plan.y(member, i, 0));
    data.weight.push_back(weight);
    if (!plan.noise.empty()) data.noise.push_back(plan.noise(member, i, 0));
    ++data.rows;
  }
  return data;
}

}  // namespace nomu::engine
