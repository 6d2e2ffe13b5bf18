#pragma once
// How the tool talks: standard output, and Ctrl-C as a request to stop.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "nomu/core/fields.hpp"

namespace nomu::cli {

/// Writes to standard output; throws Error where it cannot (a closed pipe, a full disk).
void write_out(std::string_view text);

template <class... Args>
void print(fmt::format_string<Args...> text, Args&&... args) {
  write_out(fmt::format(text, std::forward<Args>(args)...));
}

/// Stops on SIGINT and SIGTERM once `watch_interrupts` has run.
[[nodiscard]] std::stop_source& interrupts();
void watch_interrupts();

/// "key=value" of --set.
void apply_setting(const Fields& fields, const std::string& setting);

/// Whether standard error is a terminal, where a progress bar makes sense.
[[nodiscard]] bool has_terminal();

}  // namespace nomu::cli
