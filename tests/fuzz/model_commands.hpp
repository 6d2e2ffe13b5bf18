#pragma once
/// What the tool does with a model file, as calls of the library: show, predict, evaluate, calibrate, export, report.

#include <string_view>

namespace nomu {

/// Reads the file and runs every command on the model. Errors of the library are answers; any other exception leaves
/// this function, naming the command. Returns how many commands gave a result.
int run_commands(std::string_view bytes);

}  // namespace nomu
