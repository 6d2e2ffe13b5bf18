#include "nomu/report/model_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "message_of.hpp"
#include "unit/models/model_cases.hpp"
#include "unit/report/report_page.hpp"

namespace nomu {
namespace {

using testing::HasSubstr;

/// Split conformal, held out; one model for all tests.
const Model& wavy_model() {
  static const Model model = [] {
    FitSpec spec = tiny_fit(CalibrationChoice::conformal);
    spec.calibration.policy = CalibrationPolicy::hold_out;
    return fit(spec, wavy_data(150), test_engine());
  }();
  return model;
}

TEST(ModelReport, TellsWhatTheModelKnows) {
  const Model& model = wavy_model();
  const ReportSubject subject =
      report_subject(model, {.date = "2024-05-17", .check = CheckSpec{.probes = 50, .refit = false}});
  EXPECT_EQ(subject.name, "Model of y");
  EXPECT_EQ(subject.data.rows(), model.parts().fitted_rows.size());
  EXPECT_EQ(subject.calibration, model.calibration());
  EXPECT_EQ(subject.level, 0.95);
  EXPECT_FALSE(subject.rows->fresh);
  EXPECT_EQ(subject.rows->targets.size(), 30U);
  EXPECT_FALSE(subject.settings.empty());
  const std::string html = render_report(subject);
  for (const char* text : {"30 rows held out of the data", "agreement here proves nothing", "takes three more fits",
                           "at least 95 % (split conformal)", "train.epochs", "2024-05-17"}) {
    EXPECT_TRUE(says(html, text)) << text;
  }
}

TEST(ModelReport, FreshRowsAreJudgedByTheModelsBounds) {
  const DataSet fresh = wavy_data(60, 99);
  const ReportSubject subject = report_subject(wavy_model(), {.level = 0.8, .rows = fresh, .rows_source = "new.csv"});
  EXPECT_TRUE(subject.rows->fresh);
  EXPECT_EQ(subject.rows->source, "the 60 rows of new.csv");
  const Bounds bounds = subject.rows->bounds(0.8);
  EXPECT_EQ(bounds.lower, wavy_model().bounds(fresh.inputs, 0.8).lower);
  EXPECT_TRUE(says(render_report(subject), "of 60 fresh rows lie inside the bounds of level 80 %"));
}

TEST(ModelReport, RowsTheModelHasSeenAreNotFresh) {
  EXPECT_THAT(
      message_of([] { return report_subject(wavy_model(), {.rows = wavy_data(150), .rows_source = "same.csv"}); }),
      HasSubstr("all 150 rows of same.csv are among those the model was made with"));
  DataSet mixed = wavy_data(20);
  mixed.targets[0] += 1.0;
  const ReportSubject subject = report_subject(wavy_model(), {.rows = mixed});
  EXPECT_EQ(subject.rows->known, 19U);
  EXPECT_TRUE(says(render_report(subject), "But 19 of them equal rows that were"));
}

TEST(ModelReport, FoldsShowAllTheirNetworks) {
  const Model model = fit(tiny_fit(CalibrationChoice::conformal), wavy_data(40), test_engine());
  const ReportSubject subject = report_subject(model);
  EXPECT_EQ(subject.fits.size(), 11U);
  const std::string html = render_report(subject);
  EXPECT_TRUE(says(html, "the 40 training rows, each left out of one fold"));
  EXPECT_TRUE(says(html, "cross-conformal (CV+)"));
}

TEST(ModelReport, UncalibratedModelsClaimNoLevel) {
  const Model model = fit(tiny_fit(CalibrationChoice::none), wavy_data(30), test_engine());
  const std::string html = render_report(report_subject(model));
  EXPECT_TRUE(says(html, "this page claims no level"));
  EXPECT_TRUE(says(html, "There are no rows with known targets"));
}

TEST(ModelReport, KnownNoiseIsAssumedWhereThereIsNoRow) {
  DataSet data = wavy_data(60);
  data.noise.assign(data.rows(), 5.0);
  data.noise[0] = 50.0;
  const Model model = fit(tiny_fit(CalibrationChoice::nll), data, test_engine());
  const ReportSubject subject = report_subject(model);
  EXPECT_EQ(subject.predict(data.row(0)).sigma_noise, std::vector<double>{5.0});
  EXPECT_TRUE(says(render_report(subject), "the plots assume its median"));
}

TEST(ModelReport, RefusesALevelTheRowsCannotSupport) {
  EXPECT_THAT(message_of<ConfigError>([] { return render_report(report_subject(wavy_model(), {.level = 0.99})); }),
              HasSubstr("needs at least 99 calibration rows"));
}

}  // namespace
}  // namespace nomu
