#pragma once
// The steps of optimisation runs in lock step as a file, so that runs that take long can be stopped and continued.

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

#include "paper/kinds/loop.hpp"

namespace nomu {

/// Replaces the file by the traces so far; creates its folder.
void write_traces(const std::filesystem::path& file, std::span<const LoopTrace> traces);

/// The traces of the file, each of which begins with the initial points of its run; empty if there is no file. Throws
/// DataError for a file of other runs or a damaged one.
[[nodiscard]] std::vector<LoopTrace> read_traces(const std::filesystem::path& file, std::span<const LoopRun> runs,
                                                 std::size_t dimension);

}  // namespace nomu
