#include "bo/study/study_replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>

#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr std::size_t most_problems = 20;
constexpr double as_good = 0.02;  // for targets in [-1,1]: one per cent of the range of the results

/// The trials that follow from the events up to some point of the log.
class ReplayedTrials {
 public:
  /// Returns what is wrong with the event; empty if nothing is.
  std::string apply(const StudyEvent& event) {
    if (event.kind == "reissue") return require(event, TrialState::pending);
    if (event.kind == "budget") {
      budget_ = event.value;
      return {};
    }
    if (event.kind == "ask" || event.kind == "queue" || event.kind == "add") {
      if (event.trial != static_cast<std::int64_t>(trials_.size()) + 1) {
        return fmt::format("event {} is about trial {}, but trial {} was expected", event.number, event.trial,
                           trials_.size() + 1);
      }
      trials_.push_back({.id = event.trial, .point = event.point, .origin = event.text});
      known_.insert(event.point);
      if (event.c > 0.0 && c_ == 0.0) c_ = event.c;
      if (event.kind != "ask") trials_.back().origin = Origin::given;
      if (event.kind == "add") set(trials_.back(), event);
      return {};
    }
    if (event.kind != "tell" && event.kind != "fail") {
      return fmt::format("event {} has the unknown kind '{}'", event.number, event.kind);
    }
    if (std::string problem = event.replaces ? exists(event) : require(event, TrialState::pending); !problem.empty()) {
      return problem;
    }
    set(trials_[static_cast<std::size_t>(event.trial) - 1], event);
    return {};
  }

  [[nodiscard]] History history(const OptimizeSpec& spec) const {
    History history{.trials = static_cast<std::int64_t>(trials_.size()),
                    .finished = static_cast<std::int64_t>(order_.size()),
                    .c = c_};
    std::vector<std::int64_t> order;
    std::vector<double> values;
    for (const auto& [place, id] : order_) {
      order.push_back(id);
      values.push_back(*at(id).value);
    }
    for (const std::size_t k : fit_subset(values, spec.direction, static_cast<std::size_t>(spec.fit_rows))) {
      history.points.push_back(at(order[k]).point);
      history.values.push_back(values[k]);
      if (costs_ > 0) history.costs.push_back(at(order[k]).cost.value_or(0.0));
    }
    const auto latest = [&](TrialState state, std::int64_t most, std::vector<Point>& points) {
      for (auto trial = trials_.rbegin(); trial != trials_.rend(); ++trial) {
        if (static_cast<std::int64_t>(points.size()) == most) break;
        if (trial->state == state) points.push_back(trial->point);
      }
      std::reverse(points.begin(), points.end());
    };
    latest(TrialState::failed, most_failed, history.failed);
    latest(TrialState::pending, pending_of(spec), history.pending);
    return history;
  }

  [[nodiscard]] bool taken(const Point& point) const { return known_.contains(point); }
  [[nodiscard]] const std::vector<Trial>& trials() const { return trials_; }
  [[nodiscard]] std::optional<double> budget() const { return budget_; }

 private:
  [[nodiscard]] const Trial& at(std::int64_t id) const { return trials_[static_cast<std::size_t>(id) - 1]; }
  [[nodiscard]] std::string exists(const StudyEvent& event) const {
    if (event.trial >= 1 && event.trial <= static_cast<std::int64_t>(trials_.size())) return {};
    return fmt::format("event {} is about trial {}, which does not exist", event.number, event.trial);
  }
  [[nodiscard]] std::string require(const StudyEvent& event, TrialState state) const {
    std::string problem = exists(event);
    if (problem.empty() && at(event.trial).state != state) {
      problem = fmt::format("event {} ({}) finds trial {} finished already", event.number, event.kind, event.trial);
    }
    return problem;
  }
  void set(Trial& trial, const StudyEvent& event) {
    const auto place = places_.find(trial.id);
    if (event.value && place == places_.end()) {
      places_.emplace(trial.id, ++last_place_);
      order_.emplace(last_place_, trial.id);
    }
    if (!event.value && place != places_.end()) {
      order_.erase(place->second);
      places_.erase(place);
    }
    trial.state = event.value ? TrialState::finished : TrialState::failed;
    trial.value = event.value;
    trial.reason = event.value ? std::string() : event.text;
    costs_ += (event.cost ? 1 : 0) - (trial.cost ? 1 : 0);
    trial.cost = event.cost;
  }

  std::vector<Trial> trials_;
  std::map<std::int64_t, std::int64_t> order_;             // finished trials by place, in the order of their results
  std::unordered_map<std::int64_t, std::int64_t> places_;  // the other way round
  std::int64_t last_place_ = 0;
  std::set<Point> known_;
  std::optional<double> budget_;  // if it was changed later
  double c_ = 0.0;
  std::int64_t costs_ = 0;  // number of trials with one
};

class Replay {
 public:
  Replay(const StudyStore& store, Suggester& suggester, bool quick, const Progress& progress)
      : store_(store), suggester_(suggester), quick_(quick), progress_(progress) {}

  VerifyReport run() {
    try {
      check();
    } catch (const Cancelled&) {
      throw;
    } catch (const Error& error) {
      problem(error.what());  // whatever is wrong with the file, the report says so
    }
    return report_;
  }

 private:
  void check() {
    if (const std::string damage = store_.database().damage(); !damage.empty()) {
      return problem(fmt::format("the file is damaged: {}", damage));
    }
    // The study is read in one consistent state; checking it may take long, and must not block writers.
    std::vector<StudyEvent> events;
    store_.database().read([&] {
      events.clear();
      store_.each_event([&](const StudyEvent& event) { events.push_back(event); });
      budget_ = store_.budget();
      stored_ = store_.trials(0);
    });
    for (const StudyEvent& event : events) {
      if (progress_.stop.stop_requested()) throw Cancelled("bo/study", "stopped on request");
      ++report_.events;
      if (progress_.report) {
        progress_.report(
            {.stage = "verify", .done = report_.events, .total = static_cast<std::int64_t>(events.size())});
      }
      if (!quick_ && event.kind == "ask") check_suggestion(events, event);
      if (std::string wrong = all_.apply(event); !wrong.empty()) {
        return problem(std::move(wrong));
      }
    }
    compare_trials();
  }

  void problem(std::string text) {
    if (report_.problems.size() < most_problems) report_.problems.push_back(std::move(text));
  }

  /// The trials of one batch have the same basis; each of them takes the ones before it into account.
  void check_suggestion(const std::vector<StudyEvent>& events, const StudyEvent& event) {
    if (basis_ != event.basis) {
      basis_ = event.basis;
      while (behind_at_ < events.size() && events[behind_at_].number <= event.basis)
        (void)behind_.apply(events[behind_at_++]);
      history_ = behind_.history(suggester_.spec());
      batch_.clear();
    }
    if (event.text != "custom") compare_suggestion(event);  // the acquisition is not recorded
    batch_.insert(event.point);
    history_.pending.push_back(event.point);
    ++history_.trials;
    if (event.c > 0.0) history_.c = event.c;
  }

  void compare_suggestion(const StudyEvent& event) {
    ++report_.suggestions;
    const std::vector<Suggestion> again =
        suggester_.suggest(history_, 1, [&](const Point& p) { return behind_.taken(p) || batch_.contains(p); },
                           {.report = {}, .stop = progress_.stop});
    if (again.empty()) return problem(fmt::format("trial {} should not exist: no point was left", event.trial));
    if (again.front().point == event.point && again.front().c == event.c) {
      ++report_.exact;
      return;
    }
    if (event.engine.empty() || event.engine == suggester_.engine_name()) {
      return problem(fmt::format("trial {} does not follow from the log before it", event.trial));
    }
    compare_across_engines(event, again.front().point);
  }

  /// The models of two engines differ in their last bits, so that they may prefer different ones of two points that are
  /// about equally good.
  void compare_across_engines(const StudyEvent& event, const Point& here) {
    if (near(here, event.point)) {
      ++report_.near;
    } else if (from_model(event.text) && suggester_.shortfall(history_, event.point, event.text, {}) <= as_good) {
      ++report_.as_good;
    } else {
      problem(fmt::format(
          "trial {} does not follow from the log before it on this engine; verify it with '{}', which computed it",
          event.trial, event.engine));
    }
  }

  [[nodiscard]] bool near(const Point& a, const Point& b) const {
    const std::vector<double> u = suggester_.space().to_unit(a);
    const std::vector<double> v = suggester_.space().to_unit(b);
    for (std::size_t j = 0; j < u.size(); ++j) {
      if (std::abs(u[j] - v[j]) > 1e-3) return false;
    }
    return true;
  }

  void compare_trials() {
    if (budget_.has_value() != all_.budget().has_value() ||
        (budget_ && static_cast<double>(*budget_) != *all_.budget()))
      problem("the budget differs from what the log says");
    report_.trials = static_cast<std::int64_t>(stored_.size());
    if (stored_.size() != all_.trials().size()) {
      problem(fmt::format("the log has {} trials, the file has {}", all_.trials().size(), stored_.size()));
    }
    for (std::size_t i = 0; i < std::min(stored_.size(), all_.trials().size()); ++i) {
      const Trial& a = stored_[i];
      const Trial& b = all_.trials()[i];
      if (a.id == b.id && a.point == b.point && a.state == b.state && a.value == b.value && a.reason == b.reason &&
          a.cost == b.cost && a.origin == b.origin)
        continue;
      problem(fmt::format("trial {} differs from what the log says", a.id));
    }
  }

  const StudyStore& store_;
  Suggester& suggester_;
  bool quick_;
  const Progress& progress_;
  VerifyReport report_;
  std::optional<std::int64_t> budget_;  // as stored
  std::vector<Trial> stored_;
  ReplayedTrials all_;
  ReplayedTrials behind_;  // up to the basis of the batch that is being checked
  std::size_t behind_at_ = 0;
  std::optional<std::int64_t> basis_;
  History history_;        // at the basis, plus the trials of the batch so far
  std::set<Point> batch_;  // points of the batch so far
};

}  // namespace

VerifyReport replay(const StudyStore& store, Suggester& suggester, bool quick, const Progress& progress) {
  return Replay(store, suggester, quick, progress).run();
}

}  // namespace nomu
