#pragma once
/// A trial is one point that is to be evaluated, and its result once there is one.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nomu/bo/space.hpp"

namespace nomu {

enum class TrialState { pending, finished, failed };

/// "pending", "finished" or "failed".
[[nodiscard]] const char* state_name(TrialState state);

struct Trial {
  std::int64_t id = 0;  ///< 1, 2, ...
  Point point = {};
  TrialState state = TrialState::pending;
  std::optional<double> value = {};
  std::string reason = {};  ///< why it failed
  /// Where the point came from: "design", "gp" or "nomu" (the model of method auto that proposed it), "model" (that of
  /// another method), "random", "custom" or "given".
  std::string origin = {};
  std::string worker = {};          ///< name of the worker that evaluates it
  double asked = 0.0;               ///< when it was handed out last; seconds since 1970
  double told = 0.0;                ///< seconds since 1970
  double lease_until = 0.0;         ///< seconds since 1970; 0: no worker holds it: it was queued, or its lease
                                    ///< was released
  std::optional<double> cost = {};  ///< what the evaluation took, in any unit, if it was told
};

/// Whether the trial is pending and no worker holds it.
[[nodiscard]] inline bool is_waiting(const Trial& trial) {
  return trial.state == TrialState::pending && trial.lease_until == 0.0;
}

/// The result of a trial, or of a point that was evaluated without one.
struct TrialResult {
  std::int64_t id = 0;               ///< the trial; 0: `point` is added to the study with its value
  Point point = {};                  ///< only if `id` is 0
  std::optional<double> value = {};  ///< empty: the trial failed
  std::string reason = {};           ///< why it failed
  std::string label = {};            ///< what messages call this result, "line 3" for example; may be empty
  std::optional<double> cost = {};   ///< what it took, in any unit, above 0; only with a value
};

/// What to do with a result of a trial that has one already.
enum class Repeated {
  refuse,
  accept_equal,  ///< the same result again changes nothing; another one is refused
  replace
};

struct StudyStatus {
  std::int64_t trials = 0;
  std::int64_t finished = 0;
  std::int64_t failed = 0;
  std::int64_t pending = 0;
  std::int64_t expired = 0;               ///< pending trials that nobody has, or whose lease has expired
  std::optional<Trial> best_result = {};  ///< as measured; with noise, `Study::best` may be another one
};

/// Trials that were changed after an event of the log; leases that are merely extended count as no change.
struct StudyChanges {
  std::int64_t event = 0;  ///< number of the last event
  std::string mark = {};   ///< distinguishes that event from others that had or will have its number
  /// Events that were seen are gone: a database that crashes may lose what it had shown, and uses the numbers again.
  /// What was known is void then, and `trials` are all that there are.
  bool anew = false;
  std::vector<Trial> trials = {};  ///< as they are now, in the order of their numbers
};

}  // namespace nomu
