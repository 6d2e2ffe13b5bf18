#include "nomu/nn/convolution.hpp"

namespace nomu {

Fields fields_of(ConvolutionSpec& spec) {
  Fields f("nn/convolution");
  f.add("image", spec.image, Range::at_least(1),
        "channels, height and width if rows are images; their columns are in that order");
  f.add("filters", spec.filters, Range::at_least(1),
        "filters of each convolution before the hidden layers, first to last; none: no convolutions");
  f.add("kernel", spec.kernel, Range::at_least(1), "side of the square each filter covers; one for all or for each");
  f.add("stride", spec.stride, Range::at_least(1), "pixels from one square to the next; one for all or for each");
  f.add("padding", spec.padding, Range::at_least(0), "zeros added on each side of the image; one for all or for each");
  f.add("pool", spec.pool, Range::at_least(0),
        "side of the squares pooled after a convolution; 1: none, 0: the whole map; one for all or for each");
  f.add_choice("pooling", spec.pooling, {"max", "average"}, "what a pooled square becomes");
  return f;
}

}  // namespace nomu
