// The command-line tool. exit_code.hpp says what its exit codes mean.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "build_info.hpp"
#include "commands.hpp"
#include "exit_code.hpp"
#include "nomu/core/printable.hpp"
#include "nomu/core/version.hpp"
#include "terminal.hpp"

namespace {

/// Rewrites negative numbers that the parser would take for options: -.5, -inf, -nan.
std::string protect_negative_number(std::string argument) {
  if (argument.size() < 3 || argument[0] != '-') return argument;
  if (argument[1] == '.' && argument[2] >= '0' && argument[2] <= '9') return "-0" + argument.substr(1);
  for (const char* name : {"-inf", "-Inf", "-INF", "-nan", "-NaN", "-Infinity"}) {
    if (argument == name) return " " + argument;
  }
  return argument;
}

/// "--set a=1 b=2" as "--set a=1 --set b=2". The parser cannot tell a second setting from a file name; the sign can.
std::vector<std::string> with_repeated_set(const std::vector<std::string>& arguments) {
  std::vector<std::string> all;
  bool value_due = false;  // the word after "--set", whatever it is
  bool settings = false;   // further words with a sign are settings
  for (const std::string& word : arguments) {
    const bool another = settings && !value_due && word[0] != '-' && word.find('=') != std::string::npos;
    if (another) all.emplace_back("--set");
    settings = value_due || another || word == "--set" || word.starts_with("--set=");
    value_due = word == "--set";
    all.push_back(word);
  }
  return all;
}

int fail(int code, const char* message) {
  nomu::cli::warn("nomu: {}\n", message);
  return code;
}

/// Prints the help or version that was asked for, or what is wrong with the words of the command.
int finish(const CLI::App& app, const CLI::ParseError& error) {
  std::ostringstream out;
  std::ostringstream complaint;
  const int code = app.exit(error, out, complaint);
  nomu::cli::write_error(nomu::printable(complaint.str(), 4000));  // words may be of any length
  try {
    nomu::cli::write_out(out.str());
  } catch (const std::exception& failure) {
    return fail(nomu::cli::exit_code(failure), failure.what());
  }
  return code == 0 ? 0 : 2;
}

/// Either the system has no more, or a size is beyond what any system has.
int fail_for_memory() { return fail(1, "out of memory; use smaller networks, fewer members or fewer rows"); }

}  // namespace

int main(int argc, char** argv) {
  nomu::cli::keep_standard_files_apart();
  CLI::App app{"nomu: honest model uncertainty of neural-network regression", "nomu"};
  app.require_subcommand(1);
  // The parser ends at --version, whatever follows it.
  bool verbose = std::any_of(argv, argv + argc, [](const char* word) { return std::string(word) == "--verbose"; });
  app.set_version_flag("--version", verbose ? nomu::cli::build_info() : std::string(nomu::version()));
  app.add_flag("--verbose", verbose, "with --version: also how this program was built, and how it is hardened");
  try {
    nomu::cli::add_fit(app);
    nomu::cli::add_predict(app);
    nomu::cli::add_evaluate(app);
    nomu::cli::add_calibrate(app);
    nomu::cli::add_check(app);
    nomu::cli::add_report(app);
    nomu::cli::add_show(app);
    nomu::cli::add_export(app);
    nomu::cli::add_attach(app);
    nomu::cli::add_optimize(app);
    nomu::cli::add_serve(app);
    nomu::cli::add_demo(app);
    nomu::cli::add_reproduce(app);
    nomu::cli::add_bench(app);
    nomu::cli::add_settings(app);
    nomu::cli::add_devices(app);
    nomu::cli::watch_interrupts();
    std::vector<std::string> arguments = with_repeated_set({argv + std::min(argc, 1), argv + argc});
    for (std::string& argument : arguments) argument = protect_negative_number(std::move(argument));
    std::ranges::reverse(arguments);  // as the parser expects
    app.parse(std::move(arguments));
    return 0;
  } catch (const CLI::ParseError& error) {
    return finish(app, error);
  } catch (const std::bad_alloc&) {
    return fail_for_memory();
  } catch (const std::length_error&) {
    return fail_for_memory();
  } catch (const std::exception& error) {
    return fail(nomu::cli::exit_code(error), error.what());
  }
}
