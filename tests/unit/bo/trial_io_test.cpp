#include "nomu/bo/trial_io.hpp"

#include <gtest/gtest.h>

#include "message_of.hpp"
#include "unit/bo/small_study.hpp"

namespace nomu {
namespace {

using testing::HasSubstr;

Space mixed() {
  return Space({{.name = "x", .low = -1.0, .high = 1.0},
                {.name = "state", .kind = Variable::Kind::integer, .low = 0, .high = 9},
                {.name = "solver", .kind = Variable::Kind::categorical, .choices = {"cg", "lu"}}});
}

TEST(TrialIo, PointsGoToJsonAndBack) {
  const Space space = mixed();
  const Point point{0.1, 3.0, 1.0};
  EXPECT_EQ(point_to_json(space, point), R"({"solver":"lu","state":3,"x":0.1})");
  EXPECT_EQ(point_from_json(space, point_to_json(space, point)), point);
  EXPECT_EQ(point_from_json(space, R"({"x": "0.1", "state": "3", "solver": "lu"})"), point);
  EXPECT_EQ(point_text(space, point), "x=0.1 state=3 solver=lu");
  const auto error = [&](const char* json) { return message_of([&] { return point_from_json(space, json); }); };
  EXPECT_THAT(error("[1]"), HasSubstr("a point is an object"));
  EXPECT_THAT(error(R"({"x": 0})"), HasSubstr("lacks the variable 'state'"));
  EXPECT_THAT(error(R"({"y": 0})"), HasSubstr("there is no variable 'y'"));
  EXPECT_THAT(error(R"({"x": 0, "state": 3, "solver": 1})"), HasSubstr("has no choice '1'"));
  EXPECT_THAT(error(R"({"x": 5, "state": 3, "solver": "cg"})"), HasSubstr("between -1 and 1"));
}

TEST(TrialIo, TextThatIsNestedTooDeeplyIsRefused) {
  const Space space = Space::box(1, 0.0, 1.0);
  const std::string deep = std::string(1000000, '[') + std::string(1000000, ']');
  for (const std::string& line :
       {R"({"point": )" + deep + R"(, "value": 1})", R"({"point": {"x1": )" + deep + R"(}, "value": 1})",
        R"({"id": 1, "value": )" + deep + "}"}) {
    EXPECT_THAT(message_of([&] { (void)result_from_json(space, line); }), HasSubstr("it is not a JSON object"));
  }
  EXPECT_THAT(message_of([&] { (void)point_from_json(space, R"({"x1": )" + deep + "}"); }),
              HasSubstr("a point is an object"));
  // Brackets in a text are no nesting.
  EXPECT_EQ(result_from_json(space, "{\"id\": 1, \"failed\": \"\\\"" + std::string(100, '[') + "\"}").reason,
            "\"" + std::string(100, '['));
}

TEST(TrialIo, NumbersOfTrialsThatDoNotFit) {
  const Space space = Space::box(1, 0.0, 1.0);
  EXPECT_THAT(message_of([&] { (void)result_from_json(space, R"({"id": 18446744073709551615, "value": 1})"); }),
              HasSubstr("id must be the number of a trial"));
  EXPECT_EQ(result_from_json(space, R"({"id": 9223372036854775807, "value": 1})").id, 9223372036854775807);
}

TEST(TrialIo, TrialsBecomeATable) {
  const Trial failed{.id = 2, .point = {0.5, 3.0, 0.0}, .state = TrialState::failed, .reason = "melted"};
  EXPECT_EQ(format_table(trials_table(mixed(), {failed})),
            "trial,state_,x,state,solver,value,reason\n2,failed,0.5,3,cg,,melted\n");
  EXPECT_THAT(trial_to_json(mixed(), failed), HasSubstr(R"("reason":"melted")"));
}

void told(Study& study, const char* line) {
  study.tell({result_from_json(study.space(), line)}, Repeated::accept_equal);
}

TEST(TrialIo, LinesAreRecorded) {
  OptimizeSpec spec;
  spec.method = "random";
  Study study(mixed(), spec);
  (void)study.ask(2);
  told(study, R"({"id": 1, "value": 2})");
  told(study, R"({"id": 1, "value": 2})");  // again
  told(study, R"({"id": 2, "failed": "melted"})");
  told(study, R"({"point": {"x": 0, "state": 1, "solver": "cg"}, "value": 1})");
  EXPECT_EQ(study.status().finished, 2);
  EXPECT_EQ(study.status().failed, 1);
  const auto error = [&](const char* line) {
    return message_of([&] {
      told(study, line);
      return 0;
    });
  };
  EXPECT_THAT(error(R"({"id": 1, "value": 3})"), HasSubstr("has the value 2 already"));
  EXPECT_THAT(error(R"({"id": 1, "value": NaN})"), HasSubstr("not results"));
  EXPECT_THAT(error(R"({"id": 1})"), HasSubstr("either value or failed"));
  EXPECT_THAT(error(R"({"ID": 1, "value": 3})"), HasSubstr("unknown key 'ID'"));
}

}  // namespace
}  // namespace nomu
