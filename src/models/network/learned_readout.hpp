#pragma once
// A readout map learned by a network (Appendix J of the paper): one hidden layer of tanh units with positive weights,
// so that sigma rises with the raw output and stays bounded, trained by likelihood on rows that the fit has not seen.

#include "nomu/models/readout.hpp"

namespace nomu {

/// The readout of kind `network` with the smallest Gaussian NLL that gradient descent finds. Throws DataError like the
/// functions of eval/calibration.
[[nodiscard]] Readout learned_readout(const ReadoutRows& rows);

}  // namespace nomu
