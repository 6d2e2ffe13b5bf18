#include "nomu/nn/network.hpp"

namespace nomu {

Fields fields_of(MlpSpec& spec) {
  Fields f("nn/network");
  f.add("hidden", spec.hidden, Range::at_least(1),
        "sizes of the hidden layers, first to last; none: chosen from the data, where the method does so");
  f.add_choice("activation", spec.activation, {"relu", "tanh", "softplus", "identity"},
               "activation of the hidden layers and convolutions");
  f.add_choice("init", spec.init, {"uniform", "he", "glorot"}, "distribution of the initial weights and biases");
  f.add("init_scale", spec.init_scale, Range::positive(),
        "half width of the uniform range, or factor on the He and Glorot ranges");
  f.add_nested("", fields_of(spec.convolution));
  return f;
}

}  // namespace nomu
