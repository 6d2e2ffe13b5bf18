#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "nomu/core/printable.hpp"
#include "terminal.hpp"

namespace nomu::cli {
namespace {

CLI::Validator number_validator(bool (*good)(double), const char* requirement, const char* name) {
  return {[good, requirement](std::string& text) {
            double value = 0.0;
            const bool number = CLI::detail::lexical_cast(text, value);
            if (number && std::isfinite(value) && good(value)) return std::string();
            return fmt::format("must be a {}number{}, got '{}'", number && !std::isfinite(value) ? "finite " : "",
                               requirement, printable(text, 200));
          },
          name};
}

}  // namespace

CLI::Validator above_zero() {
  return number_validator([](double value) { return value > 0.0; }, " above 0", "POSITIVE");
}

CLI::Validator not_negative() {
  return number_validator([](double value) { return value >= 0.0; }, " that is not negative", "NONNEGATIVE");
}

CLI::Validator finite_number() {
  return number_validator([](double) { return true; }, "", "");
}

CLI::Validator whole_number() {
  return {[](std::string& text) {
            std::int64_t value = 0;
            const char* const last = text.data() + text.size();
            const auto [end, error] = std::from_chars(text.data(), last, value);
            if (error == std::errc{} && end == last && value >= 0) return std::string();
            return fmt::format("must be a whole number from 0 to {}, got '{}'",
                               std::numeric_limits<std::int64_t>::max(), text);
          },
          "WHOLE"};
}

void add_engine_options(CLI::App& command, EngineOptions& options) {
  command.add_option("--device", options.device, "where to compute: auto, cpu, cuda or reference")
      ->capture_default_str();
  command.add_option("--threads", options.threads, "most threads to use; 0: as many as there are processors")
      ->capture_default_str();
  command
      .add_option("--provider", options.provider,
                  "library for matrix products: auto; on the CPU onednn or eigen; on GPUs tiles")
      ->capture_default_str();
  command.add_option("--isa", options.isa, "instruction set: auto, baseline, avx2 or avx512")->capture_default_str();
  command.add_option("--precision", options.precision, "precision of matrix products: fp32, or tf32 on GPUs")
      ->capture_default_str();
}

void add_devices(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("devices", "List the engines with the provider and instruction set they actually use");
  static bool json = false;
  command->add_flag("--json", json, "print JSON");
  command->callback([] {
    nlohmann::json list = nlohmann::json::array();
    for (const EngineInfo& info : list_engines()) {
      if (json) {
        list.push_back({{"name", info.name},
                        {"available", info.available},
                        {"provider", info.provider},
                        {"isa", info.isa},
                        {"threads", info.threads},
                        {"device", info.device},
                        {"precision", info.precision},
                        {"note", info.note}});
      } else {
        print("{:<10} {:<4} provider {:<12} isa {:<9} threads {:<3} {}{}\n", info.name, info.available ? "yes" : "no",
              info.provider, info.isa, info.threads, info.device,
              info.note.empty() ? "" : fmt::format(" ({})", info.note));
      }
    }
    if (json) print_json(list);
  });
}

}  // namespace nomu::cli
