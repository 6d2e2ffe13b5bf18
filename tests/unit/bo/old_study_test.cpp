// A study that was created before the direction numbers of Sobol's sequence were the published ones: study_v1.db has
// three variables (x, rate on a logarithmic scale, integer n), method gp, seed 7, nine initial trials and two of a
// model.

#include <gtest/gtest.h>

#include <filesystem>

#include "unit/bo/small_study.hpp"

namespace nomu {
namespace {

class OldStudies : public StudyFiles {
 protected:
  /// Opens a copy of a golden study, which verifies before and after two more trials. Returns its settings.
  OptimizeSpec verify_and_go_on(const char* name, std::int64_t suggestions, std::int64_t initial) {
    std::filesystem::copy_file(std::filesystem::path(NOMU_GOLDEN_DIR) / name, file());
    Study study = Study::open(file(), StudyAccess::write, one_thread());
    const VerifyReport before = study.verify();
    EXPECT_TRUE(before.clean()) << before.problems.front();
    EXPECT_EQ(before.suggestions, suggestions);
    EXPECT_GE(before.exact, initial);  // the initial design, on any engine
    advance(study, 2);
    const VerifyReport after = study.verify();
    EXPECT_TRUE(after.clean()) << after.problems.front();
    EXPECT_EQ(after.trials, suggestions + 2);
    return study.spec();
  }
};

TEST_F(OldStudies, OfTheFirstFormat) {
  EXPECT_EQ(verify_and_go_on("study_v1.db", 11, 9).generator, SobolNumbers::drawn);
}

/// Three variables, batches and failures.
TEST_F(OldStudies, ByTheFirstRulesOfAuto) {
  EXPECT_EQ(verify_and_go_on("study_auto_1.db", 21, 8).rules, 1);
  EXPECT_EQ(OptimizeSpec().rules, 6);
}

/// Three variables, costs, a batch and a failure.
TEST_F(OldStudies, ByTheSecondRulesOfAuto) { EXPECT_EQ(verify_and_go_on("study_auto_2.db", 22, 8).rules, 2); }

/// Three variables, of which one makes results huge; a batch and a failure.
TEST_F(OldStudies, ByTheFourthRulesOfAuto) { EXPECT_EQ(verify_and_go_on("study_auto_4.db", 22, 8).rules, 4); }

/// Three variables, batches and failures; some results are huge.
TEST_F(OldStudies, ByTheFifthRulesOfAuto) { EXPECT_EQ(verify_and_go_on("study_auto_5.db", 22, 6).rules, 5); }

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
