// Rows that no nomu wrote: a message, and never a crash, in every engine.

#include <functional>

#include "bo/store/study_store.hpp"
#include "message_of.hpp"
#include "store/places.hpp"
#include "unit/bo/small_study.hpp"

namespace nomu {
namespace {

using testing::HasSubstr;

class Damage : public EveryEngine {
 protected:
  /// A study of six trials of which the last one is pending, changed by this statement.
  [[nodiscard]] std::filesystem::path damaged(const char* sql) {
    std::filesystem::path where = place();
    Study study = Study::create(where, Space::box(2, -1.0, 1.0), small_random_search());
    advance(study, 5);
    (void)study.ask();
    const std::unique_ptr<Database> database = open_place({.place = where}, true);
    database->check_study();
    database->write([&] { database->prepare(sql).run(); });
    return where;
  }
};

TEST_P(Damage, AResultAndItsPlaceGoTogether) {
  for (const char* sql : {"UPDATE {trials} SET place = 0 WHERE {mine} AND state = 0",
                          "UPDATE {trials} SET place = NULL WHERE {mine} AND id = 2",
                          "UPDATE {trials} SET value = NULL, state = 0 WHERE {mine} AND id = 2"}) {
    const std::filesystem::path where = damaged(sql);
    Study study = Study::open(where, StudyAccess::write, one_thread());
    const VerifyReport report = study.verify(true);
    ASSERT_FALSE(report.clean()) << sql;
    EXPECT_THAT(report.problems.front(), HasSubstr("place")) << sql;
    EXPECT_THROW((void)study.trials(), DataError) << sql;
  }
}

TEST_P(Damage, ATrialWithoutAResultIsNotTheBest) {
  const std::filesystem::path where = damaged("UPDATE {trials} SET place = 0 WHERE {mine} AND state = 0");
  const Study study = Study::open(where, StudyAccess::read, one_thread());
  const std::vector<std::function<void()>> commands = {
      [&] { (void)study.outlook(); },
      [&] { (void)study.importances(); },
  };
  for (const auto& command : commands) {
    EXPECT_THAT(message_of<DataError>([&] {
                  command();
                  return 0;
                }),
                HasSubstr("trial 6 has a result without a place of its own"));
  }
  // PostgreSQL sorts NULL after all numbers, SQLite before them.
  for (const Direction direction : {Direction::minimize, Direction::maximize}) {
    const StudyStore store(open_place({.place = where}, false));
    try {
      const std::optional<Trial> best = store.best(direction);
      EXPECT_TRUE(best && best->value);
    } catch (const DataError& error) {
      EXPECT_THAT(error.what(), HasSubstr("trial 6"));
    }
  }
}

TEST_P(Damage, MessagesNameTheStudy) {
  for (const char* sql : {"UPDATE {trials} SET point = '{}' WHERE {mine} AND id = 2",
                          "UPDATE {trials} SET point = '[7, 7]' WHERE {mine} AND id = 2"}) {
    const std::filesystem::path where = damaged(sql);
    const Study study = Study::open(where, StudyAccess::read);
    EXPECT_THAT(message_of<DataError>([&] { return study.trials(); }), HasSubstr("'" + study.name() + "'")) << sql;
    EXPECT_THAT(message_of<DataError>([&] { return study.outlook(); }), HasSubstr("'" + study.name() + "'")) << sql;
  }
  const std::filesystem::path where = damaged("UPDATE {meta} SET value = '{}' WHERE {mine} AND key = 'space'");
  const std::string message = message_of<DataError>([&] { return Study::open(where); });
  EXPECT_THAT(message, HasSubstr("has unexpected contents: key 'variables' not found"));
  EXPECT_THAT(message, HasSubstr(where.string().substr(where.string().rfind("study"))));
}

TEST_P(Damage, NoTwoResultsHaveOnePlace) {
  const std::filesystem::path where = damaged("UPDATE {trials} SET place = 1 WHERE {mine} AND place IS NOT NULL");
  const Study study = Study::open(where, StudyAccess::read, one_thread());
  EXPECT_THAT(message_of<DataError>([&] { return study.importances().size(); }), HasSubstr("a place of its own"));
}

INSTANTIATE_TEST_SUITE_P(Engines, Damage, every_engine(), engine_name);

}  // namespace
}  // namespace nomu
