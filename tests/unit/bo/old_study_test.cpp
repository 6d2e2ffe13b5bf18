// A study that was created before the direction numbers of Sobol's sequence were the published ones: study_v1.db has
// three variables (x, rate on a logarithmic scale, integer n), method gp, seed 7, nine initial trials and two of a
// model.

#include <gtest/gtest.h>

#include <filesystem>

#include "unit/bo/small_study.hpp"

namespace nomu {
namespace {

TEST_F(StudyFiles, AnOldStudyStillVerifiesAndGoesOn) {
  std::filesystem::copy_file(std::filesystem::path(NOMU_GOLDEN_DIR) / "study_v1.db", file());
  Study study = Study::open(file(), StudyAccess::write, one_thread());
  EXPECT_EQ(study.spec().generator, SobolNumbers::drawn);
  const VerifyReport before = study.verify();
  EXPECT_TRUE(before.clean()) << before.problems.front();
  EXPECT_EQ(before.suggestions, 11);
  EXPECT_GE(before.exact, 9);  // the initial design, on any engine
  advance(study, 2);
  const VerifyReport after = study.verify();
  EXPECT_TRUE(after.clean()) << after.problems.front();
  EXPECT_EQ(after.trials, 13);
}

/// study_auto_1.db was made by the first rules of method auto: three variables, batches and failures.
TEST_F(StudyFiles, AStudyByTheFirstRulesOfAutoStillVerifiesAndGoesOn) {
  std::filesystem::copy_file(std::filesystem::path(NOMU_GOLDEN_DIR) / "study_auto_1.db", file());
  Study study = Study::open(file(), StudyAccess::write, one_thread());
  EXPECT_EQ(study.spec().rules, 1);
  EXPECT_EQ(OptimizeSpec().rules, 3);
  const VerifyReport before = study.verify();
  EXPECT_TRUE(before.clean()) << before.problems.front();
  EXPECT_EQ(before.suggestions, 21);
  EXPECT_GE(before.exact, 8);  // the initial design, on any engine
  advance(study, 2);
  const VerifyReport after = study.verify();
  EXPECT_TRUE(after.clean()) << after.problems.front();
  EXPECT_EQ(after.trials, 23);
}

/// study_auto_2.db was made by the second rules: three variables, costs, a batch and a failure.
TEST_F(StudyFiles, AStudyByTheSecondRulesOfAutoStillVerifiesAndGoesOn) {
  std::filesystem::copy_file(std::filesystem::path(NOMU_GOLDEN_DIR) / "study_auto_2.db", file());
  Study study = Study::open(file(), StudyAccess::write, one_thread());
  EXPECT_EQ(study.spec().rules, 2);
  const VerifyReport before = study.verify();
  EXPECT_TRUE(before.clean()) << before.problems.front();
  EXPECT_EQ(before.suggestions, 22);
  EXPECT_GE(before.exact, 8);  // the initial design, on any engine
  advance(study, 2);
  const VerifyReport after = study.verify();
  EXPECT_TRUE(after.clean()) << after.problems.front();
  EXPECT_EQ(after.trials, 24);
}

TEST_F(StudyFiles, ANewStudyRecordsItsGenerator) {
  OptimizeSpec spec = quick();
  const Space space = Space::box(8, 0.0, 1.0);
  Study published = Study::create(file(), space, spec);
  EXPECT_EQ(Study::open(file()).spec().generator, SobolNumbers::published);
  spec.generator = SobolNumbers::drawn;
  Study drawn(space, spec);
  EXPECT_EQ(published.ask().point, drawn.ask().point);  // both begin with the shifted origin
  EXPECT_NE(published.ask(4).back().point, drawn.ask(4).back().point);
}

}  // namespace
}  // namespace nomu
