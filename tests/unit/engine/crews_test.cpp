// How threads are divided among members, and members among crews.

#include "engine/cpu/crews.hpp"

#include <gtest/gtest.h>

#include "engine/cpu/slices.hpp"

namespace nomu::engine::cpu {
namespace {

/// Phases of equal pieces.
StepCost phases(std::size_t count, double seconds, std::size_t pieces) {
  const double one = seconds / static_cast<double>(count);
  return StepCost(count, PhaseCost{.all = one, .largest = one / static_cast<double>(pieces)});
}

const StepCost tiny = phases(6, 50e-6, 1);
const StepCost small = phases(6, 200e-6, 8);
const StepCost big = phases(8, 30e-3, 16);

TEST(Crews, ManyMembersGetAThreadEach) {
  for (const StepCost& cost : {tiny, small, big}) {
    const Crews crews = divide(200, 16, cost);
    EXPECT_EQ(crews.count, 16U);
    EXPECT_EQ(crews.threads, 1U);
  }
}

TEST(Crews, OneBigMemberGetsAllThreads) {
  for (const std::size_t threads : {1, 2, 4, 8, 16}) {
    const Crews crews = divide(1, threads, big);
    EXPECT_EQ(crews.count, 1U);
    EXPECT_EQ(crews.threads, threads);
  }
}

TEST(Crews, SmallStepsGetFewThreads) {
  EXPECT_EQ(divide(1, 16, tiny).threads, 1U);
  const Crews crews = divide(1, 16, small);
  EXPECT_GT(crews.threads, 1U);
  EXPECT_LT(crews.threads, 8U);
}

TEST(Crews, FewBigMembersShareTheThreads) {
  const Crews five = divide(5, 16, big);
  EXPECT_EQ(five.count, 4U) << "four crews of four take turns with five members, and no thread is left over";
  EXPECT_EQ(five.threads, 4U);
  EXPECT_EQ(divide(2, 16, big).count, 2U);
  EXPECT_EQ(divide(2, 16, big).threads, 8U);
  EXPECT_EQ(divide(10, 16, tiny).count, 10U);
  EXPECT_EQ(divide(10, 16, tiny).threads, 1U);
}

/// Three nets make three pieces, but two of them are next to nothing.
TEST(Crews, UnevenPiecesAreNotWorthAThread) {
  const StepCost uneven(7, PhaseCost{.all = 50e-6, .largest = 45e-6});
  EXPECT_EQ(divide(10, 16, uneven).count, 10U);
  EXPECT_EQ(divide(10, 16, uneven).threads, 1U);
}

TEST(Crews, FewOperationsNeedOneThread) {
  EXPECT_EQ(threads_for(1e5), 1U);
  EXPECT_GT(threads_for(1e9), 100U);
}

/// Crews take turns; returns the epochs each member got, and the number of slices.
std::vector<std::int64_t> trained(Slices& slices, std::size_t members, std::size_t crews, std::size_t& count) {
  std::vector<std::int64_t> epochs(members, 0);
  std::vector<std::size_t> at(crews, members);
  count = 0;
  for (std::size_t idle = 0, crew = 0; idle < crews; crew = (crew + 1) % crews) {
    const auto slice = slices.next(crew);
    at[crew] = slice ? slice->member : members;
    idle = slice ? 0 : idle + 1;
    if (!slice) continue;
    ++count;
    for (std::size_t other = 0; other < crews; ++other) {
      if (other != crew) {
        EXPECT_NE(at[other], slice->member) << "a member in two crews at once";
      }
    }
    epochs[slice->member] += slice->epochs;
  }
  return epochs;
}

TEST(Slices, EveryMemberIsTrainedToTheEnd) {
  for (const std::size_t members : {1, 2, 5, 10, 40}) {
    for (const std::size_t crews : {1, 2, 3, 8}) {
      for (const std::int64_t epochs : {1, 7, 16, 100}) {
        Slices slices(members, epochs, crews);
        std::size_t count = 0;
        EXPECT_EQ(trained(slices, members, crews, count), std::vector<std::int64_t>(members, epochs))
            << members << " members, " << crews << " crews";
      }
    }
  }
}

TEST(Slices, OnlyTheEndIsCutShort) {
  Slices slices(100, 160, 2);
  std::size_t count = 0;
  (void)trained(slices, 100, 2, count);
  EXPECT_LT(count, 150U) << "98 members in one go, the last two in 16 slices each";
}

TEST(Slices, ACrewBeginsWithTheMembersItsThreadsMade) {
  Slices slices(12, 160, 4);
  for (const std::size_t crew : {2, 0, 3, 1}) {
    const auto first = slices.next(crew);
    ASSERT_TRUE(first.has_value());
    EXPECT_EQ(home_of(first->member, 4), crew);
  }
}

}  // namespace
}  // namespace nomu::engine::cpu
