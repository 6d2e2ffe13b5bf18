#pragma once
/// Runs very many changes of files, in child processes, so that one run shows every change that ends in a crash or a
/// hang. Change k of a seed is always the same one.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace nomu {

struct ChangeOptions {
  std::size_t changes = 300;
  std::uint64_t seed = 1;
  long only = -1;                  ///< run this change alone, in this process, for a debugger
  std::string keep;                ///< with `only`: where to write the changed file
  std::vector<std::string> words;  ///< the arguments that are no options
};

/// --changes N, --seed S, --only K and --keep FILE.
[[nodiscard]] ChangeOptions change_options(int argc, char** argv);

/// Says what is being changed, before it is used.
using Say = std::function<void(const std::string& what)>;

/// Makes change k and uses the file; returns the number of answers that were no refusals. An exception is a finding.
using RunChange = std::function<int(std::size_t k, const Say& say)>;

/// Returns the exit code: 1 if there are findings, or if nearly everything was refused, which tests nothing.
[[nodiscard]] int run_changes(const ChangeOptions& options, const RunChange& run);

/// Runs one command; an Error of the library with a message is an answer, any other exception leaves this function.
[[nodiscard]] int answered(const char* name, const std::function<void()>& command);

}  // namespace nomu
