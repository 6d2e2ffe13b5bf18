// Training beside other training: on idle threads where there are some, one after the other where there are none.

#include "models/network/beside.hpp"

#include <gtest/gtest.h>

#include <latch>
#include <stdexcept>

#include "engine/cpu/cpu.hpp"
#include "engine/reference/reference.hpp"

namespace nomu {
namespace {

TEST(TrainingBesideOther, UsesTheIdleThreadsAtTheSameTime) {
  Engine engine(engine::cpu::make({.device = "cpu"}, 5));
  std::latch both(2);
  std::int64_t threads = 0;
  bool reports = true;
  const Progress loud{.report = [](const ProgressEvent&) {}, .stop = {}};
  train_beside_each_other(
      engine, 3, loud, [&] { both.arrive_and_wait(); },
      [&](Engine& other, const Progress& progress) {
        threads = other.info().threads;
        reports = static_cast<bool>(progress.report);
        both.arrive_and_wait();
      });
  EXPECT_EQ(threads, 2);
  EXPECT_FALSE(reports) << "progress is reported from one thread only";
}

TEST(TrainingBesideOther, ComesAfterwardsWhereNothingIsIdle) {
  Engine busy(engine::cpu::make({.device = "cpu"}, 4));
  Engine alone(engine::reference::make());
  for (Engine* engine : {&busy, &alone}) {
    bool first = false;
    train_beside_each_other(
        *engine, 3, {}, [&] { first = true; },
        [&](Engine& other, const Progress& /*progress*/) {
          EXPECT_TRUE(first);
          EXPECT_EQ(&other, engine);
        });
  }
}

TEST(TrainingBesideOther, RethrowsWhatEitherThrew) {
  Engine engine(engine::cpu::make({.device = "cpu"}, 4));
  const auto fails = [] { throw std::runtime_error("no"); };
  EXPECT_THROW(train_beside_each_other(engine, 2, {}, fails, [](Engine&, const Progress&) {}), std::runtime_error);
  EXPECT_THROW(train_beside_each_other(
                   engine, 2, {}, [] {}, [&](Engine&, const Progress&) { fails(); }),
               std::runtime_error);
}

}  // namespace
}  // namespace nomu
