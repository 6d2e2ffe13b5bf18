#include "nomu/bo/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "bo/store/claimed_file.hpp"
#include "bo/store/study_store.hpp"
#include "bo/study/study_replay.hpp"
#include "core/utf8.hpp"
#include "nomu/core/error.hpp"

namespace nomu {

struct Study::Parts {
  StudyStore store;
  Suggester suggester;
  std::recursive_mutex mutex;  // public functions call each other

  Parts(Database database, std::shared_ptr<Engine> engine)
      : store(std::move(database)), suggester(store.space(), store.spec(), std::move(engine)) {}
  [[nodiscard]] std::lock_guard<std::recursive_mutex> lock() { return std::lock_guard(mutex); }
};

namespace {

/// Settings that would only fail when the first model is fitted are refused here, before anything is evaluated.
void check_spec(const Space& space, const OptimizeSpec& spec) {
  if (space.size() == 0) throw ConfigError("bo/study", "a study needs a space with at least one variable");
  if (spec.method != "random") (void)method_of(spec, space.inputs());
  OptimizeSpec copy = spec;
  const Fields fields = fields_of(copy);
  for (const Field& field : fields.list()) fields.set(field.name, field.get());  // ranges
  (void)random_point(space, static_cast<std::uint64_t>(spec.seed), 0);
}

[[noreturn]] void refuse_existing(const std::filesystem::path& path) {
  throw DataError("bo/study", fmt::format("'{}' exists already; choose another name or remove it", path.string()));
}

Database new_database(const std::filesystem::path& path, const Space& space, const OptimizeSpec& spec) {
  Database database(path, Database::Access::create);
  if (!StudyStore::create(database, space, spec)) refuse_existing(path);
  return database;
}

/// A process that is killed here leaves an empty file, or one that SQLite finds empty. That is nobody's work and may be
/// taken, unless another process is at it.
void make_file(const std::filesystem::path& path, const Space& space, const OptimizeSpec& spec) {
  const ClaimedFile claim(path);
  if (!claim.locked()) refuse_existing(path);
  try {
    (void)new_database(path, space, spec);
  } catch (const Error& error) {
    const bool foreign = dynamic_cast<const DataError*>(&error) != nullptr;
    if (!claim.created() && foreign) refuse_existing(path);
    std::error_code ignored;
    for (const char* end : {"-wal", "-shm", ""}) {
      if (claim.created()) std::filesystem::remove(path.string() + end, ignored);
    }
    throw;
  }
}

Database in_memory(const Space& space, const OptimizeSpec& spec) {
  check_spec(space, spec);
  return new_database(":memory:", space, spec);
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

Study::Study(const Space& space, const OptimizeSpec& spec, std::shared_ptr<Engine> engine)
    : parts_(std::make_unique<Parts>(in_memory(space, spec), std::move(engine))) {}

Study Study::create(const std::filesystem::path& path, const Space& space, const OptimizeSpec& spec,
                    std::shared_ptr<Engine> engine) {
  if (path == ":memory:")
    throw DataError("bo/study", "':memory:' is no name for a file; give the study's file another name");
  check_spec(space, spec);
  make_file(path, space, spec);
  return open(path, StudyAccess::write, std::move(engine));
}

Study Study::open(const std::filesystem::path& path, StudyAccess access, std::shared_ptr<Engine> engine) {
  const bool write = access == StudyAccess::write;
  return Study(std::make_unique<Parts>(Database(path, write ? Database::Access::write : Database::Access::read),
                                       std::move(engine)));
}

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

/// A suggestion is computed without locking the file. If another process asked for a trial in the meantime, the
/// suggestion is discarded, because it does not take the other point into account.
std::vector<Trial> Study::ask(std::size_t count, std::string_view worker, const Progress& progress) {
  const auto lock = parts_->lock();
  const StudyStore& store = parts_->store;
  Suggester& suggester = parts_->suggester;
  const std::string name = made_utf8(worker);
  std::vector<Trial> trials = store.reissue(count, spec().lease, name);
  bool one_by_one = false;
  while (trials.size() < count) {
    const StudyStore::Snapshot snapshot = store.snapshot(spec());
    std::size_t wanted = count - trials.size();
    if (const std::int64_t most = budget(); most > 0) {
      const std::int64_t left = std::max<std::int64_t>(most - snapshot.history.trials, 0);
      wanted = std::min(wanted, static_cast<std::size_t>(left));
    }
    if (wanted == 0) break;
    if (one_by_one) wanted = 1;
    const std::vector<Suggestion> suggestions = suggester.suggest(
        snapshot.history, wanted, [&](const Point& point) { return store.taken(point); }, progress);
    if (suggestions.empty()) break;
    const bool modelled =
        std::any_of(suggestions.begin(), suggestions.end(), [](const Suggestion& s) { return s.origin == "model"; });
    std::vector<Trial> recorded =
        store.record(snapshot, suggestions, spec().lease, name, modelled ? suggester.engine_name() : "");
    // Next to a process that keeps asking, a large batch would be out of date every time.
    one_by_one = one_by_one || recorded.empty();
    const bool exhausted = !recorded.empty() && recorded.size() < wanted;
    std::move(recorded.begin(), recorded.end(), std::back_inserter(trials));
    if (exhausted) break;
  }
  return trials;
}

void Study::tell(std::int64_t id, double value, bool replace) {
  if (!std::isfinite(value)) {
    throw DataError(
        "bo/study",
        fmt::format("the value of trial {} is {}; only finite numbers are results, report a failure instead", id,
                    value));
  }
  const auto lock = parts_->lock();
  parts_->store.finish(id, value, {}, replace);
}

void Study::fail(std::int64_t id, std::string_view reason, bool replace) {
  const auto lock = parts_->lock();
  parts_->store.finish(id, {}, reason.empty() ? "no reason given" : made_utf8(reason), replace);
}

Trial Study::add(const Point& point, double value) {
  space().check(point);
  if (!std::isfinite(value))
    throw DataError("bo/study", fmt::format("a result must be a finite number, got {}", value));
  Point plain = point;
  for (double& v : plain) v += 0.0;  // no negative zero: one point, one text
  const auto lock = parts_->lock();
  return parts_->store.add(plain, value);
}

void Study::renew(std::int64_t id) {
  const auto lock = parts_->lock();
  parts_->store.renew(id, spec().lease);
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

std::optional<Trial> Study::best() const {
  const auto lock = parts_->lock();
  return parts_->store.best(spec().direction);
}

std::vector<Trial> Study::trials(std::int64_t limit) const {
  const auto lock = parts_->lock();
  return parts_->store.trials(limit);
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
  const auto fitted = parts_->suggester.fit(history, progress);
  if (!fitted) return {};
  return Fitted{
      .model = fitted->model, .low = fitted->low, .high = fitted->high, .c = history.c > 0.0 ? history.c : 1.0};
}

}  // namespace nomu
