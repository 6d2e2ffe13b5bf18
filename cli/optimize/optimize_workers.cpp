// nomu optimize workers: who evaluates the trials of a study.

#include <map>

#include "commands.hpp"
#include "model/model_output.hpp"
#include "optimize/optimize_commands.hpp"
#include "optimize/study_argument.hpp"
#include "terminal.hpp"

namespace nomu::cli {
namespace {

struct Options {
  StudyArgument study;
  bool json = false;
};

/// Workers of `run` are called run:host:process:start:thread:where; others as they please.
std::string host_of(const std::string& worker) {
  if (!worker.starts_with("run:")) return {};
  return worker.substr(4, worker.find(':', 4) - 4);
}

void run(const Options& options) {
  const Study study = options.study.open(StudyAccess::read);
  const double now = study.now();
  std::map<std::string, std::vector<Trial>> workers;
  std::size_t waiting = 0;
  for (Trial& trial : study.pending()) {
    if (is_waiting(trial))
      ++waiting;
    else
      workers[trial.worker].push_back(std::move(trial));
  }
  nlohmann::json list = nlohmann::json::array();
  for (const auto& [worker, trials] : workers) {
    nlohmann::json all = nlohmann::json::array();
    for (const Trial& trial : trials)
      all.push_back({{"id", trial.id}, {"seconds", now - trial.asked}, {"lease_left", trial.lease_until - now}});
    list.push_back({{"worker", worker}, {"host", host_of(worker)}, {"trials", all}});
    if (options.json) continue;
    print("{}\n", worker.empty() ? "without a name" : worker);
    for (const Trial& trial : trials) {
      const double left = trial.lease_until - now;
      print("  trial {}, for {:.0f} s, {}\n", trial.id, now - trial.asked,
            left > 0.0 ? fmt::format("lease ends in {:.0f} s", left) : "lease has expired");
    }
  }
  if (options.json) return print_json(list);
  if (workers.empty()) print("nobody is evaluating a trial\n");
  if (waiting > 0) print("{} trials wait for a worker: they were queued or given back\n", waiting);
}

}  // namespace

void add_optimize_workers(CLI::App& optimize) {
  CLI::App* command = optimize.add_subcommand("workers", "List who is evaluating which trials, and since when");
  const auto options = std::make_shared<Options>();
  add_study(*command, options->study);
  command->add_flag("--json", options->json, "print JSON");
  command->callback([options] { run(*options); });
}

}  // namespace nomu::cli
