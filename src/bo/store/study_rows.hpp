#pragma once
// Reading rows of the table of trials, and settings.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "bo/database/database.hpp"
#include "nomu/bo/trial.hpp"
#include "nomu/core/error.hpp"

namespace nomu {

/// Selects the columns that `read_trial` expects; a condition may follow.
inline constexpr const char* trial_columns =
    "SELECT id, state, point, value, reason, origin, worker, lease, asked, told, "
    "(SELECT value FROM {meta} WHERE {mine} AND key = 'cost:' || {trials}.id) AS cost, place FROM {trials} ";

/// The message of an error about the contents of a study, with the name of the study.
[[nodiscard]] std::string naming(const Database& database, const Error& error);

/// Calls `read`, and names the study in errors about its contents.
template <class F>
auto named(const Database& database, const F& read) {
  try {
    return read();
  } catch (const DataError& error) {
    throw DataError("bo/study", naming(database, error));
  } catch (const ConfigError& error) {
    throw ConfigError("bo/study", naming(database, error));
  }
}

/// What a message is about, such as trial 3.
struct Whose {
  std::string_view what;
  std::int64_t number = 0;
};

/// Files may be damaged, or made to do damage: these throw DataError for points that are not of the space, and for
/// results that are not finite.
void check_point(const Point& point, const Space& space, const Whose& whose);
void check_value(double value, const Whose& whose);
[[noreturn]] void refuse_place(std::int64_t trial);
[[nodiscard]] Point read_point(const std::string& text, const Space& space, const Whose& whose);
/// Also throws for a trial with a result but no place among the results, or the other way round.
[[nodiscard]] Trial read_trial(const Statement& row, const Space& space);

/// A setting of the study; empty if there is none.
[[nodiscard]] std::string meta(Database& database, std::string_view key);
/// Inside a transaction.
void set_meta(Database& database, std::string_view key, std::string_view value);
/// The key of {meta} that holds the cost of a trial, and the costs that were told, by trial. Throws DataError for costs
/// that are not finite numbers above 0.
[[nodiscard]] std::string cost_key(std::int64_t trial);
void check_cost(double cost, const Whose& whose);
[[nodiscard]] std::map<std::int64_t, double> read_costs(Database& database);

/// The number that the statement selects; 0 if it selects no row.
[[nodiscard]] std::int64_t number_of(Statement statement);

}  // namespace nomu
