#include "bo/study/model_points.hpp"

#include <fmt/format.h>

#include <random>
#include <thread>

#include "bo/store/fit_turn.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr std::size_t most_for_others = 256;  // points of one model; more should come from a newer one
constexpr int shortest_wait_ms = 10;
constexpr int longest_wait_ms = 60;

/// A unique name for one request.
std::string name_of_request(std::random_device& random) {
  const auto half = [&] { return (std::uint64_t{random()} << 32U) | random(); };
  return fmt::format("{:016x}{:016x}", half(), half());
}

/// For trials that are reserved for waiting requests.
StudyStore::Askers nobody() { return {.count = 1, .workers = {""}, .others_wait = true}; }

class ModelPoints {
 public:
  ModelPoints(const StudyStore& store, Suggester& suggester, const StudyStore::Askers& askers, const Progress& progress)
      : store_(store),
        suggester_(suggester),
        askers_(askers),
        progress_(progress),
        turn_(store.database(), name_of_request(random_)),
        patient_{.report =
                     [this](const ProgressEvent& event) {
                       turn_.renew();
                       if (progress_.report) progress_.report(event);
                     },
                 .stop = progress.stop} {}

  std::vector<Trial> ask() {
    while (trials_.size() < askers_.count) {
      if (progress_.stop.stop_requested()) throw Cancelled("bo/study", "stopped on request");
      if (!turn_.take(askers_.count - trials_.size())) {
        wait();
      } else if (!fit()) {
        break;
      }
    }
    return std::move(trials_);
  }

 private:
  /// Another process fits; the trials it leaves for us have no lease.
  void wait() {
    if (progress_.report) progress_.report({.stage = "wait for the model of another process"});
    const int range = longest_wait_ms - shortest_wait_ms;
    const int pause = shortest_wait_ms + static_cast<int>(random_() % static_cast<unsigned>(range));  // not all at once
    std::this_thread::sleep_for(std::chrono::milliseconds(pause));
    keep(store_.reissue(askers_.after(trials_.size()), true));
  }

  /// Suggests points for ourselves, then for requests that are waiting by now; later ones may know of newer results.
  /// Returns false if no trial is left for us.
  bool fit() {
    keep(store_.reissue(askers_.after(trials_.size()), true));
    if (trials_.size() == askers_.count) return true;
    StudyStore::Snapshot snapshot = store_.snapshot(suggester_.spec());
    const StudyStore::Askers own = askers_.after(trials_.size());
    std::size_t left = std::numeric_limits<std::size_t>::max();
    if (const std::int64_t most = store_.budget().value_or(suggester_.spec().budget); most > 0)
      left = static_cast<std::size_t>(std::max<std::int64_t>(most - snapshot.history.trials, 0));
    // Next to a process that does not take turns, a large batch would be out of date every time.
    const std::size_t wanted = std::min({own.count, left, disturbed_ ? std::size_t{1} : own.count});
    if (wanted == 0) return false;
    const std::vector<Trial> recorded = record(snapshot, wanted, own);
    disturbed_ = recorded.empty();
    if (disturbed_) return !exhausted_;
    keep(recorded);
    if (recorded.size() < wanted) return !exhausted_;  // the budget has become smaller, or no other point is left
    left -= recorded.size();
    const std::size_t others = std::min({turn_.wanted_by_others(), left, most_for_others});
    for (std::size_t given = 0; given < others && !exhausted_; ++given) {
      patient_.report({.stage = "points for others",
                       .done = static_cast<std::int64_t>(given),
                       .total = static_cast<std::int64_t>(others)});
      if (record(snapshot, 1, nobody()).empty()) break;
    }
    return !exhausted_;
  }

  /// Adds trials that continue the snapshot, and makes them part of it. None if others were added meanwhile, because
  /// the points do not take those into account; fewer if the budget was lowered meanwhile.
  std::vector<Trial> record(StudyStore::Snapshot& snapshot, std::size_t count, const StudyStore::Askers& askers) {
    const std::vector<Suggestion> suggestions = suggester_.suggest(
        snapshot.history, count, [this](const Point& point) { return store_.taken(point); }, patient_);
    exhausted_ = suggestions.size() < count;
    if (suggestions.empty()) return {};
    const bool modelled =
        std::any_of(suggestions.begin(), suggestions.end(), [](const Suggestion& s) { return from_model(s.origin); });
    std::vector<Trial> recorded =
        store_.record(snapshot, suggestions, askers,
                      {.budget = suggester_.spec().budget, .engine = modelled ? suggester_.engine_name() : ""});
    if (recorded.size() < suggestions.size()) exhausted_ = false;  // there may be another point yet
    for (std::size_t i = 0; i < recorded.size(); ++i) {
      ++snapshot.history.trials;
      snapshot.history.pending.push_back(suggestions[i].point);
      if (suggestions[i].c > 0.0) snapshot.history.c = suggestions[i].c;
    }
    return recorded;
  }

  void keep(const std::vector<Trial>& more) { trials_.insert(trials_.end(), more.begin(), more.end()); }

  const StudyStore& store_;
  Suggester& suggester_;
  const StudyStore::Askers& askers_;
  const Progress& progress_;
  std::random_device random_;
  FitTurn turn_;
  Progress patient_;  // also announces that we are still fitting
  std::vector<Trial> trials_;
  bool disturbed_ = false;
  bool exhausted_ = false;  // the space has no more points
};

}  // namespace

std::vector<Trial> ask_model(const StudyStore& store, Suggester& suggester, const StudyStore::Askers& askers,
                             const Progress& progress) {
  return ModelPoints(store, suggester, askers, progress).ask();
}

}  // namespace nomu
