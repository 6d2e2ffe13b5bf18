#pragma once
// The loss of a member and its gradient in plain loops and double precision: written to be read; every other
// engine is compared with it.

#include <cstdint>
#include <vector>

#include "engine/layout.hpp"
#include "engine/math.hpp"
#include "engine/plan.hpp"
#include "engine/sampling.hpp"

namespace nomu::engine::reference {

/// The rows of one step: data rows first, then artificial ones.
struct Rows {
  std::size_t data = 0, augmented = 0;
  std::vector<double> x;                 ///< [data + augmented][d]
  std::vector<double> y, weight, noise;  ///< [data]; noise may be empty
  [[nodiscard]] std::size_t all() const { return data + augmented; }
};

/// One member's view of a plan.
struct Problem {
  const Networks* networks = nullptr;
  const Layout* layout = nullptr;
  LossSettings<double> loss{};
  Reduction reduction = Reduction::sum;
  std::size_t member = 0;
};

/// Masks of a pass: none, training (by step) or prediction (by pass).
struct Masks {
  enum class Kind { none, training, prediction } kind = Kind::none;
  std::uint64_t seed = 0;
  std::uint32_t step = 0;
};

/// Activations of every layer for every row, [layers][rows * units]; heads hold the outputs.
using Activations = std::vector<std::vector<double>>;

[[nodiscard]] Activations forward(const Problem& problem, const std::vector<double>& parameters,
                                  const std::vector<double>& x, std::size_t rows, const Masks& masks);

struct Evaluation {
  double loss = 0.0;             ///< with the L2 penalty
  std::vector<double> gradient;  ///< [P]; zero for frozen nets
};

[[nodiscard]] Evaluation evaluate(const Problem& problem, const std::vector<double>& parameters, const Rows& rows,
                                  const Masks& masks);

}  // namespace nomu::engine::reference
