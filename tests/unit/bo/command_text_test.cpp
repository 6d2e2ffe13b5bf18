// Commands with placeholders: what becomes part of them, and where that is refused.

#include "bo/worker/command_text.hpp"

#include <gtest/gtest.h>

#include "message_of.hpp"

namespace nomu {
namespace {

using testing::HasSubstr;

Space space_of(std::vector<std::string> choices) {
  return Space({{.name = "x", .low = 0.0, .high = 1.0},
                {.name = "c", .kind = Variable::Kind::categorical, .choices = std::move(choices)}});
}

std::string made(const std::string& command) {
  return command_for(command, space_of({"$(id)", "*"}), Trial{.id = 7, .point = {0.5, 0.0}});
}

TEST(CommandText, RefersToValuesThatAreNoPlainWords) {
  EXPECT_EQ(made("show {x} {c} {id}"), "show 0.5 \"${NOMU_c}\" 7");
  EXPECT_EQ(made("a=$(show {c}); (cd \"${HOME}\"; echo 'a' \"b\" {c}#)"),
            "a=$(show \"${NOMU_c}\"); (cd \"${HOME}\"; echo 'a' \"b\" \"${NOMU_c}\"#)");
  EXPECT_EQ(made("# all of them\nshow ${#X} {c}"), "# all of them\nshow ${#X} \"${NOMU_c}\"");
  EXPECT_EQ(made("echo \"$(date) $'{x}\" <<E '{id}'"), "echo \"$(date) $'0.5\" <<E '7'") << "numbers do no harm";
}

TEST(CommandText, PlaceholdersAreRefusedWhereTheyMayBeQuoted) {
  for (const char* command : {"echo \"{c}\"", "echo '{c}'", "echo `echo {c}`", "echo \\{c}", "echo \"it's {c}\""})
    EXPECT_THAT(message_of([&] { return made(command); }), HasSubstr("{c} inside quotes")) << command;
  for (const char* command :
       {R"sh(echo "$(echo "{c}")")sh", R"sh(echo "$(case a in a) echo "{c}";; esac)")sh", R"sh(echo "`echo "{c}"`")sh",
        R"sh(echo "${X:-"a"}" {c})sh", "# it's\necho {c}", "cat <<EOF\nit\nEOF\necho {c}", "echo $'a' {c}",
        R"sh(echo "$(echo "$(echo "a" "{c}")")")sh"}) {
    const std::string message = message_of([&] { return made(command); });
    EXPECT_THAT(message, HasSubstr("the command contains {c}")) << command;
    EXPECT_THAT(message, HasSubstr("\"$NOMU_c\"")) << command;
  }
}

TEST(CommandText, LongChoicesAreLeftToStandardInput) {
  const Space space = space_of({std::string(140000, 'a'), "b"});
  const Trial trial{.id = 1, .point = {0.5, 1.0}};
  EXPECT_THAT(message_of([&] { return command_for("echo {c}", space, trial); }), HasSubstr("up to 140000 bytes"));
  EXPECT_EQ(command_for("echo {x}", space, trial), "echo 0.5");
  EXPECT_EQ(environment_for(space, trial), (std::vector<std::string>{"NOMU_ID=1", "NOMU_x=0.5"}));
  const Space half = space_of({std::string(70000, 'a'), "b"});
  EXPECT_EQ(environment_for(half, trial).size(), 3U);
  EXPECT_THAT(message_of([&] {
                return command_for("echo {c} {c}", half, {.id = 3, .point = {0.5, 0.0}});
              }),
              HasSubstr("with the values of trial 3 the command has 140006 bytes"));
}

TEST(CommandText, AllValuesTogetherFitIntoAnEnvironment) {
  std::vector<Variable> variables;
  for (char name = 'a'; name <= 'z'; ++name) {
    variables.push_back({.name = std::string(1, name),
                         .kind = Variable::Kind::categorical,
                         .choices = {std::string(90000, name), std::string(90000, ' ')}});
  }
  const Space space(std::move(variables));
  const Trial trial{.id = 1, .point = Point(26, 0.0)};
  std::size_t size = 0;
  for (const std::string& text : environment_for(space, trial)) size += text.size() + 1;
  EXPECT_GT(size, 500000U);
  EXPECT_LE(size, 1000000U);
  EXPECT_THAT(message_of([&] { return command_for("echo {z}", space, trial); }), HasSubstr("{z}"));
}

}  // namespace
}  // namespace nomu
