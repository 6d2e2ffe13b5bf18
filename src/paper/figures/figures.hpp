#pragma once
/// The paper's pictures: an experiment of the kind "figures" whose problems are pictures and whose methods are their
/// panels. Nothing is measured or stored; a picture is fitted and drawn as a whole.

#include <string>

#include "nomu/core/progress.hpp"
#include "nomu/engine/engine.hpp"
#include "paper/experiment/experiment.hpp"

namespace nomu {

inline constexpr const char* figures_kind = "figures";

/// One of the experiment's pictures as SVG, a panel for each method that is run on it, in the order of the experiment.
/// Names: "bounds-levy" and anything else that ends in a function of one input: mean and bounds; "map-styblinski_tang":
/// uncertainty over two inputs; "d4-line" and "d4-plane": equidistant points of the function that is irregular on one
/// side; "solar-655": the solar irradiance split of that seed, which needs the experiment's data ("solar-made" does
/// not); "readout": the readout map, no method at all. A method's protocol "c=5" sets the factor on its sigma. Throws
/// ConfigError for other names, Error where a fit diverged.
[[nodiscard]] std::string draw_figure(const ExperimentSpec& spec, const std::string& name, Engine& engine,
                                      const Progress& progress = {});

}  // namespace nomu
