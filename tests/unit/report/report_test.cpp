#include "nomu/report/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <set>

#include "unit/report/report_page.hpp"
#include "unit/report/report_subjects.hpp"

namespace nomu {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> names_of(const std::vector<NamedPlot>& plots) {
  std::vector<std::string> names;
  names.reserve(plots.size());
  for (const NamedPlot& plot : plots) names.push_back(plot.name);
  return names;
}

/// Whether a percentage stands anywhere in the words of the page.
bool names_a_percentage(std::string html) {
  html.erase(html.find("<style>"), html.find("</style>") - html.find("<style>"));
  for (std::size_t i = html.find(" %"); i != std::string::npos; i = html.find(" %", i + 1)) {
    if (i > 0 && std::isdigit(static_cast<unsigned char>(html[i - 1])) != 0) return true;
  }
  return false;
}

TEST(Report, OneInputShowsDataMeanAndBands) {
  const ReportSubject subject = make_subject(60, 1);
  const std::vector<NamedPlot> plots = report_plots(subject);
  EXPECT_THAT(names_of(plots), ElementsAre("bounds", "predicted", "reliability", "width_coverage", "loss"));
  const std::string svg = render_svg(plots[0].plot);
  for (const char* entry : {"bounds of level 90 %", "model uncertainty alone", ">mean<", "training rows"}) {
    EXPECT_TRUE(says(svg, entry)) << entry;
  }
  expect_whole_page(render_report(subject));
}

TEST(Report, TwoInputsShowHeatMaps) {
  const ReportSubject subject = make_subject(60, 2);
  EXPECT_THAT(names_of(report_plots(subject)),
              ElementsAre("mean", "sigma_model", "sigma_noise", "predicted", "reliability", "width_coverage", "loss"));
  expect_whole_page(render_report(subject));
}

TEST(Report, ManyInputsShowTheImportantOnesAndDistance) {
  const ReportSubject subject = make_subject(150, 6);
  EXPECT_THAT(names_of(report_plots(subject)),
              ElementsAre("input_1", "input_2", "input_3", "input_4", "input_5", "sigma_distance", "predicted",
                          "reliability", "width_coverage", "loss"));
  expect_whole_page(render_report(subject));
}

TEST(Report, ImportanceFollowsTheFunction) {
  const std::vector<InputImportance> columns = input_importance(make_subject(300, 6));
  ASSERT_EQ(columns.size(), 6U);
  EXPECT_EQ(columns[0].name, "x1");
  EXPECT_TRUE((std::set<std::string>{columns[1].name, columns[2].name} == std::set<std::string>{"x2", "x3"}));
  EXPECT_GT(columns[2].change, 5.0 * columns[3].change);
}

TEST(Report, AColumnOfNamesIsOneInput) {
  const ReportSubject subject = named_subject();
  const std::vector<InputImportance> columns = input_importance(subject);
  ASSERT_EQ(columns.size(), 4U);
  const std::vector<NamedPlot> plots = report_plots(subject);
  const auto along = std::ranges::find_if(plots, [](const NamedPlot& p) { return p.plot.title == "y along colour"; });
  ASSERT_NE(along, plots.end());
  EXPECT_EQ(along->plot.x.names.size(), 3U);
  EXPECT_THAT(along->caption, HasSubstr("greenish yellow"));
  const auto* points = std::get_if<PlotPoints>(&along->plot.layers.front());
  ASSERT_NE(points, nullptr);
  EXPECT_NEAR(points->y[1] - points->y[0], 2.0, 1e-9) << "the formula adds 2 for greenish yellow";
  expect_whole_page(render_report(subject));
}

TEST(Report, OneColumnOfNamesIsNotALine) {
  ReportSubject subject = make_subject(20, 1);
  subject.data.features = {{.name = "kind", .levels = {"only"}, .kind = ColumnKind::names}};
  EXPECT_THAT(names_of(report_plots(subject)), testing::Contains("input_1"));
  expect_whole_page(render_report(subject));
}

TEST(Report, SaysWhatTheCalibrationGuarantees) {
  ReportSubject subject = make_subject(40, 1);
  EXPECT_TRUE(says(render_report(subject), "is covered with probability at least 90 % (split conformal)"));
  subject.calibration = calibrate_nll(subject.rows->predicted, subject.rows->targets);
  EXPECT_TRUE(says(render_report(subject), "there is no guarantee beyond that"));
}

TEST(Report, WithoutCalibrationNoPercentageIsNamed) {
  ReportSubject subject = make_subject(40, 1);
  EXPECT_TRUE(names_a_percentage(render_report(subject)));
  subject.calibration = {};
  subject.bounds = nullptr;
  const std::string html = render_report(subject);
  expect_whole_page(html);
  EXPECT_FALSE(names_a_percentage(html));
  EXPECT_TRUE(says(html, "this page claims no level"));
  EXPECT_TRUE(says(html, "mean \u2213 sigma (not calibrated)"));
}

TEST(Report, AWidthIsNoLevel) {
  ReportSubject subject = make_subject(40, 1);
  subject.calibration = calibrate_width(subject.rows->predicted, 2.0);
  const std::string html = render_report(subject);
  EXPECT_FALSE(names_a_percentage(html));
  EXPECT_TRUE(says(html, "No coverage is guaranteed"));
}

TEST(Report, RowsThatSetTheCalibrationAreNoProof) {
  ReportSubject subject = make_subject(40, 2);
  subject.rows->fresh = false;
  subject.rows->bounds = nullptr;
  const std::string html = render_report(subject);
  expect_whole_page(html);
  EXPECT_TRUE(says(html, "agreement here proves nothing"));
  EXPECT_FALSE(says(html, "fresh rows lie inside"));
}

TEST(Report, MissingPiecesAreNamed) {
  ReportSubject subject = make_subject(20, 1, false);
  subject.rows.reset();
  subject.findings.clear();
  subject.fits.clear();
  subject.settings.clear();
  subject.engine.reset();
  subject.date.clear();
  const std::string html = render_report(subject);
  expect_whole_page(html);
  for (const char* sentence :
       {"No data noise is modelled", "There are no rows with known targets", "Not checked",
        "No record of the fit is available", "All settings are the defaults", "no fresh rows to check it"}) {
    EXPECT_TRUE(says(html, sentence)) << sentence;
  }
  EXPECT_THAT(names_of(report_plots(subject)), ElementsAre("bounds"));
}

TEST(Report, UserTextIsEscaped) {
  ReportSubject subject = make_subject(30, 3);
  const std::string evil = "<script>alert(\"1\")</script>";
  subject.name = evil;
  subject.method = evil;
  subject.version = evil;
  subject.date = evil;
  subject.data.target_name = "\"größe\" & 'y' <b>";
  subject.data.features[0].name = evil;
  subject.data.input_names[1] = "<img src=x onerror=alert(1)> \xff";
  subject.data.report.constant_columns = {evil};
  subject.rows->source = evil;
  subject.settings = {{evil, evil}};
  subject.findings[0].sentence = evil;
  subject.engine->device = evil;
  const std::string html = render_report(subject);
  expect_whole_page(html);
  EXPECT_TRUE(says(html, "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;"));
  EXPECT_TRUE(says(html, "&quot;größe&quot; &amp; &#39;y&#39; &lt;b&gt;"));
  EXPECT_TRUE(says(html, "\ufffd"));
}

TEST(Report, LongNamesAreCut) {
  ReportSubject subject = make_subject(20, 3);
  subject.name = std::string(100000, 'x');
  subject.data.target_name = std::string(100000, 'y');
  for (std::string& name : subject.data.input_names) name = std::string(100000, 'z');
  for (FeatureColumn& feature : subject.data.features) feature.name = std::string(100000, 'z');
  EXPECT_LT(render_report(subject).size(), 300000U);
}

TEST(Report, ManyRowsStaySmall) {
  ReportSubject subject = make_subject(40, 2);
  const DataSet many = noisy_rows(20000, 2, 7);
  subject.data = many;
  subject.rows->targets = many.targets;
  subject.rows->predicted = {.mean = many.targets, .sigma_model = std::vector<double>(many.rows(), 0.5)};
  for (std::size_t i = 0; i < many.rows(); ++i)
    subject.rows->predicted.mean[i] += 0.3 * std::sin(static_cast<double>(i));
  subject.rows->bounds = [rows = subject.rows->predicted, calibration = subject.calibration](double level) {
    return make_bounds(rows, calibration, level);
  };
  subject.fits[0].history.assign(200000, 1.0F);
  const std::string html = render_report(subject);
  expect_whole_page(html);
  EXPECT_TRUE(says(html, "(300 of 20000 drawn)"));
}

TEST(Report, SameSubjectSameBytes) {
  EXPECT_EQ(render_report(make_subject(50, 4)), render_report(make_subject(50, 4)));
}

TEST(Report, BoundsFarBeyondTheDataAreCutOff) {
  ReportSubject subject = make_subject(30, 1);
  subject.bounds = [predict = subject.predict](std::span<const double> x, double) {
    const PredictedRows rows = predict(x);
    Bounds bounds{.lower = rows.mean, .upper = rows.mean};
    for (std::size_t i = 0; i < rows.rows(); ++i) bounds.upper[i] += x[i] > 0.0 ? 1e6 : 0.1;
    return bounds;
  };
  const NamedPlot figure = report_plots(subject).front();
  ASSERT_TRUE(figure.plot.y.range);
  EXPECT_LT(figure.plot.y.range->high, 60.0);
  EXPECT_TRUE(says(figure.caption, "cut off"));
  EXPECT_FALSE(report_plots(make_subject(30, 1)).front().plot.y.range);
}

TEST(Report, AsymmetricSigma) {
  ReportSubject subject = make_subject(30, 1, false);
  subject.predict = [inner = subject.predict](std::span<const double> x) {
    PredictedRows rows = inner(x);
    rows.sigma_below.assign(rows.rows(), 0.01);
    return rows;
  };
  subject.calibration = {};
  const std::vector<NamedPlot> plots = report_plots(subject);
  const auto& band = std::get<PlotBand>(plots[0].plot.layers[0]);
  const auto& mean = std::get<PlotLine>(plots[0].plot.layers[1]);
  EXPECT_NEAR(mean.y[0] - band.lower[0], 0.01, 1e-12);
  EXPECT_GT(band.upper[0] - mean.y[0], 0.02);
}

TEST(Report, ModelBandIsTheBoundsWithoutNoise) {
  const ReportSubject subject = make_subject(30, 1);
  const std::vector<NamedPlot> plots = report_plots(subject);
  const auto& total = std::get<PlotBand>(plots[0].plot.layers[0]);
  const auto& model = std::get<PlotBand>(plots[0].plot.layers[1]);
  const auto& mean = std::get<PlotLine>(plots[0].plot.layers[2]);
  const PredictedRows rows = subject.predict(mean.x);
  const double factor = multipliers(subject.calibration, subject.level).above;
  for (const std::size_t i : {std::size_t{0}, std::size_t{200}, std::size_t{400}}) {
    EXPECT_NEAR(model.upper[i] - mean.y[i], factor * rows.sigma_model[i], 1e-9);
    EXPECT_NEAR(total.upper[i] - mean.y[i], factor * std::hypot(rows.sigma_model[i], rows.sigma_noise[i]), 1e-9);
  }
}

TEST(Report, ADivergedFitIsSaidFirst) {
  ReportSubject subject = make_subject(30, 1);
  subject.fits[0].diverged = true;
  subject.fits[0].history = {1.0F, 100.0F, std::numeric_limits<float>::infinity()};
  const std::string html = render_report(subject);
  EXPECT_LT(html.find("1 of 1 networks diverged"), html.find("What the bounds mean"));
  subject.fits[0].history = {std::numeric_limits<float>::quiet_NaN()};
  EXPECT_THAT(names_of(report_plots(subject)), Not(testing::Contains("loss")));
}

TEST(Report, DroppedNetworksAreCounted) {
  ReportSubject subject = make_subject(30, 1);
  EXPECT_FALSE(says(render_report(subject), "diverged and do not count"));
  subject.fits[0].dropped = 3;
  EXPECT_TRUE(says(render_report(subject), "Dropped networks of an ensemble diverged and do not count."));
}

TEST(Report, LossesMayBeNegativeAndMany) {
  ReportSubject subject = make_subject(30, 1);
  for (float& loss : subject.fits[0].history) loss -= 5.0F;
  EXPECT_EQ(report_plots(subject).back().plot.y.scale, AxisScale::linear);
  subject.fits.assign(30, subject.fits[0]);
  const std::string html = render_report(subject);
  expect_whole_page(html);
  EXPECT_TRUE(says(html, "The first 12 of 30 members are listed: the model itself, then its fold models."));
}

TEST(Report, ScoresThatCannotBeMeasuredSayWhy) {
  ReportSubject subject = make_subject(30, 1, false);
  subject.rows->predicted.sigma_model[3] = 0.0;
  const std::string html = render_report(subject);
  expect_whole_page(html);
  EXPECT_TRUE(says(html, "Scores of the Gaussian prediction"));
  EXPECT_TRUE(says(html, "row 3"));
}

TEST(Report, ConstantInputsAndOneRowAreDrawn) {
  ReportSubject subject = make_subject(10, 2);
  for (std::size_t i = 1; i < subject.data.inputs.size(); i += 2) subject.data.inputs[i] = 4.0;
  expect_whole_page(render_report(subject));
  subject = make_subject(10, 1);
  subject.data = make_dataset({0.5}, 1, {20.0});
  expect_whole_page(render_report(subject));
}

}  // namespace
}  // namespace nomu
