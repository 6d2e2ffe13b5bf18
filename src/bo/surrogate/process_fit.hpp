#pragma once
// The most likely kernel of a process, given rows and mild prior knowledge.

#include "bo/surrogate/process.hpp"

namespace nomu {

struct ProcessFit {
  ProcessKernel kernel;
  double evidence = 0.0;  ///< log posterior density, up to a constant that does not depend on the kernel's shape
};

/// Lengths are expected to grow with the root of the number of variables. `noisy`: some noise is expected; otherwise it
/// is as likely as not that there is none, and unevenness of short wavelength may still be explained by it.
/// Stretches are learned as far as the rows name them.
[[nodiscard]] ProcessFit fit_process(const ProcessRows& rows, ProcessKernel::Shape shape, bool noisy);

}  // namespace nomu
