#pragma once
/// Changes to model files that keep their form: blocks of other shapes and values, other settings, facts that
/// contradict each other. Checksums are mended, so that what lies behind them is reached.

#include <string>

#include "edge_values.hpp"
#include "model_file.hpp"

namespace nomu {

/// Changes the file once and returns what was done, in a few words.
std::string change_model(ModelFile& file, FuzzRandom& random);

}  // namespace nomu
