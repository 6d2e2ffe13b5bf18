#pragma once
/// Damage to the file of a study, as bad disks, other programs and people with an SQL prompt do it.

#include <filesystem>
#include <string>

#include "edge_values.hpp"

namespace nomu {

/// Damages the file once and returns what was done, in a few words.
std::string damage_study(const std::filesystem::path& file, FuzzRandom& random);

}  // namespace nomu
