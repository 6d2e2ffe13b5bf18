#pragma once
/// The search for the best point of an expensive function as something that lasts: every question and every answer is
/// in one file before anybody hears of it. The file is a log; all else in it follows from the log and can be verified.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nomu/bo/acquisition.hpp"
#include "nomu/bo/direct.hpp"
#include "nomu/bo/space.hpp"
#include "nomu/core/fields.hpp"
#include "nomu/core/progress.hpp"
#include "nomu/engine/engine.hpp"
#include "nomu/models/method.hpp"

namespace nomu {

enum class Direction { minimize, maximize };

/// Everything that decides which points are proposed. docs/optimisation.md explains the defaults.
struct OptimizeSpec {
  Direction direction = Direction::minimize;
  std::string method = "nomu";         ///< a method of models/method, or "random"
  std::string preset = "interactive";  ///< one of the method, or small quick networks
  std::string settings = {};           ///< of the method: "train.epochs=500; ensemble=2"
  std::int64_t seed = 1;
  std::int64_t budget = 0;   ///< trials in all; 0: no limit. What counts as near (`dynamic`) shrinks on the way to it
  std::int64_t initial = 0;  ///< trials before the first model; 0: twice the variables, 8 at least
  DesignKind design = DesignKind::sobol;
  AcquisitionKind acquisition = AcquisitionKind::upper_bound;
  double mean_width = 0.5;  ///< of the bounds after the initial trials, with targets scaled to [-1,1]; fixes c
  DynamicC dynamic = {};
  bool noisy = false;            ///< the same point may give different values, and may be proposed again
  double lease = 3600.0;         ///< seconds after which a trial without result is handed out again
  std::int64_t fit_rows = 500;   ///< most results a model is fitted to
  std::int64_t warm_epochs = 0;  ///< of models that go on from an earlier one (NOMU in one stage); 0: all start anew
  std::int64_t warm_every = 8;  ///< results after which a model starts anew; those between go on from the last such one
  DirectSpec direct{.evaluations = 2000};
  std::int64_t local_starts = 8;  ///< best points of the search that are refined by gradients
};

[[nodiscard]] Fields fields_of(OptimizeSpec& spec);

/// The method's spec for this space: preset, then settings. Throws ConfigError.
[[nodiscard]] MethodSpec method_of(const OptimizeSpec& spec, std::size_t inputs);

/// A space and the study's settings from one TOML text: [[variables]] in order, [[constraints]], [study]. Unknown keys
/// are errors that name the nearest. `source` names the text in messages.
struct StudyFile {
  Space space;
  OptimizeSpec spec;
};
[[nodiscard]] StudyFile parse_study_file(std::string_view text, std::string_view source);

enum class TrialState { pending, finished, failed };

/// "pending", "finished" or "failed".
[[nodiscard]] const char* state_name(TrialState state);

struct Trial {
  std::int64_t id = 0;  ///< 1, 2, ...
  Point point = {};
  TrialState state = TrialState::pending;
  std::optional<double> value = {};
  std::string reason = {};  ///< why it failed
  std::string origin = {};  ///< "design", "model", "random" or "given"
  std::string worker = {};  ///< who has it
  double asked = 0.0;       ///< seconds since 1970
  double told = 0.0;
  double lease_until = 0.0;
};

struct StudyStatus {
  std::int64_t trials = 0;
  std::int64_t finished = 0;
  std::int64_t failed = 0;
  std::int64_t pending = 0;
  std::int64_t expired = 0;  ///< pending ones whose lease has run out
  std::optional<Trial> best = {};
};

struct VerifyReport {
  std::int64_t events = 0;
  std::int64_t trials = 0;
  std::int64_t suggestions = 0;  ///< computed again
  std::int64_t exact = 0;        ///< of them, equal bit for bit
  std::int64_t near = 0;         ///< equal within 1e-3 of the box, on another engine than the one recorded
  std::int64_t as_good = 0;      ///< elsewhere on another engine, but as good there within 1 % of the range of results
  std::vector<std::string> problems = {};
  [[nodiscard]] bool clean() const { return problems.empty(); }
};

enum class StudyAccess { read, write };

/// Several processes may hold one file at the same time; readers never block writers. Not for use by several threads
/// at once: give each its own.
class Study {
 public:
  /// A study in memory. Without an engine, one of a single thread is made when the first model is due.
  Study(const Space& space, const OptimizeSpec& spec, std::shared_ptr<Engine> engine = {});
  /// Makes the file. Throws DataError where there is one already.
  [[nodiscard]] static Study create(const std::filesystem::path& path, const Space& space, const OptimizeSpec& spec,
                                    std::shared_ptr<Engine> engine = {});
  /// Throws DataError for a file that is missing, not readable or no study.
  [[nodiscard]] static Study open(const std::filesystem::path& path, StudyAccess access = StudyAccess::write,
                                  std::shared_ptr<Engine> engine = {});
  Study(const Study&) = delete;
  Study& operator=(const Study&) = delete;
  Study(Study&&) noexcept;
  Study& operator=(Study&&) noexcept;
  ~Study();

  [[nodiscard]] const Space& space() const;
  [[nodiscard]] const OptimizeSpec& spec() const;
  /// Trials in all, 0: no limit. That of the spec until `set_budget` says otherwise.
  [[nodiscard]] std::int64_t budget() const;
  /// A study that has used up its budget goes on with a larger one; a smaller one ends it sooner. How points are chosen
  /// stays as the spec says.
  void set_budget(std::int64_t budget);

  /// The next trial. Throws Error when there is none: the budget is spent or the space used up.
  [[nodiscard]] Trial ask();
  /// Up to `count` trials, those with expired leases first; fewer when no more are left. `worker` says who has them.
  [[nodiscard]] std::vector<Trial> ask(std::size_t count, std::string_view worker = {}, const Progress& progress = {});
  /// The result of a trial; when this returns it is on disk. A trial that has one already is refused unless `replace`.
  /// Throws DataError for an unknown trial or a value that is not finite.
  void tell(std::int64_t id, double value, bool replace = false);
  void tell(const Trial& trial, double value) { tell(trial.id, value); }
  /// The trial has no value and never will.
  void fail(std::int64_t id, std::string_view reason, bool replace = false);
  /// A result from elsewhere. Throws DataError for a point outside the space.
  Trial add(const Point& point, double value);
  /// Pushes the lease of a trial that is being worked on.
  void renew(std::int64_t id);
  /// Ends the leases of workers for whom `gone` is true; their trials are handed out again.
  std::int64_t release(const std::function<bool(const std::string& worker)>& gone);

  [[nodiscard]] bool finished() const;  ///< nothing is left to be asked for
  [[nodiscard]] StudyStatus status() const;
  [[nodiscard]] std::optional<Trial> best() const;
  [[nodiscard]] Trial trial(std::int64_t id) const;
  /// Trials in order of their numbers; with a limit the latest ones.
  [[nodiscard]] std::vector<Trial> trials(std::int64_t limit = 0) const;

  /// Replays the log: whether the trials follow from it and, unless `quick`, whether every suggestion does.
  [[nodiscard]] VerifyReport verify(bool quick = false, const Progress& progress = {}) const;

  /// A model of the results so far, in the inputs of `Space::to_inputs` and targets scaled to [-1,1], larger being
  /// better; empty where there are too few.
  struct Fitted {
    std::shared_ptr<const FittedCohort> model;
    double low = 0.0;   ///< result that is scaled to -1
    double high = 0.0;  ///< to 1
    double c = 1.0;     ///< what sigma is multiplied by in the search
  };
  [[nodiscard]] std::optional<Fitted> fit(const Progress& progress = {}) const;

 private:
  struct Parts;
  explicit Study(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

/// How `maximize` and `minimize` search.
struct MaximizeOptions {
  std::int64_t evaluations = 50;
  OptimizeSpec study = {};  ///< direction and budget are set by the call
  std::shared_ptr<Engine> engine = {};
};

struct Optimum {
  Point point;
  double value = 0.0;
  std::vector<Trial> trials;
};

/// The best of `options.evaluations` evaluations of f. A value that is not finite and an exception of f count as
/// failures.
[[nodiscard]] Optimum maximize(const std::function<double(const Point&)>& f, const Space& space,
                               const MaximizeOptions& options = {});
[[nodiscard]] Optimum minimize(const std::function<double(const Point&)>& f, const Space& space,
                               const MaximizeOptions& options = {});

}  // namespace nomu
