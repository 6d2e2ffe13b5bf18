#pragma once
// Several dropout passes of one prediction: the parameters are copied to the device once for all passes.

#include <algorithm>
#include <cstddef>

#include "engine/session.hpp"
#include "nomu/core/tensor.hpp"

namespace nomu::engine {

/// The outputs of all passes, one after the other in the rows, [M][passes q][K]. `single` predicts one, [M][q][K].
template <class Single>
Tensor<float> each_pass(const DropoutPass& dropout, const Single& single) {
  if (dropout.passes == 1) return single(dropout);
  Tensor<float> all;
  for (std::uint32_t p = 0; p < dropout.passes; ++p) {
    const Tensor<float> one = single(DropoutPass{.active = dropout.active, .pass = dropout.pass + p, .passes = 1});
    if (all.empty()) all = Tensor<float>(one.members(), one.rows() * dropout.passes, one.cols());
    const std::size_t size = one.rows() * one.cols();
    for (std::size_t m = 0; m < one.members(); ++m) {
      std::ranges::copy(one.member(m), all.member(m).subspan(p * size, size).begin());
    }
  }
  return all;
}

}  // namespace nomu::engine
