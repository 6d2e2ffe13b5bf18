#pragma once
// The rules of a study: the log of events and the table of trials that follows from it, changed in the same
// transactions, whatever engine keeps them.

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bo/database/database.hpp"
#include "bo/space/history.hpp"
#include "nomu/bo/earlier.hpp"
#include "nomu/bo/optimize_spec.hpp"
#include "nomu/bo/trial.hpp"

namespace nomu {

/// One entry of the log.
struct StudyEvent {
  std::int64_t number = 0;
  std::string kind;  ///< ask, queue, reissue, tell, fail, add, budget
  std::int64_t trial = 0;
  Point point = {};                  ///< ask, queue, add
  std::optional<double> value = {};  ///< tell, add: the result; budget: the new budget
  std::string text = {};             ///< fail: the reason; ask: the origin of the point
  bool replaces = false;
  std::int64_t basis = 0;           ///< ask: number of the last event that the point depends on
  double c = 0.0;                   ///< ask: the factor of sigma; 0: no model was used
  std::string engine = {};          ///< ask
  std::optional<double> cost = {};  ///< tell, add
};

class StudyStore {
 public:
  /// Writes a new study; returns false, and writes nothing, if there is one already.
  [[nodiscard]] static bool create(Database& database, const Space& space, const OptimizeSpec& spec,
                                   const EarlierResults& earlier);
  /// Throws DataError if it is not a study, of an unknown version, or damaged.
  explicit StudyStore(std::unique_ptr<Database> database);

  [[nodiscard]] Database& database() const { return *database_; }
  [[nodiscard]] const Space& space() const { return space_; }
  [[nodiscard]] OptimizeSpec spec() const;
  /// Empty unless the study was created with some.
  [[nodiscard]] EarlierResults earlier() const;
  /// Empty unless it was changed after the study was created.
  [[nodiscard]] std::optional<std::int64_t> budget() const;
  void set_budget(std::int64_t budget) const;

  struct Snapshot {
    History history;
    std::int64_t basis = 0;
  };
  [[nodiscard]] Snapshot snapshot(const OptimizeSpec& spec) const;
  [[nodiscard]] bool taken(const Point& point) const;

  /// Who asks for trials, and for how long they get them.
  struct Askers {
    std::size_t count = 1;             ///< of trials
    std::vector<std::string> workers;  ///< each gets one trial, the last one all further ones
    double lease = 0.0;
    /// The trials are not handed out, but reserved for waiting requests for some seconds.
    bool others_wait = false;

    [[nodiscard]] const std::string& worker(std::size_t trial) const {
      return workers[std::min(trial, workers.size() - 1)];
    }
    /// The askers that remain when the first `served` have got a trial.
    [[nodiscard]] Askers after(std::size_t served) const {
      const auto gone = static_cast<std::ptrdiff_t>(std::min(served, workers.size() - 1));
      return {count - served, {workers.begin() + gone, workers.end()}, lease};
    }
  };
  /// Hands out trials whose lease has expired, at most as many as there are askers. `waited`: the askers were waiting,
  /// so that trials reserved for waiting requests are handed out too.
  [[nodiscard]] std::vector<Trial> reissue(const Askers& askers, bool waited = false) const;
  struct Recorded {
    std::int64_t budget = 0;  ///< that the study was made with; one that was set later counts instead
    std::string engine = {};  ///< that computed the suggestions; empty: they need none
  };
  /// Adds trials for the suggestions, or for the first of them if the budget ends there; none if other trials were
  /// added since the snapshot.
  [[nodiscard]] std::vector<Trial> record(const Snapshot& snapshot, std::vector<Suggestion> suggestions,
                                          const Askers& askers, const Recorded& how) const;
  /// Hands out expired trials, then new ones that `suggest` returns, given the number of trials so far and how many may
  /// be added, all in one transaction: for suggestions that take no time to compute.
  using Suggest = std::function<std::vector<Suggestion>(std::int64_t trials, std::size_t count)>;
  [[nodiscard]] std::vector<Trial> ask_at_once(const Askers& askers, std::int64_t budget, const Suggest& suggest) const;
  /// Adds trials that nobody evaluates yet: they are handed out next, like those whose lease has ended. Returns their
  /// numbers.
  [[nodiscard]] std::vector<std::int64_t> enqueue(const std::vector<Point>& points) const;
  /// What there is to do among chosen points.
  struct Claim {
    std::optional<Trial> trial = {};  ///< is the asker's now
    bool others_busy = false;         ///< whether others evaluate some of the points
  };
  /// Hands out the trial of the first of these points that has no result and is nobody's or the asker's, or whose lease
  /// has ended. A point that is no trial yet becomes one.
  [[nodiscard]] Claim claim(const std::vector<Point>& points, const Askers& asker) const;
  /// All results or none, in one transaction; returns the numbers of their trials. `notes` are written with them,
  /// except those that are there already.
  using Notes = std::vector<std::pair<std::string, std::string>>;
  [[nodiscard]] std::vector<std::int64_t> finish(const std::vector<TrialResult>& results, Repeated repeated,
                                                 const Notes& notes = {}) const;
  /// Empty if there is no such note.
  [[nodiscard]] std::string note(const std::string& name) const;
  /// Extends the leases of those of these trials that a worker has, this one unless its name is empty; returns their
  /// numbers.
  [[nodiscard]] std::vector<std::int64_t> renew(const std::set<std::int64_t>& ids, double lease,
                                                const std::string& worker = {}) const;
  [[nodiscard]] std::int64_t release(const std::function<bool(const std::string&)>& gone) const;

  [[nodiscard]] StudyStatus status(Direction direction) const;
  [[nodiscard]] std::int64_t trial_count() const;
  [[nodiscard]] std::optional<Trial> best(Direction direction) const;
  [[nodiscard]] std::optional<Trial> find(std::int64_t id) const;
  [[nodiscard]] std::vector<Trial> trials(std::int64_t limit) const;
  [[nodiscard]] std::vector<Trial> pending() const;
  [[nodiscard]] std::int64_t last_event() const;
  /// See `Study::changes`.
  [[nodiscard]] StudyChanges changes(std::int64_t since, std::string_view mark) const;
  /// Throws DataError at the first event that cannot be one of this study.
  void each_event(const std::function<void(const StudyEvent&)>& use) const;

 private:
  void log(const StudyEvent& event, double at) const;
  void insert(const Trial& trial) const;
  [[nodiscard]] std::int64_t finish_one(const TrialResult& result, Repeated repeated) const;
  [[nodiscard]] std::vector<std::int64_t> add(const std::vector<TrialResult>& results) const;
  void hand_out(Trial& trial, const std::string& worker, double lease) const;
  [[nodiscard]] std::vector<Trial> hand_out_expired(const Askers& askers, bool waited) const;
  [[nodiscard]] Trial insert_queued(std::int64_t id, const Point& point) const;
  [[nodiscard]] std::vector<Trial> insert_asked(std::int64_t before, std::int64_t basis,
                                                const std::vector<Suggestion>& suggestions, const Askers& askers,
                                                const std::string& engine) const;
  [[nodiscard]] std::vector<Trial> read_trials(Statement& rows) const;
  [[nodiscard]] std::vector<Trial> changed(std::int64_t since) const;
  void set_cost(std::int64_t trial, const std::optional<double>& cost) const;

  std::unique_ptr<Database> database_;
  Space space_;
};

}  // namespace nomu
