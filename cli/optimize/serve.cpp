// nomu serve: a study over HTTP.

#include "nomu/serve/serve.hpp"

#include <cstdlib>

#include "commands.hpp"
#include "model/model_output.hpp"
#include "nomu/core/error.hpp"
#include "nomu/core/file.hpp"
#include "optimize/study_argument.hpp"
#include "terminal.hpp"

namespace nomu::cli {
namespace {

struct Options {
  EngineOptions engine = study_engine_options();
  StudyArgument study;
  ServeSpec serve;
  std::string token_file;
  bool json = false;
};

/// Not from an option: everybody on a machine can read the arguments of its programs.
std::string token_of(const Options& options) {
  if (!options.token_file.empty()) {
    constexpr std::uint64_t longest_token = 4096;
    std::string token = read_file(options.token_file, {.most = longest_token});
    while (!token.empty() && (token.back() == '\n' || token.back() == '\r' || token.back() == ' ')) token.pop_back();
    if (token.empty()) throw DataError("serve", "'" + options.token_file + "' does not contain a token");
    return token;
  }
  const char* token = std::getenv("NOMU_SERVE_TOKEN");
  return token == nullptr ? std::string() : std::string(token);
}

void run(const Options& options) {
  ServeSpec spec = options.serve;
  spec.token = token_of(options);
  const StudyAccess access = spec.read_only ? StudyAccess::read : StudyAccess::write;
  const auto open = [&] { return options.study.open(access, shared_engine(options.engine)); };
  serve_study(
      open, spec,
      [&](const std::string& url) {
        if (options.json) return print_json(nlohmann::json{{"url", url}});
        print("{} is at {}\nfor programs: {}docs\nCtrl-C stops the server, not the study\n", open().name(), url, url);
      },
      HeedInterrupts().token());
}

}  // namespace

void add_serve(CLI::App& app) {
  CLI::App* command = app.add_subcommand("serve", "A study over HTTP: JSON for programs, a live page for people");
  const auto options = std::make_shared<Options>();
  add_study(*command, options->study);
  command->add_option("--port", options->serve.port, "port to listen on; 0: any free one")
      ->capture_default_str()
      ->check(CLI::Range(0, 65535));
  command->add_option("--host", options->serve.host, "name or address to listen on; beyond loopback a token is needed")
      ->capture_default_str();
  command
      ->add_option("--token-file", options->token_file,
                   "file with the token that clients must send; default: the variable NOMU_SERVE_TOKEN")
      ->type_name("FILE");
  command->add_flag("--read-only", options->serve.read_only, "the study can be watched, not changed");
  command->add_option("--optimum", options->serve.optimum,
                      "the best possible value, if it is known: the page then draws the regret");
  command->add_flag("--json", options->json, "print JSON");
  add_engine_options(*command, options->engine);
  command->callback([options] { run(*options); });
}

}  // namespace nomu::cli
