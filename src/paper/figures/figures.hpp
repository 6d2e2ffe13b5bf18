#pragma once
/// The paper's figures: an experiment of the kind "figures", whose problems are figures and whose methods are their
/// panels. Nothing is measured or stored; each figure is fitted and drawn in one go.

#include <string>

#include "nomu/core/progress.hpp"
#include "nomu/engine/engine.hpp"
#include "paper/experiment/experiment.hpp"

namespace nomu {

inline constexpr const char* figures_kind = "figures";

/// One of the experiment's figures as SVG, with a panel for each method that lists it, in the experiment's order.
/// Names: "bounds-levy", and any other that ends in a function of one input: mean and bounds; "map-styblinski_tang":
/// uncertainty over two inputs; "d4-line" and "d4-plane": equidistant points of a function that is irregular on one
/// side; "solar-655": the solar irradiance split with that seed, which needs the experiment's data ("solar-made" does
/// not); "functions": those of one input, "readout": the readout map, and "worst-case": the bounds of Appendix A, all
/// without a method. A method's protocol "c=5" sets the factor on its sigma. Throws ConfigError for other names, Error
/// when a fit diverges.
[[nodiscard]] std::string draw_figure(const ExperimentSpec& spec, const std::string& name, Engine& engine,
                                      const Progress& progress = {});

}  // namespace nomu
