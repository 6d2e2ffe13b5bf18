#pragma once
// A member's own rows and settings, taken out of the plan. Padding is dropped here, so a padded member trains on
// exactly the rows it would have alone.

#include <cstdint>
#include <vector>

#include "engine/math.hpp"
#include "engine/plan.hpp"

namespace nomu::engine {

struct MemberData {
  std::size_t index = 0;  ///< in the plan
  std::uint64_t seed = 0;
  std::size_t rows = 0;
  std::vector<float> x, y, weight, noise;  ///< [rows][d], [rows] each; noise may be empty
};

[[nodiscard]] MemberData member_data(const TrainPlan& plan, std::size_t member);

template <class T>
LossSettings<T> loss_settings(const Loss& loss, std::size_t member) {
  return {.kind = loss.kind,
          .stable = loss.stable,
          .fit_mean = loss.fit_mean,
          .noise_floor = static_cast<T>(loss.noise_floor),
          .mu_sqr = static_cast<T>(loss.mu_sqr[member]),
          .mu_exp = static_cast<T>(loss.mu_exp[member]),
          .c_exp = static_cast<T>(loss.c_exp[member]),
          .around_mean = loss.around_mean};
}

}  // namespace nomu::engine
