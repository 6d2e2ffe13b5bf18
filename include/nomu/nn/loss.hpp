#pragma once
/// The training losses as plain data; the formulas themselves are in the engine's math.

namespace nomu {

enum class LossKind {
  squared_error,   ///< (f - y)^2 over one output
  gaussian_nll,    ///< ln s + (f - y)^2 / (2 s^2) over two outputs, s = softplus(raw) + floor
  nomu,            ///< Definition 3.1 over f and r: terms (a), (b) and (c)
  nomu_noise,      ///< Appendix C.1 over f, the noise output and r
  nomu_known,      ///< Appendix C.1 with the data noise given row by row
  directed,        ///< Appendix C.2 over f, upper and lower
  directed_upper,  ///< the same over f and upper
  directed_lower   ///< the same over f and lower
};

/// How row losses are combined; `mean` divides by the sum of the batch's row weights.
enum class Reduction { sum, mean };

}  // namespace nomu
