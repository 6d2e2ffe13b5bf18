#pragma once
// SQLite as studies use it: one file each, a write-ahead log that is synced at every commit, short write transactions
// that wait for each other instead of failing, and errors that name the file.

#include <filesystem>

#include "bo/database/database.hpp"

struct sqlite3;

namespace nomu {

class SqliteDatabase : public Database {
 public:
  enum class Access { create, write, read };

  /// ":memory:" is a private database in memory. Throws DataError.
  SqliteDatabase(std::filesystem::path path, Access access);

  [[nodiscard]] std::string name() const override { return path_.string(); }
  [[nodiscard]] Statement prepare(std::string_view sql) override;
  void write(const std::function<void()>& action) override;
  void read(const std::function<void()>& action) override;
  [[nodiscard]] double now() override;
  [[nodiscard]] bool make_study(std::int64_t version) override;
  [[nodiscard]] std::int64_t study_version() override;
  void check_study() override;
  [[nodiscard]] std::string damage() override;

  /// Throws the error for a result code of SQLite.
  [[noreturn]] void fail(int code) const;

 private:
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  void open(Access access);
  void run(const char* sql) const;
  void require_in_place() const;

  std::filesystem::path path_;
  std::unique_ptr<sqlite3, Close> handle_;
};

}  // namespace nomu
