#include "nomu/report/study_report.hpp"

#include <gtest/gtest.h>

#include "message_of.hpp"
#include "report/study/study_figures.hpp"
#include "report/study/study_quality.hpp"

namespace nomu {
namespace {

using testing::HasSubstr;
using testing::Not;

Study small_study() {
  OptimizeSpec spec;
  spec.initial = 6;
  spec.settings = "train.epochs=40; mean_net.hidden=[8]; sigma_net.hidden=[8]; augment.count=16";
  return Study(Space({{.name = "speed <b>", .low = -1.0, .high = 1.0},
                      {.name = "rate", .low = 1e-3, .high = 1.0, .log = true},
                      {.name = "kind", .kind = Variable::Kind::categorical, .choices = {"a", "b"}}}),
               spec);
}

TEST(OptimizationReport, ShowsHowItWentAndWhatTheModelSays) {
  Study study = small_study();
  for (int i = 0; i < 8; ++i) {
    const Trial trial = study.ask();
    if (i == 3) {
      study.fail(trial.id, "melted & gone");
    } else {
      study.tell(trial, trial.point[0] * trial.point[0] + trial.point[1]);
    }
  }
  const std::string page = render_optimization_report(study, {.title = "Yield", .date = "2026-01-02"});
  for (const char* text :
       {"Yield", "2026-01-02", "best so far", "best tenth", "failed: melted &amp; gone", "speed &lt;b&gt;",
        "What the model predicts", "The model over", "Settings", "Dashed in red: trials that failed (1 in all)",
        "Crosses: trials that failed", ">0.001 to 1, log<"}) {
    EXPECT_THAT(page, HasSubstr(text));
  }
  EXPECT_THAT(page, Not(HasSubstr("speed <b>")));
  EXPECT_THAT(page, Not(HasSubstr("not set")));
  EXPECT_THAT(page, Not(HasSubstr("href=")));
  EXPECT_THAT(page, Not(HasSubstr("src=")));
  EXPECT_THAT(render_optimization_report(study, {.optimum = 0.0, .model = false}), HasSubstr("regret"));
}

TEST(OptimizationReport, SeveralStudiesGiveAMeanWithItsBand) {
  std::vector<Study> studies;
  for (int s = 0; s < 3; ++s) {
    studies.push_back(small_study());
    for (int i = 0; i < 5; ++i) studies.back().tell(studies.back().ask(), 1.0 / (1.0 + i + s));
  }
  const std::string page =
      render_optimization_report(studies[0], {.others = {studies[1].trials(), studies[2].trials()}, .model = false});
  for (const char* text : {"this study", "mean of 3 studies", "95 % interval"}) EXPECT_THAT(page, HasSubstr(text));
  const auto with_optimum = [&](double optimum) {
    return render_optimization_report(studies[0],
                                      {.optimum = optimum, .others = {studies[1].trials()}, .model = false});
  };
  EXPECT_THAT(with_optimum(0.1), HasSubstr("regret"));
  EXPECT_THAT(message_of([&] { return with_optimum(0.19); }),
              HasSubstr("0.19 cannot be the optimum, because trial 5 has"));
}

TEST(OptimizationReport, ParallelCoordinatesHaveNamesInFullAndUnits) {
  Study study(Space({{.name = "oxygen_partial_pressure", .low = 0.01, .high = 10.0, .log = true},
                     {.name = "residence_time_in_reactor", .low = 1.0, .high = 60.0, .unit = "min"},
                     {.name = "catalyst", .kind = Variable::Kind::categorical, .choices = {"platinum", "none"}}}),
              OptimizeSpec{});
  for (int i = 0; i < 3; ++i) study.tell(study.ask(), 1.5 + i);
  const std::string page = render_optimization_report(study, {.model = false});
  for (const char* text :
       {">oxygen_partial_<", ">pressure<", ">0.01 to 10, log<", ">residence_time_<", ">in_reactor [min]<", ">1 to 60<",
        ">catalyst<", ">platinum, none<", ">value<", ">1.5 to 3.5<", "<th>residence_time_in_reactor [min]</th>"}) {
    EXPECT_THAT(page, HasSubstr(text));
  }
}

/// Where the only trial of a study stands on the axis of its second variable, a number that counts if `kind` is "a".
double place_of_second(double kind, double number) {
  const Space space({{.name = "kind", .kind = Variable::Kind::categorical, .choices = {"a", "b"}},
                     {.name = "number", .low = 0.0, .high = 1.0, .when = {{.variable = "kind", .values = {"a"}}}}});
  Trial trial{.point = {kind, number}, .state = TrialState::finished};
  trial.value = 1.0;
  const NamedPlot figure = parallel_figure(space, {trial}, Direction::minimize);
  return std::get<PlotLine>(figure.plot.layers.front()).x.at(1);
}

TEST(OptimizationReport, HasRoomForManyVariables) {
  for (const std::size_t variables : {197U, 198U, 1000U}) {
    OptimizeSpec spec;
    spec.method = "random";
    Study study(Space::box(variables, 0.0, 1.0), spec);
    for (int i = 0; i < 2; ++i) study.tell(study.ask(), 1.0 + i);
    const std::string page = render_optimization_report(study, {.model = false});
    EXPECT_NE(page.find("best tenth"), std::string::npos) << variables;
  }
}

TEST(OptimizationReport, VariablesThatATrialDoesNotHaveAreOffTheirAxis) {
  EXPECT_EQ(place_of_second(0.0, 0.5), 0.5);
  EXPECT_GT(place_of_second(1.0, 0.5), 1.0);
  OptimizeSpec spec;
  spec.initial = 6;
  spec.method = "gp";
  Study study(Space({{.name = "kind", .kind = Variable::Kind::categorical, .choices = {"a", "b"}},
                     {.name = "number", .low = 0.0, .high = 1.0, .when = {{.variable = "kind", .values = {"a"}}}},
                     {.name = "x", .low = 0.0, .high = 1.0}}),
              spec);
  for (int i = 0; i < 8; ++i) {
    const Trial trial = study.ask();
    study.tell(trial, trial.point[2] + (trial.point[0] == 0.0 ? 1.0 : 0.0));
  }
  ASSERT_EQ(study.status().best_result->point[0], 1.0);
  const std::string page = render_optimization_report(study, {});
  EXPECT_THAT(page, HasSubstr(">not set<"));
  EXPECT_THAT(page, HasSubstr("The model along x through the best point"));
  EXPECT_THAT(page, Not(HasSubstr("The model along number")));  // the best point does not have it
  EXPECT_THAT(page, Not(HasSubstr("The model over")));
}

TEST(OptimizationReport, SaysWhichModelsHadNotSeenAResult) {
  UnseenResults unseen{.value = {1.0, 2.0}, .mean = {1.5, 1.5}, .sigma = {1.0, 1.0}, .inside = 1.0};
  EXPECT_EQ(unseen_figure(unseen).caption,
            "Predictions of models that had not seen the result, which explain 0 % of the variance; 100 % of the "
            "results are within one bar.");
  unseen.stand_ins = true;
  EXPECT_THAT(unseen_figure(unseen).caption,
              HasSubstr("Predictions of Gaussian processes like the study's own, fitted without the result, which"));
}

TEST(OptimizationReport, WithoutResultsThereIsNone) {
  const Study study = small_study();
  EXPECT_THAT(message_of([&] { return render_optimization_report(study, {}); }), HasSubstr("no trial has a result"));
}

}  // namespace
}  // namespace nomu
