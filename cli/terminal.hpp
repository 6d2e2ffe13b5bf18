#pragma once
// How the tool talks: standard output, and Ctrl-C as a request to stop.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <functional>
#include <initializer_list>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "nomu/core/config.hpp"
#include "nomu/core/progress.hpp"

namespace nomu::cli {

/// Writes to standard output; throws Error where it cannot (a closed pipe, a full disk).
void write_out(std::string_view text);

template <class... Args>
void print(fmt::format_string<Args...> text, Args&&... args) {
  write_out(fmt::format(text, std::forward<Args>(args)...));
}

/// Writes to standard error, as far as that goes.
void write_error(std::string_view text);

template <class... Args>
void warn(fmt::format_string<Args...> text, Args&&... args) {
  write_error(fmt::format(text, std::forward<Args>(args)...));
}

/// Stops on SIGINT and SIGTERM once `watch_interrupts` has run.
[[nodiscard]] std::stop_source& interrupts();
void watch_interrupts();

/// A line on a terminal that says how far a job is and how long it will take; nothing where there is no terminal. On
/// request JSON lines instead, wherever standard error goes.
class ProgressBar {
 public:
  explicit ProgressBar(bool json_lines = false);
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ~ProgressBar() { finish(); }
  [[nodiscard]] std::function<void(const ProgressEvent&)> callback();
  void finish() noexcept;  ///< removes the line

 private:
  bool json_lines_;
  bool visible_;
};

/// Makes a folder and tries to write in it; throws DataError where that fails, so that no work is done in vain.
void prepare_folder(const std::filesystem::path& folder);

/// Throws DataError unless the file can be written and is none of the others, which are read or written too, so that
/// no work is done in vain.
void prepare_file(const std::filesystem::path& out, std::initializer_list<std::filesystem::path> others);

/// "key=value" of --set.
[[nodiscard]] Setting setting_of(const std::string& text);
void apply_setting(const Fields& fields, const std::string& text);

}  // namespace nomu::cli
