#include "nomu/bo/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bo/database/place.hpp"
#include "bo/store/study_copy.hpp"
#include "bo/study/model_points.hpp"
#include "bo/study/study_parts.hpp"
#include "bo/study/study_replay.hpp"
#include "core/text/utf8.hpp"
#include "nomu/core/error.hpp"

namespace nomu {

namespace {

/// Settings that would only fail when the first model is fitted are refused here, before anything is evaluated.
void check_spec(const Space& space, const OptimizeSpec& spec, const EarlierResults& earlier) {
  if (space.size() == 0) throw ConfigError("bo/study", "a study needs a space with at least one variable");
  if (!earlier.points.empty() && (spec.method != "auto" || spec.rules == 1)) {
    throw ConfigError("bo/study", fmt::format("only method auto begins with the results of an earlier study; this one "
                                              "has method {}",
                                              spec.method));
  }
  for (const Point& point : earlier.points) space.check(point);
  if (spec.method != "random") (void)method_of(spec, space.inputs());
  OptimizeSpec copy = spec;
  const Fields fields = fields_of(copy);
  for (const Field& field : fields.list()) fields.set(field.name, field.get());  // ranges
  (void)random_point(space, static_cast<std::uint64_t>(spec.seed), 0);
}

/// Text that every engine can keep: UTF-8 without zero bytes.
std::string kept_text(std::string_view text) {
  return with_word(made_utf8(text), std::string_view("\0", 1), "\xEF\xBF\xBD");
}

Place place_of(const std::filesystem::path& place, FileSystems file_systems) {
  return {.place = place, .trust_file_system = file_systems == FileSystems::trusted};
}

std::unique_ptr<Database> in_memory(const Space& space, const OptimizeSpec& spec, const EarlierResults& earlier) {
  check_spec(space, spec, earlier);
  std::unique_ptr<Database> database = place_in_memory();
  (void)StudyStore::create(*database, space, spec, earlier);
  return database;
}

}  // namespace

const char* state_name(TrialState state) {
  switch (state) {
    case TrialState::pending: return "pending";
    case TrialState::finished: return "finished";
    case TrialState::failed: break;
  }
  return "failed";
}

Study::Study(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Study::Study(Study&&) noexcept = default;
Study& Study::operator=(Study&&) noexcept = default;
Study::~Study() = default;

Study::Study(const Space& space, const OptimizeSpec& spec, std::shared_ptr<Engine> engine,
             const EarlierResults& earlier)
    : parts_(std::make_unique<Parts>(in_memory(space, spec, earlier), std::move(engine))) {}

Study Study::create(const std::filesystem::path& place, const Space& space, const OptimizeSpec& spec,
                    std::shared_ptr<Engine> engine, FileSystems file_systems, const EarlierResults& earlier) {
  check_spec(space, spec, earlier);
  make_place(place_of(place, file_systems),
             [&](Database& database) { return StudyStore::create(database, space, spec, earlier); });
  return open(place, StudyAccess::write, std::move(engine), file_systems);
}

Study Study::open(const std::filesystem::path& place, StudyAccess access, std::shared_ptr<Engine> engine,
                  FileSystems file_systems) {
  return Study(std::make_unique<Parts>(open_place(place_of(place, file_systems), access == StudyAccess::write),
                                       std::move(engine)));
}

void copy_study(const std::filesystem::path& from, const std::filesystem::path& to, FileSystems file_systems) {
  const StudyStore source(open_place(place_of(from, file_systems), false));
  make_place(place_of(to, file_systems), [&](Database& target) { return copy_rows(source.database(), target); });
}

std::string Study::name() const { return parts_->store.database().name(); }

const Space& Study::space() const { return parts_->suggester.space(); }
const OptimizeSpec& Study::spec() const { return parts_->suggester.spec(); }

std::int64_t Study::budget() const {
  const auto lock = parts_->lock();
  return parts_->store.budget().value_or(spec().budget);
}

void Study::set_budget(std::int64_t budget) {
  if (budget < 0) {
    throw DataError("bo/study", fmt::format("a budget is a number of trials, or 0 for no limit; got {}", budget));
  }
  const auto lock = parts_->lock();
  parts_->store.set_budget(budget);
}

Trial Study::ask() {
  const auto lock = parts_->lock();
  const std::vector<Trial> trials = ask(1);
  if (trials.empty()) throw Error("bo/study", why_finished());
  return trials.front();
}

std::vector<Trial> Study::ask(std::size_t count, std::string_view worker, const Progress& progress) {
  if (count == 0) return {};
  return parts_->ask({.count = count, .workers = {kept_text(worker)}, .lease = spec().lease}, progress);
}

std::vector<Trial> Study::ask(const std::vector<std::string>& workers, const Progress& progress) {
  if (workers.empty()) return {};
  StudyStore::Askers askers{.count = workers.size(), .workers = {}, .lease = spec().lease};
  for (const std::string& worker : workers) askers.workers.push_back(kept_text(worker));
  return parts_->ask(askers, progress);
}

/// Points of the initial design and random ones take no time: they are computed and recorded in one transaction. A
/// suggestion of a model is computed without locking the study, for all requests that wait for one (`ask_model`).
std::vector<Trial> Study::Parts::ask(const StudyStore::Askers& askers, const Progress& progress) {
  const auto guard = lock();
  bool model_needed = suggester.at_once(trials_seen) == 0;
  std::vector<Trial> trials;
  if (!model_needed) {
    trials = store.ask_at_once(askers, suggester.spec().budget, [&](std::int64_t before, std::size_t wanted) {
      trials_seen = before;
      const std::size_t most = std::min(wanted, suggester.at_once(before));
      model_needed = most < wanted;
      const auto taken = [&](const Point& point) { return store.taken(point); };
      // Nothing is reported inside a transaction: who listens may want to use the study.
      const Progress silent{.report = {}, .stop = progress.stop};
      return most == 0 ? std::vector<Suggestion>() : suggester.suggest({.trials = before}, most, taken, silent);
    });
  } else {
    trials = store.reissue(askers);
  }
  if (model_needed && trials.size() < askers.count) {
    for (Trial& trial : ask_model(store, suggester, askers.after(trials.size()), progress))
      trials.push_back(std::move(trial));
  }
  return trials;
}

namespace {

/// Throws DataError for a point outside the space.
Point kept_point(Point point, const Space& space) {
  space.check(point);
  point = space.settled(std::move(point));
  for (double& v : point) v += 0.0;  // no negative zero: one point, one text
  return point;
}

/// A reason is for people: a command may have printed megabytes, which every reader of the study would carry along.
std::string kept_reason(std::string_view reason) {
  constexpr std::size_t longest = 4096;
  constexpr std::string_view more = " ...";
  std::string text = kept_text(reason);
  if (text.empty()) return "no reason given";
  return text.size() <= longest ? text : shortened(text, longest - more.size()).append(more);
}

TrialResult checked(TrialResult result, const Space& space) {
  const std::string prefix = result.label.empty() ? "" : result.label + ": ";
  if (result.value && !std::isfinite(*result.value)) {
    throw DataError(
        "bo/study",
        result.id == 0 ? fmt::format("{}a result must be a finite number, got {}", prefix, *result.value)
                       : fmt::format("{}the value of trial {} is {}; only finite numbers are results, report a failure "
                                     "instead",
                                     prefix, result.id, *result.value));
  }
  if (result.cost && (!std::isfinite(*result.cost) || *result.cost <= 0.0)) {
    throw DataError("bo/study", fmt::format("{}a cost must be a finite number above 0, got {}", prefix, *result.cost));
  }
  if (result.cost && !result.value)
    throw DataError("bo/study", fmt::format("{}only a result has a cost, a failure has none", prefix));
  if (!result.value) result.reason = kept_reason(result.reason);
  if (result.value) result.reason.clear();
  if (result.id == 0 && !result.point.empty()) {
    if (!result.value) throw DataError("bo/study", prefix + "only a trial can fail, not a point; enqueue makes it one");
    result.point = kept_point(std::move(result.point), space);
  }
  return result;
}

}  // namespace

std::vector<std::int64_t> Study::tell(std::vector<TrialResult> results, Repeated repeated) {
  for (TrialResult& result : results) result = checked(std::move(result), space());
  const auto lock = parts_->lock();
  return parts_->store.finish(results, repeated);
}

void Study::tell(std::int64_t id, double value, bool replace) {
  tell({{.id = id, .value = value}}, replace ? Repeated::replace : Repeated::refuse);
}

void Study::fail(std::int64_t id, std::string_view reason, bool replace) {
  tell({{.id = id, .reason = std::string(reason)}}, replace ? Repeated::replace : Repeated::refuse);
}

Trial Study::add(const Point& point, double value) {
  space().check(point);
  return trial(tell({{.point = point, .value = value}}, Repeated::refuse).front());
}

std::vector<std::int64_t> Study::enqueue(const std::vector<Point>& points) {
  std::vector<Point> kept;
  kept.reserve(points.size());
  for (const Point& point : points) kept.push_back(kept_point(point, space()));
  if (kept.empty()) return {};
  const auto lock = parts_->lock();
  return parts_->store.enqueue(kept);
}

std::vector<std::int64_t> Study::renew(const std::vector<std::int64_t>& ids, std::string_view worker) {
  const auto lock = parts_->lock();
  return parts_->store.renew({ids.begin(), ids.end()}, spec().lease, kept_text(worker));
}

std::int64_t Study::release(const std::function<bool(const std::string& worker)>& gone) {
  const auto lock = parts_->lock();
  return parts_->store.release(gone);
}

bool Study::finished() const {
  const auto lock = parts_->lock();
  const std::int64_t asked = parts_->store.trial_count();
  const std::int64_t most = budget();
  const bool spent = most > 0 && asked >= most;
  const std::optional<std::uint64_t> count = space().feasible_count();
  const bool used_up = !spec().noisy && count && static_cast<std::uint64_t>(asked) >= *count;
  return (spent || used_up) && status().expired == 0;
}

std::string Study::why_finished() const {
  const auto lock = parts_->lock();
  const std::int64_t most = budget();
  if (most == 0 || parts_->store.trial_count() < most) return "every point of the space has been tried";
  return fmt::format(
      "the budget of {} trials is spent, including results that were added; a larger one continues the "
      "study",
      most);
}

StudyStatus Study::status() const {
  const auto lock = parts_->lock();
  return parts_->store.status(spec().direction);
}

std::vector<Trial> Study::trials(std::int64_t limit) const {
  const auto lock = parts_->lock();
  return parts_->store.trials(limit);
}

Study::Changes Study::changes(std::int64_t since, std::string_view mark) const {
  const auto lock = parts_->lock();
  return parts_->store.changes(since, mark);
}

std::vector<Trial> Study::pending() const {
  const auto lock = parts_->lock();
  return parts_->store.pending();
}

void Study::wait_for_server(double seconds, const std::stop_token& stop) {
  const auto lock = parts_->lock();
  parts_->store.database().wait_for(seconds, stop);
}

double Study::now() const {
  const auto lock = parts_->lock();
  return parts_->store.database().now();
}

Trial Study::trial(std::int64_t id) const {
  const auto lock = parts_->lock();
  if (std::optional<Trial> found = parts_->store.find(id)) return *found;
  throw DataError("bo/study", fmt::format("there is no trial {}; there are {}", id, parts_->store.trial_count()));
}

VerifyReport Study::verify(bool quick, const Progress& progress) const {
  const auto lock = parts_->lock();
  return replay(parts_->store, parts_->suggester, quick, progress);
}

std::optional<Study::Fitted> Study::fit(const Progress& progress) const {
  const auto lock = parts_->lock();
  const History history = parts_->store.snapshot(spec()).history;
  const auto fitted = parts_->suggester.shown(history, progress);
  if (!fitted) return {};
  return Fitted{.model = fitted->model,
                .low = fitted->low,
                .high = fitted->high,
                .c = history.c > 0.0 && spec().method != "auto" ? history.c : 1.0};
}

}  // namespace nomu
