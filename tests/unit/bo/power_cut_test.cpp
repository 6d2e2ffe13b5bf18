#include <gtest/gtest.h>

#include <random>

#include "fragile_disk.hpp"
#include "message_of.hpp"
#include "nomu/bo/study.hpp"
#include "unit/bo/small_study.hpp"

namespace nomu {
namespace {

/// A study claims its name on the real disk, where its contents never are.
using PowerCut = StudyFiles;

TEST_F(PowerCut, NothingToldIsLostAndNothingIsTwice) {
  FragileDisk disk;
  std::mt19937 random(11);
  (void)Study::create(file(), Space::box(2, 0.0, 1.0), random_search());
  std::map<std::int64_t, double> told;  // what was acknowledged
  int cuts = 0;
  for (int round = 0; round < 60; ++round) {
    disk.cut_after(static_cast<long>(random() % 200));
    try {
      Study study = Study::open(file());
      for (int i = 0; i < 8; ++i) {
        const Trial trial = study.ask();
        const auto value = static_cast<double>(round * 100 + i);
        study.tell(trial, value);
        told[trial.id] = value;
      }
    } catch (const Error&) {
      ASSERT_TRUE(disk.is_off());
      ++cuts;
    }
    disk.power_on(random);
    const Study after = Study::open(file());
    ASSERT_TRUE(after.verify(true).clean()) << after.verify(true).problems.front();
    for (const auto& [id, value] : told) ASSERT_EQ(after.trial(id).value, value) << "trial " << id;
  }
  EXPECT_GT(cuts, 20);
  EXPECT_GT(told.size(), 100U);
  EXPECT_TRUE(Study::open(file()).verify().clean());
}

TEST_F(PowerCut, AFullDiskIsSaidAndLosesNothing) {
  FragileDisk disk;
  Study study = Study::create(file(), Space::box(2, 0.0, 1.0), random_search());
  std::int64_t told = 0;
  disk.limit(200000);
  std::string message;
  for (int i = 0; i < 2000 && message.empty(); ++i) {
    message = message_of<Error>([&] {
      study.tell(study.ask(), 1.0);
      ++told;
      return 0;
    });
    if (message == "no error") message.clear();
  }
  EXPECT_THAT(message, testing::HasSubstr("no space left"));
  EXPECT_THAT(message, testing::HasSubstr("make room and try again"));
  EXPECT_EQ(study.status().finished, told);
  disk.limit(100000000);
  study.tell(study.ask(), 2.0);
  EXPECT_EQ(study.status().finished, told + 1);
  EXPECT_TRUE(study.verify(true).clean());
}

}  // namespace
}  // namespace nomu
