// Damaged studies, through everything that `nomu optimize` does with them: an answer or a message, never a crash, a
// hang or another exception. Work that a setting makes long must end soon after a request to stop.
//
// usage: damaged_studies [--changes N] [--seed S] [--only K [--keep FILE]] STUDY...

#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <thread>

#include "many_changes.hpp"
#include "nomu/bo/study.hpp"
#include "nomu/bo/trial_io.hpp"
#include "nomu/report/study_report.hpp"
#include "study_damage.hpp"

namespace nomu {
namespace {

namespace fs = std::filesystem;

/// Stops long work after a while, as Ctrl-C would.
class Impatience {
 public:
  Impatience()
      : thread_([this](const std::stop_token& done) {
          for (int i = 0; i < 200 && !done.stop_requested(); ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
          source_.request_stop();
        }) {}
  [[nodiscard]] Progress progress() const { return {.report = {}, .stop = source_.get_token()}; }

 private:
  std::stop_source source_;
  std::jthread thread_;
};

Space small_space() {
  return Space({{.name = "x", .low = 0.0, .high = 1.0},
                {.name = "n", .kind = Variable::Kind::integer, .low = 0.0, .high = 9.0},
                {.name = "c", .kind = Variable::Kind::categorical, .choices = {"a", "b", "c d"}}},
               {{.terms = {{"x", 1.0}, {"n", 1.0}}, .at_least = {}, .at_most = 9.5}});
}

void make_study(const fs::path& file, const std::string& method, const std::string& settings) {
  OptimizeSpec spec;
  spec.method = method;
  spec.settings = settings;
  spec.initial = 5;
  spec.direct.evaluations = 40;
  spec.local_starts = 1;
  spec.budget = 20;
  Study study = Study::create(file, small_space(), spec);
  for (int i = 0; i < 10; ++i) {
    const Trial trial = study.ask();
    if (i == 3) study.fail(trial.id, "no luck");
    if (i != 3 && i < 8) study.tell(trial, trial.point[0] + trial.point[1]);
  }
  (void)study.add({0.5, 2.0, 1.0}, 0.25);
  study.set_budget(15);
}

int read_models(const Study& study) {
  int count = answered("outlook", [&] {
    if (const auto outlook = study.outlook()) (void)trial_to_json(study.space(), outlook->best);
  });
  count += answered("insight", [&] { (void)study.importances(); });
  return count;
}

/// `models`: also what fits Gaussian processes, which takes most of the time.
int read_all(const fs::path& file, bool models) {
  std::optional<Study> study;
  int count = answered("open to read", [&] { study.emplace(Study::open(file, StudyAccess::read)); });
  if (!study) return count;
  count += answered("status", [&] {
    (void)study->status();
    (void)study->finished();
    (void)study->why_finished();
  });
  count += answered("best", [&] {
    const auto best = study->best();
    if (best && !best->value) throw std::logic_error("the best trial has no result");
    if (best) (void)trial_to_json(study->space(), *best);
    const auto result = study->status().best_result;
    if (result && !result->value) throw std::logic_error("the best trial of the status has no result");
  });
  count += answered("list", [&] {
    const std::vector<Trial> trials = study->trials();
    (void)format_table(trials_table(study->space(), trials));
    for (const Trial& trial : study->trials(3)) (void)point_text(study->space(), trial.point);
    for (const Trial& trial : trials) (void)trial_to_json(study->space(), trial);
  });
  count += answered("workers", [&] { (void)study->pending(); });
  count += answered("copy", [&] {
    const fs::path copy = file.string() + ".copy";
    for (const char* end : {"", "-wal", "-shm"}) fs::remove(copy.string() + end);
    copy_study(file, copy);
  });
  count += answered("new --from", [&] { (void)earlier_results(*study, small_space(), study->spec().direction); });
  count += answered("changes", [&] { (void)study->changes(3); });
  count += answered("verify --quick", [&] { (void)study->verify(true); });
  if (models) count += read_models(*study);
  const Impatience impatience;
  count += answered("verify", [&] { (void)study->verify(false, impatience.progress()); });
  count += answered("report", [&] { (void)render_optimization_report(*study, {}, impatience.progress()); });
  return count;
}

int write_all(const fs::path& file) {
  std::optional<Study> study;
  int count = answered("open to write", [&] { study.emplace(Study::open(file)); });
  if (!study) return count;
  const Impatience impatience;
  count += answered("release", [&] { (void)study->release([](const std::string&) { return true; }); });
  count += answered("ask", [&] {
    for (const Trial& trial : study->ask(2, "worker", impatience.progress())) study->renew(trial.id);
  });
  count += answered("tell", [&] { study->tell(9, 1.0); });
  count += answered("tell --replace", [&] { study->tell(2, 1.0, true); });
  count += answered("tell --failed", [&] { study->fail(10, "late"); });
  count += answered("tell --lines", [&] {
    study->tell({result_from_json(study->space(), R"({"point": {"x": 0.1, "n": 3, "c": "b"}, "value": 2})")});
  });
  count += answered("import", [&] {
    const Table table = parse_table("x,n,c,value\n0.25,3,a,1.5\n0.5,4,b,2.5\n", "results.csv");
    study->tell(results_from_table(study->space(), table));
  });
  count += answered("enqueue", [&] { (void)study->enqueue({{0.125, 1.0, 2.0}}); });
  count += answered("budget", [&] { study->set_budget(30); });
  count += answered("verify again", [&] { (void)study->verify(true); });
  return count;
}

}  // namespace
}  // namespace nomu

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  const nomu::ChangeOptions options = nomu::change_options(argc, argv);
  const fs::path folder = fs::temp_directory_path() / ("nomu_damaged_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  const std::string small = "train.epochs=5; mean_net.hidden=[4]; sigma_net.hidden=[4]; augment.count=4";
  nomu::make_study(folder / "random.db", "random", "");
  nomu::make_study(folder / "nomu.db", "nomu", small);
  std::vector<fs::path> files{folder / "random.db", folder / "nomu.db"};
  for (const std::string& word : options.words) files.emplace_back(word);
  const int code = nomu::run_changes(options, [&](std::size_t k, const nomu::Say& say) {
    nomu::FuzzRandom random(options.seed * 0x9e3779b97f4a7c15ULL + k);
    const fs::path& original = files[k % files.size()];
    const fs::path damaged = folder / "damaged.db";
    for (const char* end : {"", "-wal", "-shm", "-journal"}) fs::remove(damaged.string() + end);
    fs::copy_file(original, damaged);
    std::string what = original.filename().string();
    for (std::size_t times = nomu::below(3, random) == 0 ? 2 : 1; times-- > 0;)
      what += "; " + nomu::damage_study(damaged, random);
    say(what);
    if (!options.keep.empty()) fs::copy_file(damaged, options.keep, fs::copy_options::overwrite_existing);
    return nomu::read_all(damaged, k % 4 == 0) + nomu::write_all(damaged);
  });
  fs::remove_all(folder);
  return code;
}
