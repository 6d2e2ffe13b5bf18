// Points that are given and wait until somebody asks, on every engine that keeps studies.

#include <chrono>
#include <thread>

#include "bo/store/study_store.hpp"
#include "message_of.hpp"
#include "store/places.hpp"
#include "unit/bo/small_study.hpp"

namespace nomu {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Queue : public EveryEngine {
 protected:
  /// A study of whole numbers as `claim` sees it.
  [[nodiscard]] StudyStore numbers() {
    const std::filesystem::path where = place();
    const Space space({{.name = "n", .kind = Variable::Kind::integer, .low = 0.0, .high = 100.0}});
    (void)Study::create(where, space, small_random_search());
    return StudyStore(open_place({.place = where}, true));
  }
};

const Space square = Space::box(2, -1.0, 1.0);

StudyStore::Askers asker(const std::string& worker, double lease = 60.0) {
  return {.count = 1, .workers = {worker}, .lease = lease};
}

TEST_P(Queue, TheNextWhoAskGetQueuedPointsInTheirOrder) {
  const std::filesystem::path where = place();
  OptimizeSpec spec = small_random_search();
  spec.budget = 3;
  Study study = Study::create(where, square, spec);
  EXPECT_THAT(study.enqueue({{0.25, -0.0}, {0.5, 0.5}}), ElementsAre(1, 2));
  EXPECT_TRUE(is_waiting(study.trial(1)));
  EXPECT_EQ(study.status().expired, 2);
  const std::vector<Trial> asked = study.ask(3, "me");
  ASSERT_EQ(asked.size(), 3U);
  EXPECT_EQ(asked[0].point, (Point{0.25, 0.0}));
  EXPECT_EQ(asked[0].origin, "given");
  EXPECT_EQ(asked[0].worker, "me");
  EXPECT_FALSE(is_waiting(study.trial(1)));
  EXPECT_EQ(asked[1].id, 2);
  EXPECT_NE(asked[2].origin, "given");
  EXPECT_TRUE(study.finished());
  EXPECT_THAT(study.enqueue({{1.0, 1.0}}), ElementsAre(4));  // beyond the budget, like a result that is added
  EXPECT_FALSE(study.finished());
  EXPECT_EQ(study.ask().id, 4);
  study.tell(4, 1.5);
  EXPECT_EQ(study.best()->id, 4);
  EXPECT_TRUE(Study::open(where).verify().clean());
  const std::filesystem::path copy = place();
  copy_study(where, copy);
  EXPECT_EQ(rows_of(copy), rows_of(where));
  EXPECT_TRUE(Study::open(copy).verify().clean());
}

TEST_P(Queue, AModelKnowsWhatIsQueuedAndIsNotAskedBeforeIt) {
  Study study = Study::create(place(), square, quick(), one_thread());
  advance(study, 6);
  const Trial last = study.trial(6);
  (void)study.enqueue({{0.125, 0.25}});
  EXPECT_EQ(study.ask().point, (Point{0.125, 0.25}));
  const Trial next = study.ask();
  EXPECT_EQ(next.origin, last.origin);
  study.tell(7, 0.5);
  const VerifyReport report = study.verify();
  EXPECT_TRUE(report.clean()) << report.problems.front();
  EXPECT_EQ(report.suggestions, 7);
}

TEST_P(Queue, WrongPointsAreRefusedAndNoneIsAdded) {
  Study study = Study::create(place(), square, small_random_search());
  EXPECT_THAT(message_of<DataError>([&] {
                (void)study.enqueue({{0.0, 0.0}, {0.0, 2.0}});
              }),
              HasSubstr("must be a number between -1 and 1, got 2"));
  EXPECT_THAT(message_of<DataError>([&] {
                study.tell({{.point = {0.0, 0.0}, .reason = "melted"}});
              }),
              HasSubstr("only a trial can fail, not a point; enqueue makes it one"));
  EXPECT_EQ(study.status().trials, 0);
  EXPECT_TRUE(study.enqueue({}).empty());
}

TEST_P(Queue, OneOfManyClaimsAPoint) {
  const StudyStore store = numbers();
  const std::vector<Point> points{{7.0}, {8.0}};
  const StudyStore::Claim first = store.claim(points, asker("one"));
  ASSERT_TRUE(first.trial);
  EXPECT_EQ(first.trial->point, points[0]);
  const StudyStore::Claim second = store.claim(points, asker("two"));
  ASSERT_TRUE(second.trial);
  EXPECT_EQ(second.trial->point, points[1]);
  EXPECT_TRUE(second.others_busy);
  const StudyStore::Claim third = store.claim(points, asker("three"));
  EXPECT_FALSE(third.trial);
  EXPECT_TRUE(third.others_busy);
  (void)store.finish({{.id = 1, .value = 1.0}}, Repeated::accept_equal, {{"rows:1", "first"}});
  (void)store.finish({{.id = 1, .value = 1.0}}, Repeated::accept_equal, {{"rows:1", "second"}});
  EXPECT_EQ(store.note("rows:1"), "first");
  EXPECT_EQ(store.note("rows:2"), "");
  EXPECT_EQ(store.release([](const std::string& worker) { return worker == "two"; }), 1);
  const StudyStore::Claim again = store.claim(points, asker("three"));
  ASSERT_TRUE(again.trial);
  EXPECT_EQ(again.trial->id, 2);
  EXPECT_FALSE(again.others_busy);
  (void)store.finish({{.id = 2, .value = 1.0}}, Repeated::accept_equal);
  const StudyStore::Claim none = store.claim(points, asker("three"));
  EXPECT_FALSE(none.trial || none.others_busy);
}

TEST_P(Queue, AClaimEndsWithItsLeaseAndMayBeRenewed) {
  const StudyStore store = numbers();
  const std::int64_t id = store.claim({{3.0}}, asker("slow", 0.2)).trial.value().id;
  (void)store.renew({id}, 60.0);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_FALSE(store.claim({{3.0}}, asker("other")).trial);
  (void)store.renew({id}, 0.1);
  StudyStore::Claim taken;
  while (!taken.trial) taken = store.claim({{3.0}}, asker("other"));
  EXPECT_EQ(taken.trial->id, id);
  EXPECT_EQ(taken.trial->worker, "other");
}

TEST_P(Queue, AClaimWhoseAnswerWasLostIsMadeAgain) {
  const StudyStore store = numbers();
  const std::int64_t id = store.claim({{3.0}, {4.0}}, asker("one")).trial.value().id;
  const StudyStore::Claim again = store.claim({{3.0}, {4.0}}, asker("one"));
  ASSERT_TRUE(again.trial);
  EXPECT_EQ(again.trial->id, id);
  EXPECT_FALSE(again.others_busy);
  EXPECT_EQ(store.trial_count(), 1);
}

INSTANTIATE_TEST_SUITE_P(Engines, Queue, every_engine(), engine_name);

}  // namespace
}  // namespace nomu
