#include "paper/figures/figures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "message_of.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

using testing::HasSubstr;

/// One Gaussian process on every picture that is asked for.
ExperimentSpec small_experiment(const std::string& picture) {
  ExperimentSpec spec;
  spec.kind = figures_kind;
  spec.problems = {picture};
  spec.rows = 6;
  spec.first_seed = 513;
  ExperimentMethod gp;
  gp.name = gp.method = "gp";
  gp.title = "GP";
  gp.problems = {picture};
  gp.protocol = "c=3";
  spec.methods = {gp};
  return spec;
}

TEST(Figures, LinesMapsAndTheReadoutAreDrawn) {
  const auto engine = make_engine({.device = "cpu"});
  for (const char* picture : {"bounds-levy", "map-styblinski_tang", "d4-line", "d4-plane", "solar-made"}) {
    const std::string svg = draw_figure(small_experiment(picture), picture, *engine);
    EXPECT_THAT(svg, HasSubstr("<svg")) << picture;
    EXPECT_THAT(svg, HasSubstr("GP (c = 3)")) << picture;
    EXPECT_EQ(svg, draw_figure(small_experiment(picture), picture, *engine)) << "the same bytes again";
  }
  EXPECT_THAT(draw_figure(small_experiment("readout"), "readout", *engine), HasSubstr("Readout map"));
  EXPECT_THAT(draw_figure(small_experiment("functions"), "functions", *engine), HasSubstr("forrester"));
  EXPECT_THAT(draw_figure(small_experiment("worst-case"), "worst-case", *engine), HasSubstr("pointwise worst case"));
}

TEST(Figures, WrongNamesAreRefused) {
  const auto engine = make_engine({.device = "cpu"});
  const auto refusal = [&](const ExperimentSpec& spec, const std::string& picture) {
    return message_of<ConfigError>([&] { return draw_figure(spec, picture, *engine); });
  };
  EXPECT_THAT(refusal(small_experiment("bounds-levi"), "bounds-levi"), HasSubstr("levy"));
  EXPECT_THAT(refusal(small_experiment("solar-x"), "solar-x"), HasSubstr("seed of a split, such as solar-655"));
  EXPECT_THAT(refusal(small_experiment("bounds-levy"), "d4-line"), HasSubstr("no method of the experiment lists"));
  ExperimentSpec spec = small_experiment("bounds-levy");
  spec.methods[0].protocol = "c=-1";
  EXPECT_THAT(refusal(spec, "bounds-levy"), HasSubstr("protocol must be a factor on sigma such as c=5, got 'c=-1'"));
}

}  // namespace
}  // namespace nomu
