#pragma once
// Places for studies in every engine: the tests of the store run the same on all of them.

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "bo/database/database.hpp"
#include "bo/database/place.hpp"
#include "nomu/bo/study.hpp"

namespace nomu {

/// The front of addresses of the server that tests/postgres/with_server runs; empty: there is none.
inline std::string server() {
  const char* front = std::getenv("NOMU_TEST_POSTGRES");
  return front == nullptr ? "" : front;
}

inline void skip_without_server() {
  if (server().empty())
    GTEST_SKIP() << "no PostgreSQL server; run by tests/postgres/with_server, with postgresql-15 installed";
}

/// A new place for every call; files are in a folder that ends with the object.
class Places {
 public:
  Places() : folder_(std::filesystem::temp_directory_path() / ("nomu_places_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  Places(const Places&) = delete;
  Places& operator=(const Places&) = delete;
  ~Places() { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::filesystem::path next(const std::string& engine) {
    static std::atomic<int> count = 0;
    const std::string name = "study" + std::to_string(++count);
    if (engine == "postgresql") return server() + "&study=" + name;
    return folder_ / (name + ".db");
  }

 private:
  std::filesystem::path folder_;
};

/// Tests that run on every engine; those of a server are skipped where there is none.
class EveryEngine : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (std::string(GetParam()) == "postgresql") skip_without_server();
  }
  [[nodiscard]] std::filesystem::path place() { return places_.next(GetParam()); }
  [[nodiscard]] Places& places() { return places_; }

 private:
  Places places_;
};

inline auto every_engine() { return testing::Values("sqlite", "postgresql"); }
inline std::string engine_name(const testing::TestParamInfo<const char*>& engine) { return engine.param; }

/// Every row of a study as text, with numbers to the last bit.
inline std::vector<std::string> rows_of(const std::filesystem::path& place) {
  const std::unique_ptr<Database> database = open_place({.place = place}, false);
  database->check_study();
  std::vector<std::string> all;
  const auto read = [&](const char* sql, const std::string& kinds) {
    Statement rows = database->prepare(sql);
    while (rows.step()) {
      std::string line;
      for (int column = 0; column < static_cast<int>(kinds.size()); ++column) {
        char number[64];
        std::snprintf(number, sizeof(number), "%a",
                      kinds[static_cast<std::size_t>(column)] == 'r' ? rows.real(column) : 0.0);
        if (rows.null(column)) {
          line += "null|";
        } else if (kinds[static_cast<std::size_t>(column)] == 'i') {
          line += std::to_string(rows.integer(column)) + "|";
        } else {
          line += (kinds[static_cast<std::size_t>(column)] == 'r' ? std::string(number) : rows.text(column)) + "|";
        }
      }
      all.push_back(line);
    }
  };
  read("SELECT key, value FROM {meta} WHERE {mine} ORDER BY key", "tt");
  read("SELECT number, kind, trial, body, at FROM {events} WHERE {mine} ORDER BY number", "ititr");
  read(
      "SELECT id, state, point, value, place, reason, origin, worker, lease, asked, told FROM {trials} WHERE {mine} "
      "ORDER BY id",
      "iitritttrrr");
  return all;
}

inline OptimizeSpec small_random_search() {
  OptimizeSpec spec;
  spec.method = "random";
  spec.initial = 3;
  return spec;
}

}  // namespace nomu
