#include "bo/database/postgres_database.hpp"

#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "bo/database/postgres_connection.hpp"
#include "bo/database/postgres_study.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr int lock_class = 0x6E6F6D75;  // "nomu"
constexpr int busy_attempts = 10;

/// Begins a change: one at a time for each study. The commit itself does not wait for the disk, so that the lock is not
/// held meanwhile; `make_durable` waits, and many changes then wait for the disk together. A client that stops in the
/// middle loses its transaction after `silence`, so others do not wait for it any longer. A study that is being created
/// or copied is used by nobody else yet.
const std::string begin_change = fmt::format(
    "SELECT set_config('synchronous_commit', 'off', true), set_config('lock_timeout', '60s', true), "
    "set_config('idle_in_transaction_session_timeout', $2, true), pg_advisory_xact_lock({}, $1::int4), "
    "extract(epoch FROM clock_timestamp())::float8",
    lock_class);
constexpr std::string_view silence = "5s";
constexpr std::string_view silence_while_making = "60s";
// A server may be set not to wait for its disk at all; a result that was reported as recorded must not depend on that.
constexpr const char* make_durable =
    "SELECT set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on' ELSE "
    "current_setting('synchronous_commit') END, true), pg_logical_emit_message(true, 'nomu', '')";

class PostgresDatabase;

class PostgresStatement : public StatementEngine {
 public:
  PostgresStatement(PostgresDatabase& database, PostgresQuery query) : database_(database), query_(std::move(query)) {}

  void bind(int index, std::int64_t value) override { set_parameter(index, postgres_parameter(value)); }
  void bind(int index, double value) override { set_parameter(index, postgres_parameter(value)); }
  void bind(int index, std::string_view value) override { set_parameter(index, postgres_parameter(value)); }
  bool step() override;
  void run() override;

  [[nodiscard]] std::int64_t integer(int column) const override { return postgres_integer(rows_.get(), row_, column); }
  [[nodiscard]] double real(int column) const override { return postgres_real(rows_.get(), row_, column); }
  [[nodiscard]] std::string text(int column) const override {
    return {PQgetvalue(rows_.get(), row_, column), static_cast<std::size_t>(PQgetlength(rows_.get(), row_, column))};
  }
  [[nodiscard]] bool null(int column) const override { return PQgetisnull(rows_.get(), row_, column) != 0; }

 private:
  void set_parameter(int index, PostgresQuery::Parameter parameter) {
    const auto at = static_cast<std::size_t>(index);  // the first parameter is the study
    if (query_.parameters.size() <= at) query_.parameters.resize(at + 1);
    query_.parameters[at] = std::move(parameter);
  }

  PostgresDatabase& database_;
  PostgresQuery query_;
  PostgresResult rows_;
  int row_ = -1;
};

class PostgresDatabase : public Database {
 public:
  PostgresDatabase(PostgresAddress address, bool writable) : connection_(std::move(address)), writable_(writable) {
    connection_.require();
  }

  [[nodiscard]] std::string name() const override { return connection_.address().name; }
  [[nodiscard]] Statement prepare(std::string_view sql) override;
  void write(const std::function<void()>& action) override;
  void read(const std::function<void()>& action) override;
  void wait_for(double seconds, const std::stop_token& stop) override { connection_.wait_for(seconds, stop); }
  [[nodiscard]] double now() override;
  [[nodiscard]] bool make_study(std::int64_t version) override;
  [[nodiscard]] std::int64_t study_version() override;
  void check_study() override;
  [[nodiscard]] std::string damage() override { return {}; }

  [[nodiscard]] PostgresResult select(const PostgresQuery& query);
  void change(const PostgresQuery& query);

 private:
  enum class Phase { outside, reading, beginning, changing, committing };

  [[nodiscard]] PostgresResult ask(PostgresQuery query);
  void settle();
  void begin();
  void commit();
  void roll_back();
  template <class Action>
  void transaction(Phase phase, const Action& action);
  [[noreturn]] void refuse(const PostgresError& error) const;

  PostgresConnection connection_;
  bool writable_;
  std::int64_t study_ = 0;
  Phase phase_ = Phase::outside;
};

bool PostgresStatement::step() {
  if (!rows_) rows_ = database_.select(query_);
  return ++row_ < PQntuples(rows_.get());
}
void PostgresStatement::run() { database_.change(query_); }

Statement PostgresDatabase::prepare(std::string_view sql) {
  std::string text(sql);
  constexpr std::pair<const char*, const char*> words[] = {
      {"{meta}", "nomu_meta"},
      {"{events}", "nomu_events"},
      {"{trials}", "nomu_trials"},
      {"{mine}", "study = $1"},
      {"{key}", "study, "},
      {"{study}", "$1, "},
      {"{now}", "extract(epoch FROM statement_timestamp())::float8"},
  };
  for (const auto& [word, meaning] : words) text = with_word(std::move(text), word, meaning);
  int number = 1;
  for (std::size_t at = text.find('?'); at != std::string::npos; at = text.find('?', at))
    text.replace(at, 1, fmt::format("${}", ++number));
  return Statement(std::make_unique<PostgresStatement>(
      *this, PostgresQuery{.sql = std::move(text), .parameters = {postgres_parameter(study_)}}));
}

/// Sends a question, and before it the beginning of the change that it is part of.
PostgresResult PostgresDatabase::ask(PostgresQuery query) {
  if (phase_ == Phase::outside) connection_.require();
  if (phase_ == Phase::beginning) begin();
  try {
    return connection_.ask(std::move(query));
  } catch (const PostgresError& error) {
    refuse(error);
  }
}

void PostgresDatabase::settle() {
  try {
    connection_.settle();
  } catch (const PostgresError& error) {
    refuse(error);
  }
}

void PostgresDatabase::begin() {
  connection_.require();
  phase_ = Phase::changing;
  connection_.forget();
  // Whatever the database's default is: the rules read what others committed before the lock was ours.
  connection_.defer({.sql = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"});
  connection_.defer(
      {.sql = begin_change,
       .parameters = {postgres_parameter(study_), postgres_parameter(study_ == 0 ? silence_while_making : silence)},
       .keep = true});
}

PostgresResult PostgresDatabase::select(const PostgresQuery& query) {
  if (phase_ != Phase::outside) return ask(query);
  try {
    return ask(query);
  } catch (const ConnectionLost&) {
    return ask(query);  // a pooler or a restarted server may have closed a connection that was not in use
  }
}

void PostgresDatabase::change(const PostgresQuery& query) {
  if (phase_ == Phase::beginning) begin();
  try {
    connection_.defer(query);  // sends what has been queued now and then
  } catch (const PostgresError& error) {
    refuse(error);
  }
}

double PostgresDatabase::now() {
  if (phase_ == Phase::beginning) begin();
  if (phase_ == Phase::changing) {
    if (connection_.kept() == nullptr) settle();
    return postgres_real(connection_.kept(), 0, 4);  // when the change began
  }
  const PostgresResult row = select({.sql = "SELECT extract(epoch FROM clock_timestamp())::float8"});
  return postgres_real(row.get(), 0, 0);
}

void PostgresDatabase::commit() {
  if (phase_ == Phase::beginning) return;  // nothing was asked or changed
  const bool change = phase_ == Phase::changing;
  phase_ = change ? Phase::committing : phase_;
  connection_.defer({.sql = "COMMIT", .ends_batch = change});
  if (change) connection_.defer({.sql = make_durable});
  settle();
}

void PostgresDatabase::roll_back() {
  connection_.forget();
  if (phase_ == Phase::beginning) return;
  try {
    (void)connection_.ask({.sql = "ROLLBACK"});
  } catch (const Error&) {
    connection_.drop();  // the server rolls back what a lost connection had begun
  }
}

/// A lost connection before the commit was sent means that nothing happened, so it is tried once more on a new one.
template <class Action>
void PostgresDatabase::transaction(Phase phase, const Action& action) {
  for (int attempt = 0;; ++attempt) {
    phase_ = phase;
    try {
      action();
      phase_ = Phase::outside;
      return;
    } catch (const ConnectionLost& error) {
      const bool undecided = phase_ == Phase::committing;
      phase_ = Phase::outside;
      if (undecided) {
        throw ConnectionLost(
            "bo/study", fmt::format("{}: the step in progress may or may not have been recorded", error.message()));
      }
      if (attempt >= 1) throw;
    } catch (...) {
      roll_back();
      phase_ = Phase::outside;
      throw;
    }
  }
}

void PostgresDatabase::write(const std::function<void()>& action) {
  if (!writable_) throw DataError("bo/study", fmt::format("'{}' was opened for reading only", name()));
  for (int attempt = 0;; ++attempt) {
    try {
      return transaction(Phase::beginning, [&] {
        action();
        commit();
      });
    } catch (const PostgresBusy&) {
      if (attempt == busy_attempts - 1 || connection_.stopped()) throw;
      std::this_thread::sleep_for(std::chrono::milliseconds(20 << attempt));
    }
  }
}

void PostgresDatabase::read(const std::function<void()>& action) {
  transaction(Phase::reading, [&] {
    connection_.require();
    connection_.defer({.sql = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"});
    action();
    commit();
  });
}

std::int64_t PostgresDatabase::study_version() {
  const PostgresResult row =
      select({.sql = "SELECT oldest FROM nomu_studies WHERE id = $1", .parameters = {postgres_parameter(study_)}});
  return PQntuples(row.get()) == 0 ? first_study_version : postgres_integer(row.get(), 0, 0);
}

bool PostgresDatabase::make_study(std::int64_t version) {
  study_ = 0;  // an attempt before may have given it a number that was never recorded
  begin();
  try {
    study_ = make_postgres_study(connection_, version);
  } catch (const PostgresError& error) {
    refuse(error);
  }
  return study_ != 0;
}

void PostgresDatabase::check_study() {
  try {
    study_ = find_postgres_study(connection_);
  } catch (const PostgresError& error) {
    refuse(error);
  }
}

void PostgresDatabase::refuse(const PostgresError& error) const { refuse_postgres(error, name()); }

}  // namespace

std::unique_ptr<Database> connect_postgres(PostgresAddress address, bool writable) {
  return std::make_unique<PostgresDatabase>(std::move(address), writable);
}

}  // namespace nomu
