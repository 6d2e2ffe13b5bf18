#include "commands.hpp"
namespace nomu::cli {
void add_demo(CLI::App&) {}
}  // namespace nomu::cli
