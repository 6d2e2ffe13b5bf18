#include <gtest/gtest.h>

#include "message_of.hpp"
#include "nomu/bo/study.hpp"

namespace nomu {
namespace {

using testing::HasSubstr;

constexpr const char* whole = R"toml(
[[variables]]
name = "z"
low = 0
high = 2.5
unit = "mm"

[[variables]]
name = "a"
type = "integer"
low = 1
high = 100
scale = "log"

[[variables]]
name = "solver"
type = "categorical"
choices = ["cg", "lu"]

[[constraints]]
terms = {z = 2, a = -1}
at_most = 3

[study]
direction = "maximize"
budget = 40
dynamic.doublings = 3
)toml";

TEST(StudyFile, ReadsVariablesInTheirOrder) {
  const StudyFile file = parse_study_file(whole, "space.toml");
  ASSERT_EQ(file.space.size(), 3U);
  EXPECT_EQ(file.space.variables()[0].name, "z");
  EXPECT_EQ(label_of(file.space.variables()[0]), "z [mm]");
  EXPECT_EQ(label_of(file.space.variables()[1]), "a");
  EXPECT_TRUE(file.space.variables()[1].log);
  EXPECT_EQ(file.space.variables()[1].kind, Variable::Kind::integer);
  EXPECT_EQ(file.space.variables()[2].choices.size(), 2U);
  ASSERT_EQ(file.space.constraints().size(), 1U);
  EXPECT_EQ(file.space.constraints()[0].at_most, 3.0);
  EXPECT_EQ(file.spec.direction, Direction::maximize);
  EXPECT_EQ(file.spec.budget, 40);
  EXPECT_EQ(file.spec.dynamic.doublings, 3);
}

std::string error_of(const std::string& text) {
  return message_of<ConfigError>([&] { return parse_study_file(text, "space.toml"); });
}

TEST(StudyFile, MistakesAreNamedWithTheirLine) {
  const std::string x = "[[variables]]\nname = \"x\"\n";
  EXPECT_THAT(error_of(x + "low = 0\nhi = 1\n"), HasSubstr("space.toml, line 4: a variable has no key 'hi'"));
  EXPECT_THAT(error_of(x + "low = 0\nhigh = 1\nunit = 3\n"), HasSubstr("line 5: unit must be text in quotes"));
  EXPECT_THAT(error_of(x + "low = 0\nhihg = 1\n"), HasSubstr("did you mean 'high'?"));
  EXPECT_THAT(error_of(x + "low = 0\n"), HasSubstr("a variable needs the key 'high'"));
  EXPECT_THAT(error_of(x + "low = 1\nhigh = 0\n"), HasSubstr("the bounds are reversed"));
  EXPECT_THAT(error_of(x + "type = \"reel\"\n"), HasSubstr("type must be real, integer or categorical, got 'reel'"));
  EXPECT_THAT(error_of(x + "low = \"0\"\nhigh = 1\n"), HasSubstr("low must be a number"));
  EXPECT_THAT(error_of(x + "low = 0\nhigh = 1\nscale = \"ln\"\n"), HasSubstr("scale must be linear or log"));
  EXPECT_THAT(error_of("[[variables]]\nname = \"id\"\nlow = 0\nhigh = 1\n"),
              HasSubstr("a variable cannot be called 'id'"));
  EXPECT_THAT(error_of("[[variable]]\nname = \"x\"\n"), HasSubstr("did you mean 'variables'?"));
  EXPECT_THAT(error_of("[variables]\nname = \"x\"\n"), HasSubstr("write [[variables]]"));
  EXPECT_THAT(error_of(x + "low = 0\nhigh = 1\n[study]\nbudgte = 3\n"),
              testing::AllOf(HasSubstr("budget"), HasSubstr("line 6")));
  EXPECT_THAT(error_of(x + "low = 0\nhigh = \n"), HasSubstr("line 4"));
  EXPECT_THAT(error_of(""), HasSubstr("at least one variable"));
}

}  // namespace
}  // namespace nomu
