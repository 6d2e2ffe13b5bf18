#pragma once
// Processes that ask for points of a model at the same time take turns: one fits the model and leaves points for the
// others, which wait. The turns are only advisory: a process that is silent for some seconds loses its turn, two that
// fit at the same time do no harm, and a point that nobody takes is handed out like any other with an expired lease.

#include <chrono>
#include <cstdint>
#include <string>

#include "bo/database/database.hpp"

namespace nomu {

class FitTurn {
 public:
  /// `who` is a name that no other request uses.
  FitTurn(Database& database, std::string who) : database_(database), who_(std::move(who)) {}
  FitTurn(const FitTurn&) = delete;
  FitTurn& operator=(const FitTurn&) = delete;
  FitTurn(FitTurn&&) = delete;
  FitTurn& operator=(FitTurn&&) = delete;
  /// Withdraws the request and the turn; if the study cannot be reached, both expire after some seconds.
  ~FitTurn();

  /// Announces that we wait for `count` points of a model. Returns whether it is our turn to fit it.
  [[nodiscard]] bool take(std::size_t count);
  /// While it is our turn: announces that we are still fitting.
  void renew() noexcept;
  /// How many points others wait for, not counting those already left for them.
  [[nodiscard]] std::size_t wanted_by_others();

 private:
  using Clock = std::chrono::steady_clock;

  Database& database_;
  std::string who_;
  bool waiting_ = false;
  bool mine_ = false;
  Clock::time_point said_ = {};
};

/// Whether this key of {meta} is about turns, which are not part of the study itself.
[[nodiscard]] bool is_turn_note(std::string_view key);

}  // namespace nomu
