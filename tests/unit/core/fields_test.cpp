#include "nomu/core/fields.hpp"

#include <gtest/gtest.h>

#include "message_of.hpp"
#include "nomu/core/config.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

enum class Colour { red, green };

struct Inner {
  std::int64_t epochs = 10;
};

struct Spec {
  bool fast = false;
  double rate = 0.5;
  std::string name = "x";
  std::vector<std::int64_t> sizes{3, 4};
  std::vector<double> weights;
  Colour colour = Colour::red;
  Inner inner;
};

Fields fields_of(Spec& spec) {
  Fields f("test/spec");
  f.add("fast", spec.fast, "quick");
  f.add("rate", spec.rate, Range::between(0.0, 1.0), "a share");
  f.add("name", spec.name, "a word");
  f.add("sizes", spec.sizes, Range::at_least(1), "layers");
  f.add("weights", spec.weights, Range::positive(), "weights");
  f.add_choice("colour", spec.colour, {"red", "green"}, "a colour");
  Fields inner("test/inner");
  inner.add("epochs", spec.inner.epochs, Range::at_least(1), "passes");
  f.add_nested("train", inner);
  return f;
}

TEST(Fields, SetsEveryTypeFromText) {
  Spec spec;
  const Fields f = fields_of(spec);
  f.set_text("fast", "true");
  f.set_text("rate", "0.25");
  f.set_text("name", "levy");
  f.set_text("sizes", "[7, 8]");
  f.set_text("weights", "0.5,2");
  f.set_text("colour", "green");
  f.set_text("train.epochs", "99");
  EXPECT_TRUE(spec.fast);
  EXPECT_EQ(spec.rate, 0.25);
  EXPECT_EQ(spec.name, "levy");
  EXPECT_EQ(spec.sizes, (std::vector<std::int64_t>{7, 8}));
  EXPECT_EQ(spec.weights, (std::vector<double>{0.5, 2.0}));
  EXPECT_EQ(spec.colour, Colour::green);
  EXPECT_EQ(spec.inner.epochs, 99);
}

TEST(Fields, TextRoundTrips) {
  Spec spec;
  spec.rate = 0.1;
  spec.sizes = {1, 22, 333};
  const Fields f = fields_of(spec);
  Spec other;
  const Fields g = fields_of(other);
  for (const Field& field : f.list()) g.set_text(field.name, to_text(field.get()));
  EXPECT_TRUE(f.differences(g).empty());
}

TEST(Fields, SaysWhatDiffersFromTheDefaults) {
  Spec spec;
  spec.rate = 0.125;
  spec.colour = Colour::green;
  Spec defaults;
  const auto changed = fields_of(spec).differences(fields_of(defaults));
  ASSERT_EQ(changed.size(), 2U);
  EXPECT_EQ(changed[0], (std::pair<std::string, std::string>{"rate", "0.125"}));
  EXPECT_EQ(changed[1], (std::pair<std::string, std::string>{"colour", "green"}));
}

TEST(Fields, RefusesWithReasons) {
  Spec spec;
  const Fields f = fields_of(spec);
  const auto refusal = [&f](const char* name, const char* text) {
    return message_of<ConfigError>([&] { f.set_text(name, text); });
  };
  EXPECT_EQ(refusal("rate", "1.5"), "[test/spec] rate must be between 0 and 1, got 1.5");
  EXPECT_EQ(refusal("rate", "abc"), "[test/spec] rate must be a number, got 'abc'");
  EXPECT_EQ(refusal("rate", "nan"), "[test/spec] rate must be between 0 and 1, got nan");
  EXPECT_EQ(refusal("train.epochs", "-3"), "[test/spec] train.epochs must be at least 1, got -3");
  EXPECT_EQ(refusal("train.epochs", "2.5"), "[test/spec] train.epochs must be a whole number, got '2.5'");
  EXPECT_EQ(refusal("sizes", "3,0"), "[test/spec] sizes must be at least 1, got 0");
  EXPECT_EQ(refusal("weights", "0"), "[test/spec] weights must be above 0, got 0");
  EXPECT_EQ(refusal("colour", "blue"), "[test/spec] colour must be one of red, green, got 'blue'");
  EXPECT_EQ(refusal("fast", "maybe"), "[test/spec] fast must be true or false, got 'maybe'");
  EXPECT_EQ(refusal("ratte", "1"), "[test/spec] unknown setting 'ratte'; did you mean 'rate'?");
  EXPECT_EQ(refusal("epochs", "1"), "[test/spec] unknown setting 'epochs'; did you mean 'train.epochs'?");
  EXPECT_NE(refusal("zzzzzzzz", "1").find("known settings are fast, rate"), std::string::npos);
  EXPECT_EQ(spec.rate, 0.5) << "a refused value must not arrive";
}

TEST(Fields, ASettingAddedLaterIsLeftOutOfKeysWhileItChangesNothing) {
  Spec spec;
  Fields f = fields_of(spec);
  f.added_later("train.epochs", 10);
  f.added_later("colour", "green");
  Fields outer("test/outer");
  outer.add_nested("part", f);
  const auto in_keys = [&outer](const char* name) { return outer.find(name).in_keys(); };
  EXPECT_TRUE(in_keys("part.rate"));
  EXPECT_FALSE(in_keys("part.train.epochs"));
  EXPECT_TRUE(in_keys("part.colour")) << "the default of today is not what was done before";
  spec.inner.epochs = 11;
  spec.colour = Colour::green;
  EXPECT_TRUE(in_keys("part.train.epochs"));
  EXPECT_FALSE(in_keys("part.colour"));
}

TEST(Fields, ASettingAddedLaterMustBeListedAndOfItsType) {
  Spec spec;
  Fields f = fields_of(spec);
  EXPECT_EQ(message_of<ConfigError>([&] { f.added_later("ratte", 0.5); }),
            "[test/spec] unknown setting 'ratte'; did you mean 'rate'?");
  EXPECT_EQ(message_of<ConfigError>([&] { f.added_later("rate", 1); }),
            "[test/spec] rate must be of the setting's own type, got '1'");
}

TEST(Config, SetsFromToml) {
  Spec spec;
  apply_toml(fields_of(spec), "rate = 1\nsizes = [5]\nweights = [1, 2.5]\ncolour = 'green'\n[train]\nepochs = 7\n",
             "a.toml");
  EXPECT_EQ(spec.rate, 1.0) << "a whole number serves as a real one";
  EXPECT_EQ(spec.sizes, (std::vector<std::int64_t>{5}));
  EXPECT_EQ(spec.weights, (std::vector<double>{1.0, 2.5}));
  EXPECT_EQ(spec.colour, Colour::green);
  EXPECT_EQ(spec.inner.epochs, 7);
}

TEST(Config, NamesFileAndLine) {
  Spec spec;
  const Fields f = fields_of(spec);
  const auto refusal = [&f](const char* text) {
    return message_of<ConfigError>([&] { apply_toml(f, text, "a.toml"); });
  };
  EXPECT_NE(refusal("rate = 0.5\n\nepoch = 3\n").find("a.toml, line 3"), std::string::npos);
  EXPECT_NE(refusal("[train]\nepoch = 3\n").find("did you mean 'train.epochs'?"), std::string::npos);
  EXPECT_NE(refusal("rate = \n").find("a.toml, line 1"), std::string::npos);
  EXPECT_NE(refusal("rate = 'fast'\n").find("must be a number"), std::string::npos);
  EXPECT_NE(refusal("sizes = [true]\n").find("a list may hold numbers only"), std::string::npos);
  EXPECT_NE(refusal("name = 1979-05-27\n").find("dates and times"), std::string::npos);
}

TEST(Config, SettingsAreANameAndAValue) {
  EXPECT_EQ(parse_setting("name=a=b").name, "name");
  EXPECT_EQ(parse_setting("name=a=b").value, "a=b");
  EXPECT_EQ(message_of<ConfigError>([] { return parse_setting("rate", "--set"); }),
            "[--set] 'rate' is not of the form name=value");
  EXPECT_EQ(message_of<ConfigError>([] { return parse_setting("=3"); }),
            "[core/config] '=3' is not of the form name=value");
}

TEST(Config, NamesOfVeryManyPartsAreRefused) {
  Spec spec;
  const Fields f = fields_of(spec);
  std::string name = "a";
  for (int i = 0; i < 200000; ++i) name += ".a";
  std::string quoted = "a";
  for (int i = 0; i < 200000; ++i) quoted += i % 2 == 0 ? R"(."=#\"")" : ".'[,'";
  for (const std::string& text :
       {name + " = 1", "[" + name + "]", "[[" + name + "]]", "rate = {" + name + " = 1}", quoted + " = 1",
        R"(name = ["""a"""", {)" + name + " = 1}]", "name = ['', '''a''', {" + name + " = 1}] # '"}) {
    EXPECT_NE(message_of<ConfigError>([&] {
                apply_toml(f, "\n" + text + "\n", "a.toml");
              }).find("a.toml, line 2: a name has more than 32 parts"),
              std::string::npos);
  }
  apply_toml(f,
             "# " + std::string(100, '.') + " it's a comment\nname = \"" + name.substr(0, 200) +
                 "\"\nrate = 0.125 # 1.1.1.1.1\n",
             "a.toml");
  EXPECT_EQ(spec.rate, 0.125);
}

TEST(Config, VeryLongTextIsRefused) {
  const auto refusal = [](const std::string& text) {
    return message_of<ConfigError>([&] { (void)settings_of_toml(text, "a.toml"); });
  };
  EXPECT_EQ(refusal(std::string(most_toml_bytes + 1, '\n')),
            "[core/config] a.toml: it has 4194305 bytes; settings have at most 4194304");
  // Each key would have a name of 2 MB.
  std::string keys;
  for (int k = 0; k < 50000; ++k) keys += "k" + std::to_string(k) + " = 1\n";
  EXPECT_NE(
      refusal("[" + std::string(2000000, 'a') + "]\n" + keys).find("the names of tables before this one are too long"),
      std::string::npos);
  EXPECT_EQ(settings_of_toml("[" + std::string(200, 'a') + "]\n" + keys, "a.toml").size(), 50000U);
}

TEST(Nearest, FindsNothingWhereNothingIsNear) {
  EXPECT_EQ(nearest("colour", {"color", "rate"}), "color");
  EXPECT_EQ(nearest("abcdefgh", {"xyz"}), "");
  EXPECT_EQ(nearest("a", {}), "");
  EXPECT_EQ(nearest("Z", {"1", "train.Z"}), "train.Z");
  EXPECT_EQ(nearest("Z", {"1", "2"}), "") << "nothing in common";
  EXPECT_EQ(nearest("ab", {"xy", "abc"}), "abc");
}

/// A comparison takes time in proportion to the product of the lengths: seconds, and minutes for many candidates.
TEST(Nearest, ComparesNothingThatCannotBeNear) {
  const std::string many(1000000, 'a');
  const std::vector<std::string> names(1000, std::string(100, 'a'));
  EXPECT_EQ(nearest(many, names), "");
  EXPECT_EQ(nearest("aaaa", std::vector<std::string>(30, many)), "");
  EXPECT_EQ(nearest("rate", {many, "rat", "train.rate"}), "train.rate");
  const std::string long_name(150, 'b');
  EXPECT_EQ(nearest(long_name + "c", {many, long_name}), long_name);
}

}  // namespace
}  // namespace nomu
