#pragma once
/// What a network looks like, as plain data. Training and prediction live in the engine.

#include <cstdint>
#include <vector>

#include "nomu/core/fields.hpp"
#include "nomu/nn/convolution.hpp"

namespace nomu {

enum class Activation { relu, tanh, softplus, identity };

/// How weights and biases are initialised: uniform on [-scale, scale], or scaled by fan-in (He) or by fan-in and
/// fan-out (Glorot).
enum class Init { uniform, he, glorot };

/// Whether gradients of the sigma loss reach the mean network through the link: `coupled`, as in the paper's runs, or
/// `stopped`, as in its text.
enum class Gradient { coupled, stopped };

/// A network: convolutions where rows are images, fully connected hidden layers, then one linear output layer.
struct MlpSpec {
  std::vector<std::int64_t> hidden{1024, 1024, 1024};
  Activation activation = Activation::relu;
  Init init = Init::uniform;
  double init_scale = 0.05;  ///< half width of the uniform range; a factor on the He and Glorot ranges
  ConvolutionSpec convolution = {};
};

/// The settings of `spec`, bound for reading and writing by name.
[[nodiscard]] Fields fields_of(MlpSpec& spec);

}  // namespace nomu
