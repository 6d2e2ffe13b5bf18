#pragma once
// The subcommands of the tool. Each adds itself to the parser with a callback that calls one library function and
// prints the result.

#include <CLI/CLI.hpp>

#include "nomu/engine/engine.hpp"

namespace nomu::cli {

void add_attach(CLI::App& app);
void add_bench(CLI::App& app);
void add_calibrate(CLI::App& app);
void add_check(CLI::App& app);
void add_demo(CLI::App& app);
void add_devices(CLI::App& app);
void add_evaluate(CLI::App& app);
void add_export(CLI::App& app);
void add_fit(CLI::App& app);
void add_optimize(CLI::App& app);
void add_predict(CLI::App& app);
void add_report(CLI::App& app);
void add_reproduce(CLI::App& app);
void add_serve(CLI::App& app);
void add_settings(CLI::App& app);
void add_show(CLI::App& app);

/// Validators: a finite number above 0; one that is not negative; any; a whole number that is not negative and fits in
/// 64 bits.
[[nodiscard]] CLI::Validator above_zero();
[[nodiscard]] CLI::Validator not_negative();
[[nodiscard]] CLI::Validator finite_number();
[[nodiscard]] CLI::Validator whole_number();

/// Adds --device, --threads, --provider, --isa and --precision, the same for every command that computes.
void add_engine_options(CLI::App& command, EngineOptions& options);

}  // namespace nomu::cli
