#pragma once
// The seam between a study and the engine that keeps it: transactions, statements and a clock. What a study is, its
// rules and its queries are written once, above it.

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

namespace nomu {

/// One statement of an engine. Parameters are numbered from 1 on, columns from 0 on.
class StatementEngine {
 public:
  StatementEngine() = default;
  StatementEngine(const StatementEngine&) = delete;
  StatementEngine& operator=(const StatementEngine&) = delete;
  StatementEngine(StatementEngine&&) = delete;
  StatementEngine& operator=(StatementEngine&&) = delete;
  virtual ~StatementEngine() = default;

  virtual void bind(int index, std::int64_t value) = 0;
  virtual void bind(int index, double value) = 0;
  virtual void bind(int index, std::string_view value) = 0;
  virtual bool step() = 0;
  virtual void run() = 0;
  [[nodiscard]] virtual std::int64_t integer(int column) const = 0;
  [[nodiscard]] virtual double real(int column) const = 0;
  [[nodiscard]] virtual std::string text(int column) const = 0;
  [[nodiscard]] virtual bool null(int column) const = 0;
};

/// A statement as the rules use it.
class Statement {
 public:
  explicit Statement(std::unique_ptr<StatementEngine> engine) : engine_(std::move(engine)) {}

  template <class Value>
  Statement& bind(int index, const Value& value) {
    engine_->bind(index, value);
    return *this;
  }

  /// Advances to the next row; returns whether there is one.
  bool step() { return engine_->step(); }
  /// Runs a statement that selects nothing. Inside `Database::write` it may run later, but in order, and before
  /// anything is selected.
  void run() { engine_->run(); }

  [[nodiscard]] std::int64_t integer(int column) const { return engine_->integer(column); }
  [[nodiscard]] double real(int column) const { return engine_->real(column); }
  [[nodiscard]] std::string text(int column) const { return engine_->text(column); }
  [[nodiscard]] bool null(int column) const { return engine_->null(column); }

 private:
  std::unique_ptr<StatementEngine> engine_;
};

/// One study in an engine, which may also keep other studies. Statements are SQL that every engine understands, with
/// `?` for parameters and these words in braces: {meta}, {events} and {trials} are the tables, {mine} is the condition
/// that a row belongs to the study, {key} and {study} begin the columns and the values of an insertion, {now} is the
/// time.
class Database {
 public:
  Database() = default;
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  Database(Database&&) = delete;
  Database& operator=(Database&&) = delete;
  virtual ~Database() = default;

  /// What messages call the study: its file, or its address without secrets.
  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual Statement prepare(std::string_view sql) = 0;

  /// Runs `action` as one transaction, which is on disk when this returns; nobody else changes the study meanwhile.
  /// `action` may be called more than once.
  virtual void write(const std::function<void()>& action) = 0;
  /// Runs `action` on one consistent state of the study.
  virtual void read(const std::function<void()>& action) = 0;
  /// From now on a server that is silent is waited for so long, and not after a request to stop: then calls throw
  /// ConnectionLost. A file is not waited for.
  virtual void wait_for(double /*seconds*/, const std::stop_token& /*stop*/) {}
  /// Seconds since 1970 by the clock that the leases of this study follow.
  [[nodiscard]] virtual double now() = 0;

  /// Inside `write`: makes the tables of a new study that takes a nomu which reads this version; returns false, and
  /// changes nothing, if there is one already.
  [[nodiscard]] virtual bool make_study(std::int64_t version) = 0;
  /// The version that a nomu must read to work with this study.
  [[nodiscard]] virtual std::int64_t study_version() = 0;
  /// Throws DataError if this is not a study, of an unknown version, or damaged.
  virtual void check_study() = 0;
  /// What the engine finds wrong with its own tables; empty if they are intact.
  [[nodiscard]] virtual std::string damage() = 0;
};

/// Seconds for which a silent server is waited for; longer than it waits for a lock.
inline constexpr double patience_with_servers = 90.0;

inline constexpr std::int64_t first_study_version = 1;
/// Studies with conditions or earlier results: who does not know of these would misread them.
inline constexpr std::int64_t latest_study_version = 2;

/// Replaces every `from` in the text.
[[nodiscard]] std::string with_word(std::string text, std::string_view from, std::string_view to);

}  // namespace nomu
