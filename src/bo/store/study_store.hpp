#pragma once
// The file of a study: the log of events and the table of trials that follows from it, changed in the same
// transactions.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bo/space/history.hpp"
#include "bo/store/database.hpp"
#include "nomu/bo/optimize_spec.hpp"
#include "nomu/bo/trial.hpp"

namespace nomu {

/// One entry of the log.
struct StudyEvent {
  std::int64_t number = 0;
  std::string kind;  ///< ask, tell, fail, add, reissue, budget
  std::int64_t trial = 0;
  Point point = {};                  ///< ask, add
  std::optional<double> value = {};  ///< tell, add: the result; budget: the new budget
  std::string text = {};             ///< fail: the reason; ask: the origin of the point
  bool replaces = false;
  std::int64_t basis = 0;   ///< ask: number of the last event that the point depends on
  double c = 0.0;           ///< ask: the factor of sigma; 0: no model was used
  std::string engine = {};  ///< ask
};

class StudyStore {
 public:
  /// Writes a new study; returns false, and writes nothing, if the database is not empty.
  [[nodiscard]] static bool create(const Database& database, const Space& space, const OptimizeSpec& spec);
  /// Throws DataError if the file is not a study, of an unknown version, or damaged.
  explicit StudyStore(Database database);

  [[nodiscard]] const Database& database() const { return database_; }
  [[nodiscard]] const Space& space() const { return space_; }
  [[nodiscard]] OptimizeSpec spec() const;
  /// Empty unless it was changed after the study was created.
  [[nodiscard]] std::optional<std::int64_t> budget() const;
  void set_budget(std::int64_t budget) const;

  struct Snapshot {
    History history;
    std::int64_t basis = 0;
  };
  [[nodiscard]] Snapshot snapshot(const OptimizeSpec& spec) const;
  [[nodiscard]] bool taken(const Point& point) const;

  /// Hands out up to `count` trials whose lease has expired.
  [[nodiscard]] std::vector<Trial> reissue(std::size_t count, double lease, std::string_view worker) const;
  /// Adds trials for the suggestions; none if other trials were added since the snapshot.
  [[nodiscard]] std::vector<Trial> record(const Snapshot& snapshot, const std::vector<Suggestion>& suggestions,
                                          double lease, std::string_view worker, const std::string& engine) const;
  void finish(std::int64_t id, std::optional<double> value, std::string_view reason, bool replace) const;
  [[nodiscard]] Trial add(const Point& point, double value) const;
  void renew(std::int64_t id, double lease) const;
  [[nodiscard]] std::int64_t release(const std::function<bool(const std::string&)>& gone) const;

  [[nodiscard]] StudyStatus status(Direction direction) const;
  [[nodiscard]] std::int64_t trial_count() const;
  [[nodiscard]] std::optional<Trial> best(Direction direction) const;
  [[nodiscard]] std::optional<Trial> find(std::int64_t id) const;
  [[nodiscard]] std::vector<Trial> trials(std::int64_t limit) const;
  /// Throws DataError at the first event that cannot be one of this study.
  void each_event(const std::function<void(const StudyEvent&)>& use) const;
  /// What SQLite finds wrong with the file; empty if it is intact.
  [[nodiscard]] std::string damage() const;

 private:
  void log(const StudyEvent& event) const;
  [[nodiscard]] Trial require(std::int64_t id) const;
  [[nodiscard]] std::vector<Trial> read_trials(Statement& rows) const;

  Database database_;
  Space space_;
};

}  // namespace nomu
