#pragma once
/// A study is the search for the best point of an expensive function, kept in a SQLite file or in a PostgreSQL
/// database. It is a log of questions and answers, written before a call returns; everything else in it follows from
/// the log and can be verified.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "nomu/bo/earlier.hpp"
#include "nomu/bo/insight.hpp"
#include "nomu/bo/optimize_spec.hpp"
#include "nomu/bo/space.hpp"
#include "nomu/bo/trial.hpp"
#include "nomu/core/progress.hpp"
#include "nomu/engine/engine.hpp"
#include "nomu/models/fitted.hpp"

namespace nomu {

/// What a TOML file describes: a space and the settings of a study.
struct StudyFile {
  Space space;
  OptimizeSpec spec;
};

/// Reads [[variables]] in order, [[constraints]] and [study]. `source` names the text in messages. Throws ConfigError
/// with the line; for an unknown key it suggests the nearest one. A variable cannot be called "id": commands of a
/// worker use that name for the number of the trial.
[[nodiscard]] StudyFile parse_study_file(std::string_view text, std::string_view source);

struct VerifyReport {
  std::int64_t events = 0;
  std::int64_t trials = 0;
  std::int64_t suggestions = 0;  ///< recomputed suggestions
  std::int64_t exact = 0;        ///< equal bit for bit
  std::int64_t near = 0;         ///< computed by another engine, within 1e-3 of the width of the box
  std::int64_t as_good = 0;  ///< computed by another engine, further away, but as good within 1 % of the results' range
  std::vector<std::string> problems = {};
  [[nodiscard]] bool clean() const { return problems.empty(); }
};

enum class StudyAccess { read, write };

/// Files on file systems that several machines share (NFS and the like) are refused unless they are trusted.
enum class FileSystems { checked, trusted };

/// Several processes may open one study at the same time; readers never block writers. Several threads may share one
/// object: calls wait for each other.
///
/// A `place` is the name of a file, or an address: "postgresql://host/db?study=yield". Everything in an address
/// except `study` is interpreted by libpq, which also handles passwords, certificates and service files.
class Study {
 public:
  /// A study in memory. Without an engine, a single-threaded one is created for the first model.
  Study(const Space& space, const OptimizeSpec& spec, std::shared_ptr<Engine> engine = {},
        const EarlierResults& earlier = {});
  /// Creates the study. Throws DataError if it exists. With `earlier` results (`earlier_results`), its first trial is
  /// the best point of these, and its model learns how far they can be relied on; only for method "auto".
  [[nodiscard]] static Study create(const std::filesystem::path& place, const Space& space, const OptimizeSpec& spec,
                                    std::shared_ptr<Engine> engine = {},
                                    FileSystems file_systems = FileSystems::checked,
                                    const EarlierResults& earlier = {});
  /// Throws DataError if it is missing, unreadable or not a study, and ConnectionLost if its server cannot be reached.
  [[nodiscard]] static Study open(const std::filesystem::path& place, StudyAccess access = StudyAccess::write,
                                  std::shared_ptr<Engine> engine = {}, FileSystems file_systems = FileSystems::checked);
  Study(const Study&) = delete;
  Study& operator=(const Study&) = delete;
  Study(Study&&) noexcept;
  Study& operator=(Study&&) noexcept;
  ~Study();

  /// What messages call it: its file, or its address without passwords; ":memory:" if it is in neither.
  [[nodiscard]] std::string name() const;
  [[nodiscard]] const Space& space() const;
  [[nodiscard]] const OptimizeSpec& spec() const;
  /// Total number of trials; 0: no limit. The spec's, unless `set_budget` changed it.
  [[nodiscard]] std::int64_t budget() const;
  /// A larger budget continues a study that has used up its own; a smaller one ends it sooner. The choice of points
  /// still follows the budget of the spec. Throws DataError for a negative number.
  void set_budget(std::int64_t budget);

  /// The next trial. Throws Error if the budget is spent or every point of the space has been tried.
  [[nodiscard]] Trial ask();
  /// Up to `count` trials, those with expired leases first; fewer if no more are left. `worker` names the worker
  /// that evaluates them. What `progress` reports to may renew leases.
  [[nodiscard]] std::vector<Trial> ask(std::size_t count, std::string_view worker = {}, const Progress& progress = {});
  /// One trial for each of these workers, in their order, from one model.
  [[nodiscard]] std::vector<Trial> ask(const std::vector<std::string>& workers, const Progress& progress = {});
  /// Records the result of a trial; it is on disk when this returns. Throws DataError for an unknown trial, a value
  /// that is not finite, and a trial that already has a result unless `replace` is set.
  void tell(std::int64_t id, double value, bool replace = false);
  void tell(const Trial& trial, double value) { tell(trial.id, value); }
  /// Records that the trial failed. Throws like `tell`.
  void fail(std::int64_t id, std::string_view reason, bool replace = false);
  /// Records many results in one transaction: all of them, or none if it throws. Returns the numbers of their trials.
  std::vector<std::int64_t> tell(std::vector<TrialResult> results, Repeated repeated = Repeated::refuse);
  /// Records a result that was obtained elsewhere. Throws DataError for a point outside the space.
  Trial add(const Point& point, double value);
  /// Adds points without results: whoever asks next gets them, in this order, before anything is suggested. They count
  /// as trials, also beyond the budget. Returns their numbers. Throws DataError for a point outside the space, and then
  /// adds none.
  std::vector<std::int64_t> enqueue(const std::vector<Point>& points);
  /// Extends the leases of trials that are being evaluated, by `worker` unless that is empty. Returns the numbers of
  /// those: trials that have a result, were given back, or are somebody else's by now are left alone.
  std::vector<std::int64_t> renew(const std::vector<std::int64_t>& ids, std::string_view worker = {});
  /// The same for one trial; returns whether its lease was extended.
  bool renew(std::int64_t id, std::string_view worker = {}) {
    return !renew(std::vector<std::int64_t>{id}, worker).empty();
  }
  /// Ends the leases of all workers for which `gone` returns true, so that their trials are handed out again; returns
  /// the number of trials.
  std::int64_t release(const std::function<bool(const std::string& worker)>& gone);

  /// Whether no trial is left to ask for.
  [[nodiscard]] bool finished() const;
  /// Why no trial is left, as a sentence for people: the budget or the space is used up.
  [[nodiscard]] std::string why_finished() const;
  [[nodiscard]] StudyStatus status() const;
  /// The trial with the best result. If results are noisy, the one whose expected value is the best, for which a model
  /// is fitted; while there are too few results for one, the best result. Empty if no trial has a result.
  [[nodiscard]] std::optional<Trial> best() const;
  /// What the results suggest to do otherwise, a sentence each: to make the study noisy, if at least 2e-4 of
  /// the variance of 20 or more results is explained as noise, for which a model is fitted; and `advice_on_penalties`.
  [[nodiscard]] std::vector<std::string> advice() const;
  /// Throws DataError if there is no such trial.
  [[nodiscard]] Trial trial(std::int64_t id) const;
  /// All trials in the order of their numbers, or only the latest `limit`.
  [[nodiscard]] std::vector<Trial> trials(std::int64_t limit = 0) const;

  using Changes = StudyChanges;
  /// What has changed since the event with this number, 0 for the beginning. With its mark, it is noticed if another
  /// event has that number now.
  [[nodiscard]] Changes changes(std::int64_t since, std::string_view mark = {}) const;

  /// Trials that are handed out, in the order of their numbers.
  [[nodiscard]] std::vector<Trial> pending() const;
  /// Seconds since 1970 by the clock that leases follow: this machine's for a file, the server's for a database.
  [[nodiscard]] double now() const;

  /// From now on calls wait `seconds` for a server that is silent (90 unless this was called), and not after a request
  /// to stop; then they throw ConnectionLost. A file is not waited for.
  void wait_for_server(double seconds, const std::stop_token& stop = {});

  /// Replays the log and checks that the trials follow from it and, unless `quick`, that every suggestion does.
  [[nodiscard]] VerifyReport verify(bool quick = false, const Progress& progress = {}) const;

  /// A model of the results so far. It reads the inputs of `Space::to_inputs` and predicts targets scaled to [-1,1],
  /// where larger is better.
  struct Fitted {
    std::shared_ptr<const FittedCohort> model;
    double low = 0.0;   ///< the result that is scaled to -1
    double high = 0.0;  ///< the result that is scaled to 1
    double c = 1.0;     ///< factor of sigma in the search
  };
  /// Empty if there are too few results.
  [[nodiscard]] std::optional<Fitted> fit(const Progress& progress = {}) const;

  /// Up to `count` trials at points that maximise the given acquisition under a Gaussian process fitted to the results.
  /// Their origin is "custom"; `verify` cannot recompute them and counts them as given. Empty if there are too few
  /// results, or no trial is left.
  [[nodiscard]] std::vector<Trial> ask_by(const CustomAcquisition& acquisition, std::size_t count = 1,
                                          std::string_view worker = {});
  /// Empty if there are too few results, or all are equal.
  [[nodiscard]] std::optional<Outlook> outlook() const;
  /// In the order of the variables; empty if there are too few results, or all are equal.
  [[nodiscard]] std::vector<Importance> importances() const;

 private:
  struct Parts;
  explicit Study(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

/// Copies a study as it is, log included, to a place where there is none: another file, or another engine. Throws
/// DataError, and then leaves nothing there.
void copy_study(const std::filesystem::path& from, const std::filesystem::path& to,
                FileSystems file_systems = FileSystems::checked);

/// Options of `minimize` and `maximize`.
struct OptimizeOptions {
  std::int64_t evaluations = 50;
  OptimizeSpec study = {};     ///< direction and budget are set by the call
  std::int64_t failures = 10;  ///< consecutive failures after which to stop; 0: never
  std::shared_ptr<Engine> engine = {};
};

/// The best trial (`Study::best`) of a search.
struct Optimum {
  Point point;
  double value = 0.0;  ///< the result of that trial
  std::vector<Trial> trials;
};

/// The best of `options.evaluations` evaluations of f. An exception thrown by f and a value that is not finite count as
/// failed evaluations; f may throw Cancelled to end the search. Throws ConfigError for options out of range, and Error
/// after too many failures in a row and if all evaluations failed.
[[nodiscard]] Optimum maximize(const std::function<double(const Point&)>& f, const Space& space,
                               const OptimizeOptions& options = {});
[[nodiscard]] Optimum minimize(const std::function<double(const Point&)>& f, const Space& space,
                               const OptimizeOptions& options = {});

/// The same with a study of the caller's: evaluates trials in the calling thread until none is left. `ask` returns the
/// next trial, or none; if it is empty, the study is asked. Throws as `minimize` does.
[[nodiscard]] Optimum optimize(Study& study, const std::function<double(const Point&)>& f, std::int64_t failures = 10,
                               const std::function<std::vector<Trial>()>& ask = {});

}  // namespace nomu
