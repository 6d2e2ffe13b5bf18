#pragma once
// Processes that ask for points of a model at the same time take turns: one fits it, and leaves points for those who
// wait. All of this is advice. Whoever is not heard of for some seconds loses the turn, two who fit at the same time do
// no harm, and a point that is left and not taken is handed out like any other whose lease has ended.

#include <chrono>
#include <cstdint>
#include <string>

#include "bo/database/database.hpp"

namespace nomu {

class FitTurn {
 public:
  /// `who` is a name that nobody else uses.
  FitTurn(Database& database, std::string who) : database_(database), who_(std::move(who)) {}
  FitTurn(const FitTurn&) = delete;
  FitTurn& operator=(const FitTurn&) = delete;
  FitTurn(FitTurn&&) = delete;
  FitTurn& operator=(FitTurn&&) = delete;
  /// Neither waits nor fits any more; if the study cannot be reached, others find that out by themselves.
  ~FitTurn();

  /// Waits for so many points of a model. Returns whether it is our turn to fit one.
  [[nodiscard]] bool take(std::size_t count);
  /// While it is our turn: we are still at it.
  void renew() noexcept;
  /// How many points others wait for, besides those that were left for them already.
  [[nodiscard]] std::size_t wanted_by_others();

 private:
  using Clock = std::chrono::steady_clock;

  Database& database_;
  std::string who_;
  bool waiting_ = false;
  bool mine_ = false;
  Clock::time_point said_ = {};
};

/// Whether this key of {meta} is about turns, and nothing that a study consists of.
[[nodiscard]] bool is_of_moment(std::string_view key);

}  // namespace nomu
