#pragma once
// The tool's input and output: standard output, progress, and Ctrl-C as a request to stop.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "nomu/core/config.hpp"
#include "nomu/core/progress.hpp"

namespace nomu::cli {

/// Standard input, output and error that are closed stay so: nothing that is opened later, such as a connection, takes
/// their numbers and gets what is printed. To be called first.
void keep_standard_files_apart();

/// Writes to standard output. Throws Error if that fails (a closed pipe, a full disk).
void write_out(std::string_view text);

template <class... Args>
void print(fmt::format_string<Args...> text, Args&&... args) {
  write_out(fmt::format(text, std::forward<Args>(args)...));
}

/// Writes one line of JSON. Names of files need not be UTF-8; what is not is replaced.
void print_json(const nlohmann::json& value);

/// Writes to standard error; failures are ignored.
void write_error(std::string_view text);

template <class... Args>
void warn(fmt::format_string<Args...> text, Args&&... args) {
  write_error(fmt::format(text, std::forward<Args>(args)...));
}

/// Once `watch_interrupts` has been called, SIGINT and SIGTERM end the process at once, except while one of these
/// exists: then they request a stop of the work that looks at its token, and only a second SIGINT ends the process. It
/// must not outlive that work: whatever reads or writes a pipe looks at no token and may wait for ever.
class HeedInterrupts {
 public:
  HeedInterrupts();
  HeedInterrupts(const HeedInterrupts&) = delete;
  HeedInterrupts& operator=(const HeedInterrupts&) = delete;
  HeedInterrupts(HeedInterrupts&&) = delete;
  HeedInterrupts& operator=(HeedInterrupts&&) = delete;
  ~HeedInterrupts();
  [[nodiscard]] static std::stop_token token();
};
void watch_interrupts();

/// A line on the terminal with the progress of a job and the time left; nothing if standard error is not a terminal. On
/// request writes JSON lines to standard error instead.
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

/// Creates a folder and checks that it is writable and none of the files that the command also reads or writes. Throws
/// DataError if not, so that no work is done in vain.
void prepare_folder(const std::filesystem::path& folder, const std::vector<std::filesystem::path>& others = {});

/// Files that this process creates or replaces from now on are open to nobody to whom one of the inputs is closed: what
/// is made from rows may show them. `out` is one of them: new files belong to its group or to that of its folder.
void keep_private(const std::filesystem::path& out, const std::vector<std::filesystem::path>& inputs);

/// Throws DataError unless the file can be written and is none of the others, which the command also reads or writes,
/// so that no work is done in vain. The file will be as private as the others.
void prepare_file(const std::filesystem::path& out, const std::vector<std::filesystem::path>& others);

/// The same for all files prepared so far and the weights of a network, whose names are known once it has been read.
void keep_apart(const std::vector<std::filesystem::path>& inputs);

/// "key=value" of --set.
[[nodiscard]] Setting setting_of(const std::string& text);
void apply_setting(const Fields& fields, const std::string& text);

}  // namespace nomu::cli
