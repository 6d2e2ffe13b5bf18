#pragma once
// SQLite as studies use it: a write-ahead log that is synced at every commit, short write transactions that wait for
// each other instead of failing, and errors that name the file.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace nomu {

class Database;

/// One prepared statement.
class Statement {
 public:
  Statement(const Database& database, const char* sql);

  Statement& bind(int index, std::int64_t value);
  Statement& bind(int index, double value);
  Statement& bind(int index, std::string_view value);

  /// Advances to the next row; returns whether there is one.
  bool step();
  /// Runs the statement to its end.
  void run();

  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] double real(int column) const;
  [[nodiscard]] std::string text(int column) const;
  [[nodiscard]] bool null(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  const Database& database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

class Database {
 public:
  enum class Access { create, write, read };

  /// ":memory:" is a private database in memory. Throws DataError.
  Database(std::filesystem::path path, Access access);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] sqlite3* handle() const { return handle_.get(); }

  void run(const char* sql) const;
  [[nodiscard]] Statement prepare(const char* sql) const { return {*this, sql}; }

  /// Runs `action` as one transaction, which is on disk when this returns. `action` may be called more than once.
  void write(const std::function<void()>& action) const;
  /// Runs `action` on one consistent state of the file.
  void read(const std::function<void()>& action) const;

  /// Throws the error for a result code of SQLite.
  [[noreturn]] void fail(int code) const;

 private:
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  void open(Access access);
  void require_in_place() const;

  std::filesystem::path path_;
  std::unique_ptr<sqlite3, Close> handle_;
};

}  // namespace nomu
