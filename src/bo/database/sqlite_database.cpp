#include "bo/database/sqlite_database.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <array>
#include <chrono>
#include <fstream>
#include <string_view>
#include <thread>
#include <utility>

#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr int patience_ms = 60000;      // how long one attempt waits for a lock
constexpr int longest_cell = 64 << 20;  // bytes; spaces and points are far smaller

/// Another process has locked the file; the transaction should be tried again.
class Busy : public Error {
 public:
  using Error::Error;
};

std::string uri_of(const std::filesystem::path& path, bool immutable) {
  std::string uri = "file://";  // an absolute path follows, so that no part of it is read as a host
  for (const char c : std::filesystem::absolute(path).string()) {
    if (c == '?' || c == '#' || c == '%') {
      uri += fmt::format("%{:02x}", static_cast<unsigned char>(c));
    } else {
      uri += c;
    }
  }
  return immutable ? uri + "?immutable=1" : uri;
}

}  // namespace

void SqliteDatabase::Close::operator()(sqlite3* handle) const { sqlite3_close(handle); }

namespace {

class SqliteStatement : public StatementEngine {
 public:
  SqliteStatement(const SqliteDatabase& database, sqlite3* handle, const std::string& sql) : database_(database) {
    sqlite3_stmt* statement = nullptr;
    const int code = sqlite3_prepare_v2(handle, sql.c_str(), -1, &statement, nullptr);
    statement_.reset(statement);
    if (code != SQLITE_OK) database.fail(code);
  }

  void bind(int index, std::int64_t value) override { sqlite3_bind_int64(statement_.get(), index, value); }
  void bind(int index, double value) override { sqlite3_bind_double(statement_.get(), index, value); }
  void bind(int index, std::string_view value) override {
    const char* text = value.data() == nullptr ? "" : value.data();  // a null pointer would bind NULL
    sqlite3_bind_text64(statement_.get(), index, text, value.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  }

  bool step() override {
    const int code = sqlite3_step(statement_.get());
    if (code == SQLITE_ROW) return true;
    if (code != SQLITE_DONE) database_.fail(code);
    return false;
  }
  void run() override {
    while (step()) {
    }
    sqlite3_reset(statement_.get());
  }

  [[nodiscard]] std::int64_t integer(int column) const override {
    return sqlite3_column_int64(statement_.get(), column);
  }
  [[nodiscard]] double real(int column) const override { return sqlite3_column_double(statement_.get(), column); }
  [[nodiscard]] bool null(int column) const override {
    return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
  }
  [[nodiscard]] std::string text(int column) const override {
    const unsigned char* text = sqlite3_column_text(statement_.get(), column);
    if (text == nullptr) return {};
    return {reinterpret_cast<const char*>(text),
            static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
  }

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  const SqliteDatabase& database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// The file may be a stranger's: nothing in it may call functions with side effects, and no cell takes much memory.
void distrust(sqlite3* handle) {
#ifdef SQLITE_DBCONFIG_TRUSTED_SCHEMA  // since 3.31
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
#endif
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, longest_cell);
}

/// SQLite would wait for ever for who writes into a pipe.
void require_file(const std::filesystem::path& path) {
  if (path.empty()) throw DataError("bo/study", "the name of a study is empty");
  std::error_code unknown;
  const std::filesystem::file_status status = std::filesystem::status(path, unknown);
  if (!std::filesystem::exists(status) || std::filesystem::is_regular_file(status)) return;
  throw DataError("bo/study", fmt::format("'{}' is not a study: it is {}, not a file", path.string(),
                                          std::filesystem::is_directory(status) ? "a folder" : "a pipe or a device"));
}

/// The rollback journal that SQLite looks for next to the file, wherever links lead; empty if there is none.
std::string journal_of(sqlite3* handle) {
  const char* file = sqlite3_db_filename(handle, "main");
  if (file == nullptr || *file == '\0') return {};  // in memory
  std::string journal = std::string(file) + "-journal";
  std::error_code unknown;
  return std::filesystem::exists(journal, unknown) ? journal : std::string();
}

/// Whether a journal ends with the name of a super-journal, which SQLite writes for changes to several databases at
/// once. Taking such a change back deletes the file of that name, whatever it is.
bool names_another_file(const std::string& journal) {
  constexpr std::string_view mark = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
  constexpr std::streamoff least = 16;  // the name's length, its checksum and the mark
  std::ifstream file(journal, std::ios::binary | std::ios::ate);
  if (!file || file.tellg() < least) return false;
  std::array<char, mark.size()> end{};
  file.seekg(-static_cast<std::streamoff>(mark.size()), std::ios::end);
  return file.read(end.data(), end.size()) && std::string_view(end.data(), end.size()) == mark;
}

/// The journal may be a stranger's, too. Must be called before SQLite reads the file, and with it the journal.
void require_harmless_journal(sqlite3* handle) {
  const std::string journal = journal_of(handle);
  if (journal.empty()) return;
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(journal, unknown)) {
    throw DataError("bo/study",
                    fmt::format("'{}' is next to the study and not a file; nomu did not make it: remove it", journal));
  }
  if (names_another_file(journal)) {
    throw DataError("bo/study", fmt::format("'{}' is next to the study and names another file, which SQLite would "
                                            "delete; nomu did not write it: remove '{}'",
                                            journal, journal));
  }
}

void answer_now(sqlite3_context* context, int /*count*/, sqlite3_value** /*values*/) {
  sqlite3_result_double(context, seconds_now());
}

}  // namespace

Statement SqliteDatabase::prepare(std::string_view sql) {
  std::string text(sql);
  constexpr std::pair<const char*, const char*> words[] = {
      {"{meta}", "meta"}, {"{events}", "events"}, {"{trials}", "trials"},     {"{mine}", "1"},
      {"{key}", ""},      {"{study}", ""},        {"{now}", "seconds_now()"},
  };
  for (const auto& [word, meaning] : words) text = with_word(std::move(text), word, meaning);
  return Statement(std::make_unique<SqliteStatement>(*this, handle_.get(), text));
}

double SqliteDatabase::now() { return seconds_now(); }

SqliteDatabase::SqliteDatabase(std::filesystem::path path, Access access) : path_(std::move(path)) { open(access); }

void SqliteDatabase::open(Access access) {
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI;
  if (access == Access::create) flags |= SQLITE_OPEN_CREATE;
  if (access == Access::read) flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI;
  // Without a write-ahead log, and in a folder where none can be created, the file can be read as immutable.
  std::error_code ignored;
  const bool immutable = access == Access::read && !std::filesystem::exists(path_.string() + "-wal", ignored);
  const bool memory = path_ == ":memory:";
  if (!memory) require_file(path_);
  for (const bool frozen : {false, true}) {
    if (frozen && !immutable) break;
    sqlite3* handle = nullptr;
    const std::string name = memory ? ":memory:" : uri_of(path_, frozen);
    int code = sqlite3_open_v2(name.c_str(), &handle, flags, nullptr);
    handle_.reset(handle);
    if (code == SQLITE_OK) {
      sqlite3_create_function(handle, "seconds_now", 0, SQLITE_UTF8, nullptr, answer_now, nullptr, nullptr);
      sqlite3_busy_timeout(handle, patience_ms);
      distrust(handle);
      require_harmless_journal(handle);
      // Every commit moves the log into the file, so that a copy of the file alone is complete.
      sqlite3_wal_autocheckpoint(handle, 1);
      code = sqlite3_exec(handle, "PRAGMA synchronous=FULL; SELECT count(*) FROM sqlite_master", nullptr, nullptr,
                          nullptr);
    }
    if (code == SQLITE_OK) break;
    // The frozen file would be read as if the change were complete.
    if (sqlite3_extended_errcode(handle) == SQLITE_READONLY_ROLLBACK) fail(SQLITE_READONLY_ROLLBACK);
    const bool no_log = (code & 0xff) == SQLITE_CANTOPEN || (code & 0xff) == SQLITE_READONLY;
    if (frozen || !immutable || !no_log) fail(code);
  }
  if (access == Access::create) run("PRAGMA journal_mode=WAL");
}

void SqliteDatabase::fail(int code) const {
  const std::string reason = handle_ ? sqlite3_errmsg(handle_.get()) : sqlite3_errstr(code);
  const std::string where = "bo/study";
  const std::string file = path_.string();
  if (code == SQLITE_READONLY_ROLLBACK) {
    const std::string journal = journal_of(handle_.get());
    throw DataError(where, fmt::format("'{}' cannot be read: its journal '{}' holds a change that was interrupted; "
                                       "opening the study for writing takes that back, for example nomu optimize "
                                       "ask; if the journal does not belong to the study, remove it",
                                       file, journal));
  }
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED: throw Busy(where, fmt::format("'{}' is locked by another process", file));
    case SQLITE_FULL:
      throw Error(where,
                  fmt::format("no space left for '{}': nothing of this step was recorded, but everything before it is "
                              "safe; make room and try again",
                              file));
    case SQLITE_IOERR:
      throw Error(where, fmt::format("'{}' could not be read or written ({}): nothing of this step was recorded", file,
                                     reason));
    case SQLITE_READONLY:
    case SQLITE_PERM:
      throw DataError(where, fmt::format("'{}' cannot be written to ({}); check the permissions of the file and its "
                                         "folder",
                                         file, reason));
    case SQLITE_CANTOPEN:
      throw DataError(where, fmt::format("cannot open '{}': there is no such file, or it cannot be read", file));
    case SQLITE_NOTADB: throw DataError(where, fmt::format("'{}' is not a study", file));
    case SQLITE_TOOBIG:
      throw DataError(where,
                      fmt::format("'{}' is damaged: it has a cell of more than {} MB; restore a copy of the file", file,
                                  longest_cell >> 20));
    case SQLITE_CORRUPT:
      throw DataError(where,
                      fmt::format("'{}' is damaged ({}); take a copy and run `nomu optimize verify`", file, reason));
    default: throw Error(where, fmt::format("'{}': {}", file, reason));
  }
}

void SqliteDatabase::run(const char* sql) const {
  const int code = sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

void SqliteDatabase::require_in_place() const {
  int moved = 0;
  (void)sqlite3_file_control(handle_.get(), "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  if (moved == 0) return;
  throw DataError("bo/study", fmt::format("'{}' was moved or removed while it was in use: nothing of this step was "
                                          "recorded, everything before it is in the original file; put it back",
                                          path_.string()));
}

void SqliteDatabase::write(const std::function<void()>& action) {
  require_in_place();
  for (int attempt = 0;; ++attempt) {
    try {
      run("BEGIN IMMEDIATE");  // locks first, so that nothing that was read can be stale at the commit
      action();
      run("COMMIT");
      return;
    } catch (const Busy&) {
      if (sqlite3_get_autocommit(handle_.get()) == 0)
        sqlite3_exec(handle_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
      if (attempt == 9) throw;
      std::this_thread::sleep_for(std::chrono::milliseconds(20 << attempt));
    } catch (...) {
      if (sqlite3_get_autocommit(handle_.get()) == 0)
        sqlite3_exec(handle_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
      throw;
    }
  }
}

void SqliteDatabase::read(const std::function<void()>& action) {
  run("BEGIN");
  try {
    action();
  } catch (...) {
    sqlite3_exec(handle_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
    throw;
  }
  run("COMMIT");
}

}  // namespace nomu
