#include "optimize_commands.hpp"
namespace nomu::cli {
void add_optimize_report(CLI::App&) {}
}
