#pragma once
// Sub-commands of `nomu optimize` that are defined in other files.

#include <CLI/CLI.hpp>

namespace nomu::cli {

void add_optimize_ask(CLI::App& optimize);
void add_optimize_enqueue(CLI::App& optimize);
void add_optimize_report(CLI::App& optimize);
void add_optimize_run(CLI::App& optimize);
void add_optimize_table(CLI::App& optimize);
void add_optimize_tell(CLI::App& optimize);
void add_optimize_workers(CLI::App& optimize);

}  // namespace nomu::cli
