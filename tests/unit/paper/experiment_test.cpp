#include "paper/experiment/experiment.hpp"

#include <gtest/gtest.h>

#include "message_of.hpp"
#include "nomu/core/error.hpp"
#include "paper/kinds/kind.hpp"
#include "paper/run/runner.hpp"
#include "unit/paper/experiment_folder.hpp"

namespace nomu {
namespace {

std::string refusal(const std::string& text) {
  const ExperimentFolder folder;
  const auto file = folder.write("experiment.toml", text);
  return message_of<ConfigError>([&] { (void)read_experiment(file, ExperimentProfile::full); });
}

TEST(ReadExperiment, ProfilesShareTheFile) {
  const ExperimentFolder folder;
  const auto file = folder.write("small.toml", small_toy_experiment);
  const ExperimentSpec full = read_experiment(file, ExperimentProfile::full);
  const ExperimentSpec smoke = read_experiment(file, ExperimentProfile::smoke);
  EXPECT_EQ(full.name, "small");
  EXPECT_EQ(full.problems, (std::vector<std::string>{"levy", "step"}));
  EXPECT_EQ(full.runs, 3);
  EXPECT_EQ(full.methods[0].cohort_cpu, 4);
  EXPECT_EQ(smoke.methods[0].cohort_cpu, 2);
  EXPECT_EQ(smoke.runs, 2);
  EXPECT_EQ(full.expected, folder.path() / "small.csv");
  MethodSpec large = full.methods[0].spec(6, 1);
  MethodSpec small = smoke.methods[0].spec(6, 1);
  EXPECT_EQ(to_text(fields_of(large).find("train.epochs").get()), "20");
  EXPECT_EQ(to_text(fields_of(small).find("train.epochs").get()), "10");
}

TEST(ReadExperiment, ASettingMayCountColumns) {
  const ExperimentFolder folder;
  const ExperimentSpec spec =
      read_experiment(folder.write("small.toml", small_toy_experiment), ExperimentProfile::full);
  MethodSpec method = spec.methods[0].spec(6, 3);
  EXPECT_EQ(to_text(fields_of(method).find("augment.count").get()), "48");
}

TEST(ReadExperiment, AGridTriesEachValueOnItsOwn) {
  const ExperimentFolder folder;
  const ExperimentSpec spec = read_experiment(folder.write("grid.toml", R"(
kind = "testbed"
problems = ["1d"]
[[method]]
name = "nomu"
paper = "NOMU"
grid.mu_sqr = [0.01, 1]
grid.augment.count = ["25 d", "50 d"]
)"),
                                              ExperimentProfile::full);
  std::vector<std::string> names;
  for (const ExperimentMethod& method : spec.methods) names.push_back(method.name);
  EXPECT_EQ(names, (std::vector<std::string>{"nomu", "nomu/augment.count=25 d", "nomu/augment.count=50 d",
                                             "nomu/mu_sqr=0.01", "nomu/mu_sqr=1"}));
  MethodSpec one = spec.methods[1].spec(8, 2);
  EXPECT_EQ(to_text(fields_of(one).find("augment.count").get()), "50");
  EXPECT_EQ(to_text(fields_of(one).find("mu_sqr").get()), "0.1");
  EXPECT_EQ(spec.methods[3].paper, "mu_sqr=0.01");
}

TEST(ReadExperiment, ASearchTriesEveryCombination) {
  const ExperimentFolder folder;
  const auto file = folder.write("search.toml", R"(
kind = "toy"
problems = ["levy"]
[[method]]
name = "nomu"
search.mu_sqr = [0.01, 1]
search.train.epochs = [10, 20, 30]
)");
  const ExperimentSpec spec = read_experiment(file, ExperimentProfile::full);
  const std::vector<ExperimentMethod> all = spec.methods[0].combinations();
  ASSERT_EQ(all.size(), 6U);
  MethodSpec last = all.back().spec(8, 1);
  EXPECT_EQ(to_text(fields_of(last).find("mu_sqr").get()), "1");
  EXPECT_EQ(to_text(fields_of(last).find("train.epochs").get()), "30");
  EXPECT_EQ(message_of<ConfigError>([&] { return expand_experiment(spec, "fp32", false); }),
            "[paper/experiment] method 'nomu': search needs validation rows, which experiments of kind 'toy' do not "
            "have; use grid");
}

TEST(ReadExperiment, OneMethodStandsForSeveral) {
  const ExperimentFolder folder;
  const ExperimentSpec spec = read_experiment(folder.write("each.toml", R"(
kind = "bo"
problems = ["levy-2d"]
[[method]]
name = "gp-*"
each = ["0.05", "0.5"]
title = "GP, MW *"
paper = "GP MW *"
method = "gp"
protocol = "mw-*"
)"),
                                              ExperimentProfile::full);
  ASSERT_EQ(spec.methods.size(), 2U);
  EXPECT_EQ(spec.methods[0].name, "gp-0.05");
  EXPECT_EQ(spec.methods[1].title, "GP, MW 0.5");
  EXPECT_EQ(spec.methods[1].paper, "GP MW 0.5");
  EXPECT_EQ(spec.methods[1].protocol, "mw-0.5");
}

TEST(ReadExperiment, AnExperimentMayBeBasedOnAnother) {
  const ExperimentFolder folder;
  (void)folder.write("small.toml", small_toy_experiment);
  const auto file = folder.write("more.toml", R"(
base = "small.toml"
problems = ["kink"]
runs = 7
[smoke]
problems = ["abs"]
[[method]]
name = "ann"
method = "ann"
)");
  const ExperimentSpec full = read_experiment(file, ExperimentProfile::full);
  EXPECT_EQ(full.name, "more");
  EXPECT_EQ(full.title, "Small");
  EXPECT_EQ(full.problems, (std::vector<std::string>{"kink"}));
  EXPECT_EQ(full.runs, 7);
  EXPECT_EQ(full.rows, 6);
  EXPECT_EQ(full.expected, folder.path() / "small.csv");
  ASSERT_EQ(full.methods.size(), 3U);
  EXPECT_EQ(full.methods[2].name, "ann");
  const ExperimentSpec smoke = read_experiment(file, ExperimentProfile::smoke);
  EXPECT_EQ(smoke.problems, (std::vector<std::string>{"abs"}));
  EXPECT_EQ(smoke.runs, 2);
  EXPECT_EQ(smoke.methods[0].cohort_cpu, 2);
}

TEST(ReadExperiment, AnExperimentBasedOnItselfIsRefused) {
  EXPECT_THAT(refusal("base = \"experiment.toml\"\nkind = \"toy\"\n"), testing::HasSubstr("based on itself"));
  EXPECT_THAT(refusal("base = 3\n"), testing::HasSubstr("base"));
}

TEST(ReadExperiment, WrongKeysNameTheNearest) {
  EXPECT_NE(refusal("kind = 'toy'\nprobelms = ['levy']\n").find("line 2"), std::string::npos);
  EXPECT_NE(refusal("kind = 'toy'\nprobelms = ['levy']\n").find("did you mean 'problems'?"), std::string::npos);
  EXPECT_NE(refusal("[smoke]\nrun = 2\n").find("did you mean 'runs'?"), std::string::npos);
  EXPECT_NE(refusal("[[method]]\nname = 'a'\ncohorts = 3\n").find("did you mean 'cohort'?"), std::string::npos);
  EXPECT_NE(refusal("[[methods]]\nname = 'a'\n").find("did you mean 'method'?"), std::string::npos);
  EXPECT_NE(refusal("[[method]]\ntitle = 'a'\n").find("needs a name"), std::string::npos);
  EXPECT_NE(refusal("kind = 'toy'\nproblems = ['levy']\n").find("at least one [[method]]"), std::string::npos);
  EXPECT_NE(refusal("[[method]]\nname = 'a'\n[[method]]\nname = 'a'\n").find("two methods named 'a'"),
            std::string::npos);
}

TEST(ReadExperiment, WrongSettingsNameTheMethod) {
  ExperimentMethod method;
  method.name = "nomu";
  method.settings = {{"mu_sq", 0.1}};
  const std::string message = message_of<ConfigError>([&] { (void)method.spec(8, 1); });
  EXPECT_NE(message.find("method 'nomu'"), std::string::npos);
  EXPECT_NE(message.find("did you mean 'mu_sqr'?"), std::string::npos);
}

TEST(RestrictTo, NamesWhatThereIs) {
  const ExperimentFolder folder;
  ExperimentSpec spec = read_experiment(folder.write("small.toml", small_toy_experiment), ExperimentProfile::full);
  const auto refused = [&](const ExperimentPart& part) {
    return message_of<ConfigError>([&] { restrict_to(spec, part); });
  };
  EXPECT_NE(refused({.methods = {"nomo"}, .problems = {}, .runs = 0}).find("did you mean 'nomu'?"), std::string::npos);
  EXPECT_NE(refused({.methods = {}, .problems = {"levi"}, .runs = 0}).find("no problem 'levi'"), std::string::npos);
  restrict_to(spec, {.methods = {"gp"}, .problems = {"step"}, .runs = 7});
  EXPECT_EQ(spec.methods.size(), 1U);
  EXPECT_EQ(spec.problems, std::vector<std::string>{"step"});
  EXPECT_EQ(spec.runs, 7);
}

TEST(RestrictTo, KeepsSeeds) {
  const ExperimentFolder folder;
  ExperimentSpec spec = read_experiment(folder.write("small.toml", small_toy_experiment), ExperimentProfile::full);
  EXPECT_NE(message_of<ConfigError>([&] {
              restrict_to(spec, {.methods = {}, .problems = {}, .seeds = {600}});
            }).find("seed 600 is none of the experiment's, which are 501 to 503"),
            std::string::npos);
  restrict_to(spec, {.methods = {"gp"}, .problems = {"step"}, .seeds = {501, 503}});
  std::vector<std::uint64_t> seeds;
  for (const Piece& piece : expand_experiment(spec, "fp32", false)) {
    for (const ExperimentRun& run : piece.runs) seeds.push_back(run.seed);
  }
  EXPECT_EQ(seeds, (std::vector<std::uint64_t>{501, 503}));
}

TEST(ExperimentKinds, UnknownOnesNameTheNearest) {
  ExperimentSpec spec;
  spec.name = "mine";
  spec.kind = "toi";
  EXPECT_NE(message_of<ConfigError>([&] { (void)find_kind(spec); }).find("did you mean 'toy'?"), std::string::npos);
}

TEST(ExperimentKinds, TheTestbedDrawsRotatedNormalInputs) {
  ExperimentSpec spec;
  spec.kind = "testbed";
  spec.inputs = "gauss";
  spec.rows = 4;
  spec.test_rows = 500;
  spec.rows_per_input = true;
  spec.network = {4};
  const ExperimentKind& kind = find_kind(spec);
  EXPECT_EQ(kind.shape(spec, "10d").rows, 40U);
  const RunData data = kind.draw(spec, {.problem = "10d", .seed = 501, .key = {}});
  ASSERT_EQ(data.test.rows(), 5000U);
  double square = 0.0;
  for (const double x : data.test.inputs) square += x * x;
  // The trace of the covariance: five directions of 0.15, five of 0.001.
  EXPECT_NEAR(square / 5000.0, 5 * 0.15 + 5 * 0.001, 0.02);
  EXPECT_NE(message_of<ConfigError>([&] { (void)kind.shape(spec, "two"); }).find("such as 2d"), std::string::npos);
  spec.inputs = "normal";
  EXPECT_NE(message_of<ConfigError>([&] { (void)kind.shape(spec, "2d"); }).find("uniform or gauss"), std::string::npos);
}

}  // namespace
}  // namespace nomu
