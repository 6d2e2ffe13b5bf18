#include "nomu/models/model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "message_of.hpp"
#include "model_cases.hpp"
#include "models/fit/noise_and_scale.hpp"
#include "nomu/eval/metrics.hpp"
#include "nomu/models/assess.hpp"
#include "nomu/models/preset.hpp"
#include "nomu/models/request.hpp"

namespace nomu {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

/// The rows as a table with columns x1, ..., y.
Table table_of(const DataSet& data) {
  Table table("rows");
  for (std::size_t j = 0; j < data.cols(); ++j) {
    std::vector<double> column;
    for (std::size_t i = 0; i < data.rows(); ++i) column.push_back(data.row(i)[j]);
    table.add_column(data.input_names[j], column);
  }
  table.add_column("y", data.targets);
  return table;
}

TEST(Model, FiveLinesGiveBoundsInTheUnitsOfTheTarget) {
  const DataSet data = wavy_data(60);
  const Model model = fit(FitSpec{.method = tiny_nomu(400)}, data, test_engine());
  const Bounds band = model.bounds(data.inputs, 0.9);
  const PredictedRows predicted = model.predict(data.inputs);
  EXPECT_LT(rmse(predicted.mean, data.targets), 60.0) << "the targets deviate by about 150";
  EXPECT_GT(coverage(band, data.targets), 0.9) << "rows it has seen are covered at least as often";
  EXPECT_THAT(predicted.sigma_model, Each(testing::Gt(0.0)));
}

TEST(Model, FewRowsKeepTheirFoldModels) {
  const Model model = fit(tiny_fit(), wavy_data(40), test_engine());
  EXPECT_EQ(model.calibration().kind, CalibrationKind::cross_conformal);
  EXPECT_EQ(model.fitted().members(), 11U) << "the model and ten folds, in one cohort";
  EXPECT_EQ(model.held_out().source, CalibrationSource::folds);
  EXPECT_EQ(std::set(model.held_out().rows.begin(), model.held_out().rows.end()).size(), 40U);
  EXPECT_EQ(model.parts().fitted_rows.size(), 40U);
  const auto& scalings = model.parts().scalings;
  EXPECT_GE(std::count_if(scalings.begin(), scalings.end(), [&](const auto& s) { return s != scalings[0]; }), 2)
      << "the scaling of a fold without the smallest or largest row is another one";
  EXPECT_THAT(model.describe(), AllOf(HasSubstr("CV+"), HasSubstr("1 - 2 alpha"), HasSubstr("in 10 folds")));
}

TEST(Model, OutOfFoldRowsAreUnknownToTheirModel) {
  // One target far off: a fold model that had seen it, or been scaled by it, would predict in its direction.
  DataSet data = wavy_data(20);
  const Model before = fit(tiny_fit(CalibrationChoice::nll), data, test_engine());
  data.targets[3] = 1e6;
  const Model after = fit(tiny_fit(CalibrationChoice::nll), data, test_engine());
  const std::vector<std::size_t>& rows = before.held_out().rows;
  const auto place = static_cast<std::size_t>(std::find(rows.begin(), rows.end(), 3U) - rows.begin());
  EXPECT_EQ(after.held_out().predicted.mean[place], before.held_out().predicted.mean[place]);
  EXPECT_EQ(after.held_out().predicted.sigma_model[place], before.held_out().predicted.sigma_model[place]);
}

TEST(Model, FoldModelsEqualFitsOfTheirOwnRows) {
  const DataSet data = wavy_data(30);
  const Model model = fit(tiny_fit(CalibrationChoice::conformal), data, test_engine());
  std::vector<std::size_t> kept;
  std::vector<std::size_t> left_out;
  for (std::size_t i = 0; i < model.held_out().rows.size(); ++i) {
    (model.held_out().folds[i] == 0 ? left_out : kept).push_back(model.held_out().rows[i]);
  }
  std::sort(kept.begin(), kept.end());
  const Model alone = fit(tiny_fit(CalibrationChoice::none), subset(data, kept), test_engine());
  const PredictedRows expected = alone.predict(subset(data, left_out).inputs);
  for (std::size_t i = 0; i < left_out.size(); ++i) EXPECT_EQ(model.held_out().predicted.mean[i], expected.mean[i]);
}

TEST(Model, ManyRowsAreHeldOutAndConformalIsNotRefitted) {
  FitSpec spec = tiny_fit(CalibrationChoice::conformal, 20);
  const Model conformal = fit(spec, wavy_data(200), test_engine());
  EXPECT_EQ(conformal.calibration().kind, CalibrationKind::conformal);
  EXPECT_EQ(conformal.held_out().targets.size(), 40U);
  EXPECT_EQ(conformal.parts().fitted_rows.size(), 160U);
  EXPECT_FALSE(conformal.held_out().refitted);
  EXPECT_THAT(conformal.describe(), AllOf(HasSubstr("not refitted"), HasSubstr("probability at least 95 %")));

  spec.calibration.kind = CalibrationChoice::isotonic;
  const Model isotonic = fit(spec, wavy_data(200), test_engine());
  EXPECT_EQ(isotonic.parts().fitted_rows.size(), 200U);
  EXPECT_TRUE(isotonic.held_out().refitted);
  EXPECT_EQ(isotonic.fitted().members(), 1U);
  EXPECT_THAT(isotonic.describe(), HasSubstr("then refitted on all rows"));
}

TEST(Model, ConformalBoundsCoverFreshRows) {
  const Model model = fit(tiny_fit(CalibrationChoice::conformal, 100), wavy_data(400), test_engine());
  const Evaluation result = evaluate(model, wavy_data(1000, 8), 0.9);
  ASSERT_TRUE(result.expected.has_value());
  EXPECT_GE(result.coverage, result.expected->lower);
  EXPECT_LE(result.coverage, result.expected->upper);
}

TEST(Model, GroupsStayTogetherAndTimesInOrder) {
  DataSet data = wavy_data(60);
  for (std::size_t i = 0; i < 60; ++i) data.groups.push_back(std::to_string(i % 6));
  const Model grouped = fit(tiny_fit(CalibrationChoice::nll, 5), data, test_engine());
  std::vector<std::set<std::size_t>> folds_of_group(6);
  for (std::size_t i = 0; i < 60; ++i) {
    folds_of_group[grouped.held_out().rows[i] % 6].insert(grouped.held_out().folds[i]);
  }
  for (const std::set<std::size_t>& folds : folds_of_group) EXPECT_EQ(folds.size(), 1U);
  EXPECT_THAT(grouped.describe(), AllOf(HasSubstr("in 6 folds of whole groups"), HasSubstr("measured, not proven"),
                                        HasSubstr("6 groups prove at most 85.71 %")));

  data.groups.clear();
  for (std::size_t i = 0; i < 60; ++i) data.times.push_back(static_cast<double>(60 - i));
  const Model timed = fit(tiny_fit(CalibrationChoice::nll, 5), data, test_engine());
  EXPECT_EQ(timed.held_out().source, CalibrationSource::hold_out) << "folds would mix past and future";
  EXPECT_THAT(timed.held_out().rows, ElementsAre(11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0))
      << "the latest, in the order of time";
  FitSpec folds = tiny_fit();
  folds.calibration.policy = CalibrationPolicy::folds;
  EXPECT_THAT(message_of<ConfigError>([&] { return fit(folds, data, test_engine()); }), HasSubstr("time column"));
}

TEST(Model, ALevelThatTheRowsCannotSupportIsRefusedBeforeTheFit) {
  FitSpec spec = tiny_fit(CalibrationChoice::conformal, 1000000000);
  spec.calibration.level = 0.99;
  EXPECT_THAT(message_of<ConfigError>([&] { return fit(spec, wavy_data(50), test_engine()); }),
              HasSubstr("level 0.99 needs at least 99 calibration rows, but there are 50 (all 50 rows in 10 folds)"));
  EXPECT_THAT(message_of<ConfigError>([&] { return fit(spec, wavy_data(300), test_engine()); }),
              HasSubstr("needs at least 99 calibration rows, but there are 60 (60 of 300 rows held out)"));
  spec.calibration.level = 1.0;
  EXPECT_THAT(message_of<ConfigError>([&] { return fit(spec, wavy_data(50), test_engine()); }),
              HasSubstr("level must be in (0, 1), got 1"));
  spec.calibration = {.kind = CalibrationChoice::isotonic};
  EXPECT_THAT(message_of<ConfigError>([&] { return fit(spec, wavy_data(20), test_engine()); }),
              HasSubstr("level 0.95 needs at least 39 calibration rows"));
}

TEST(Model, TooFewRowsForAGuaranteeFallBackToLikelihood) {
  const Model model = fit(tiny_fit(CalibrationChoice::automatic, 10), wavy_data(8), test_engine());
  EXPECT_EQ(model.calibration().kind, CalibrationKind::nll);
  EXPECT_THAT(model.describe(), HasSubstr("there is no guarantee beyond that"));
  EXPECT_EQ(model.spec().calibration.kind, CalibrationChoice::nll) << "the spec says what was done";
}

TEST(Model, UncalibratedBoundsAreRefused) {
  const DataSet data = wavy_data(10);
  const Model model = fit(tiny_fit(CalibrationChoice::none, 5), data, test_engine());
  EXPECT_THAT(message_of<ConfigError>([&] { return model.bounds(data.inputs, 0.95); }), HasSubstr("is not calibrated"));
  EXPECT_FALSE(model.default_level().has_value());
  EXPECT_THAT(model.describe(), testing::Not(HasSubstr("95 %")));
}

TEST(Model, GivenRowsCalibrate) {
  FitSpec spec = tiny_fit(CalibrationChoice::automatic, 30);
  const DataSet data = wavy_data(40);
  const Model model = fit(spec, data, wavy_data(30, 9), test_engine());
  EXPECT_EQ(model.calibration().kind, CalibrationKind::conformal);
  EXPECT_EQ(model.held_out().source, CalibrationSource::given);
  EXPECT_EQ(model.fitted().members(), 1U);
  EXPECT_EQ(model.parts().fitted_rows.size(), 40U);
  EXPECT_THAT(message_of([&] { return calibrated(model, data, spec.calibration); }),
              HasSubstr("all 40 rows are among those the model learned from"));
  const Model again = calibrated(model, wavy_data(50, 10), {.kind = CalibrationChoice::coverage, .level = 0.8});
  EXPECT_EQ(again.default_level(), 0.8);
  EXPECT_EQ(again.predict(data.inputs).mean, model.predict(data.inputs).mean);
}

TEST(Model, CalibrationRowsAreCheckedBeforeTheFit) {
  const FitSpec spec = tiny_fit(CalibrationChoice::automatic, 30);
  std::int64_t reports = 0;
  const Progress progress{.report = [&](const ProgressEvent&) { ++reports; }, .stop = {}};
  DataSet data = wavy_data(40);
  const auto refusal = [&](const DataSet& rows) {
    return message_of([&] { return fit(spec, data, rows, test_engine(), progress); });
  };
  EXPECT_THAT(refusal(subset(data, std::vector<std::size_t>{3, 5, 7})),
              HasSubstr("all 3 rows are among those the model learned from"));
  const auto [low, high] = std::ranges::minmax(data.targets);
  data.range = {.low = low, .high = high};
  DataSet beyond = wavy_data(30, 9);
  for (double& y : beyond.targets) y = std::clamp(y, low, high);
  beyond.targets[2] = high + 10.0;
  EXPECT_THAT(refusal(beyond),
              AllOf(HasSubstr("the target of row 2 (counted from 0) is"), HasSubstr("not in its range")));
  EXPECT_EQ(reports, 0);
  const Model model = fit(tiny_fit(CalibrationChoice::none, 10), data, test_engine());
  EXPECT_THAT(message_of([&] { return calibrated(model, beyond, spec.calibration); }), HasSubstr("not in its range"));
}

TEST(Model, CalibrationTablesAreKeptInTheRange) {
  const FitRequest request{.target = "y", .range = {.low = -500.0, .high = 1000.0}};
  DataSet beyond = wavy_data(30, 9);
  beyond.targets[2] = -501.0;
  EXPECT_THAT(message_of([&] { return fit(request, table_of(wavy_data(40)), table_of(beyond), test_engine()); }),
              HasSubstr("-501 is not in the range -500 to 1000 of the target"));
}

TEST(Model, SigmaIsOnlyStretchedByTheScaleOfTheTarget) {
  DataSet data = wavy_data(12);
  const FitSpec spec = tiny_fit(CalibrationChoice::none, 20);
  const PredictedRows plain = fit(spec, data, test_engine()).predict(data.inputs);
  for (double& y : data.targets) y = 1024.0 * y - 4096.0;
  const PredictedRows stretched = fit(spec, data, test_engine()).predict(data.inputs);
  for (std::size_t i = 0; i < plain.rows(); ++i) {
    EXPECT_NEAR(stretched.sigma_model[i], 1024.0 * plain.sigma_model[i], 1e-3 * stretched.sigma_model[i]);
    EXPECT_NEAR(stretched.mean[i], 1024.0 * plain.mean[i] - 4096.0, 1.0);
  }
}

TEST(Model, KnownNoiseWidensBoundsAndMustBeGivenAgain) {
  DataSet data = wavy_data(30);
  data.noise.assign(30, 5.0);
  const Model model = fit(tiny_fit(CalibrationChoice::nll, 30), data, test_engine());
  const std::vector<double> x{1.0, 0.0};
  const std::vector<double> quiet{0.0};
  const std::vector<double> loud{500.0};
  EXPECT_GT(mean_width(model.bounds(x, 0.9, loud)), 2.0 * mean_width(model.bounds(x, 0.9, quiet)));
  EXPECT_THAT(message_of([&] { return model.predict(x); }), HasSubstr("fitted with known noise"));
}

TEST(Model, RowsOutsideTheDataAreFlagged) {
  const DataSet data = make_dataset({0, 0, 1, 1, 2, 4, 3, 9}, 2, {1, 2, 3, 5});
  const Model model = fit(tiny_fit(CalibrationChoice::none, 2), data, test_engine());
  EXPECT_THAT(model.outside(std::vector<double>{0, 0, 3, 9, 3, 9.01, -1, 5, 1.5, 5}),
              ElementsAre(false, false, true, true, false));
  EXPECT_THAT(message_of([&] {
                return model.predict(std::vector<double>{1, 2, 3});
              }),
              HasSubstr("3 values do not fill rows of 2 inputs"));
}

TEST(Model, ImpossibleDataAreRefused) {
  const FitSpec spec = tiny_fit();
  EXPECT_THAT(message_of([&] {
                return fit(spec, make_dataset({1, 2, 3}, 1, {1, 2, 3}), test_engine());
              }),
              HasSubstr("3 rows, but at least 4 are needed"));
  EXPECT_THAT(message_of([&] {
                return fit(spec, make_dataset({1, 2, 3, 4}, 1, {7, 7, 7, 7}), test_engine());
              }),
              HasSubstr("the target 'y' is 7 in all 4 rows"));
  DataSet latin = wavy_data(8);
  latin.input_names[0] =
      "gr\xF6\xDF"
      "e";
  EXPECT_THAT(message_of([&] { return fit(spec, latin, test_engine()); }), HasSubstr("not UTF-8"));
  FitSpec wild = tiny_fit(CalibrationChoice::none, 20);
  std::get<NomuSpec>(wild.method).train.learning_rate = 1e20;
  EXPECT_THAT(message_of<Error>([&] { return fit(wild, wavy_data(8), test_engine()); }),
              HasSubstr("the fit diverged, even after 1 restarts"));
}

TEST(Model, TablesAreMatchedByNameAndKeepTheirColumns) {
  const Table train = parse_table("c,a,y\nred,1,1\nblue,2,2\nred,3,4\nblue,4,3\nred,5,6\n", "train.csv");
  const Model model = fit(tiny_fit(CalibrationChoice::nll, 10), make_dataset(train, {.target = "y"}), test_engine());
  const Table out = predict_table(model, parse_table("id,a,c\nq,2.5,blue\nr,9,red\n", "x.csv"), 0.9);
  EXPECT_THAT(out.names(),
              ElementsAre("id", "a", "c", "mean", "sigma_model", "sigma_noise", "lower", "upper", "outside"));
  EXPECT_EQ(out.columns()[8][0], "0");
  EXPECT_EQ(out.columns()[8][1], "1");
  const Table other = predict_table(model, parse_table("c,a\nblue,2.5\nred,9\n", "x.csv"), 0.9);
  EXPECT_EQ(other.columns()[2].cells(), out.columns()[3].cells()) << "the order of columns does not matter";
  const Table strange = predict_table(model, parse_table("c,a\ngreen,1\nred,\nred,2\n", "x.csv"), 0.9);
  EXPECT_THAT(strange.columns().back().cells(), ElementsAre("1", "1", "0")) << "a new name, a missing cell";
  EXPECT_THAT(message_of([&] { return predict_table(model, parse_table("c,b\nred,1\n", "x.csv"), 0.9); }),
              HasSubstr("unknown column 'a'"));
}

TEST(Model, QuantilesAreBoundsInOrder) {
  const Model model = fit(tiny_fit(CalibrationChoice::nll, 10), wavy_data(12), test_engine());
  const std::vector<double> x{0.3, -4.0, 1.9, 2.0};
  const std::vector<double> probabilities{0.95, 0.5, 0.05};
  const std::vector<double> found = model.quantiles(x, probabilities);
  const Bounds bounds = model.bounds(x, 0.9);
  ASSERT_EQ(found.size(), 3 * bounds.rows());
  for (std::size_t i = 0; i < bounds.rows(); ++i) {
    EXPECT_EQ(found[3 * i], bounds.upper[i]);
    EXPECT_EQ(found[3 * i + 1], model.predict(x).mean[i]);
    EXPECT_EQ(found[3 * i + 2], bounds.lower[i]);
  }
  const auto refusal = [&](std::vector<double> wanted, CalibrationChoice kind) {
    const Model other = fit(tiny_fit(kind, 10), wavy_data(12), test_engine());
    return message_of<ConfigError>([&] { return other.quantiles(x, wanted); });
  };
  EXPECT_THAT(refusal({0.5, 1.0}, CalibrationChoice::nll), HasSubstr("probabilities inside (0, 1), got 1"));
  EXPECT_THAT(refusal({0.5, 0.5}, CalibrationChoice::nll), HasSubstr("quantile 0.5 is listed twice"));
  EXPECT_THAT(refusal({0.1}, CalibrationChoice::none), HasSubstr("quantile 0.1 is a bound of level 0.8: "));
}

TEST(Model, StaysInTheRangeOfTheTarget) {
  DataSet data = wavy_data(12);
  const auto [low, high] = std::ranges::minmax(data.targets);
  const Model free = fit(tiny_fit(CalibrationChoice::nll, 10), data, test_engine());
  data.range = {.low = low, .high = high};
  const Model kept = fit(tiny_fit(CalibrationChoice::nll, 10), data, test_engine());
  const std::vector<double> x{0.3, -40.0, 19.0, 2.0};
  const Bounds wide = free.bounds(x, 0.99);
  const Bounds narrow = kept.bounds(x, 0.99);
  for (std::size_t i = 0; i < wide.rows(); ++i) {
    EXPECT_EQ(narrow.lower[i], std::clamp(wide.lower[i], low, high));
    EXPECT_EQ(narrow.upper[i], std::clamp(wide.upper[i], low, high));
    EXPECT_EQ(kept.predict(x).mean[i], std::clamp(free.predict(x).mean[i], low, high));
  }
}

TEST(Model, DescribesWhatBecameOfItsNetworks) {
  const Model model = fit(tiny_fit(CalibrationChoice::none, 10), wavy_data(12), test_engine());
  EXPECT_THAT(model.describe(), AllOf(HasSubstr("from 2 inputs"), HasSubstr("after 10 epochs"),
                                      testing::Not(HasSubstr("of its networks diverged"))));
  const auto described = [&](std::int64_t dropped) {
    std::vector<FitReport> reports = model.fitted().reports();
    reports[0].dropped = dropped;
    auto fitted = restore(model.spec().method, model.fitted().state(), reports, *test_engine());
    return Model(model.parts(), std::move(fitted), test_engine()).describe();
  };
  EXPECT_THAT(described(1), HasSubstr("\n1 of its networks diverged and does not count\n"));
  EXPECT_THAT(described(3), HasSubstr("\n3 of its networks diverged and do not count\n"));
}

TEST(Model, AGaussianProcessHasNoEpochs) {
  FitSpec spec;
  spec.method = GpSpec{};
  spec.calibration.kind = CalibrationChoice::none;
  const DataSet data = make_dataset({0.0, 0.5, 1.0, 1.5, 2.0, 2.5}, 1, {0, 1, 0, 2, 1, 3});
  const std::string text = fit(spec, data, test_engine()).describe();
  EXPECT_THAT(text, AllOf(HasSubstr("from 1 input: "), HasSubstr("; loss "), testing::Not(HasSubstr("epoch"))));
}

TEST(Model, SettingsAreListedOnce) {
  FitSpec spec;
  const Fields fields = fields_of(spec);
  fields.set_text("calibration.kind", "isotonic");
  fields.set_text("scale.target", "standardise");
  fields.set_text("train.epochs", "3");
  fields.set_text("seed", "12");
  EXPECT_EQ(spec.calibration.kind, CalibrationChoice::isotonic);
  EXPECT_EQ(spec.scale_target, ScaleChoice::standardise);
  EXPECT_EQ(spec.seed, 12);
  EXPECT_THAT(message_of<ConfigError>([&] { fields.set_text("calibration.fold", "3"); }),
              HasSubstr("did you mean 'calibration.folds'?"));
}

TEST(Model, ChecksItsDesiderata) {
  const Model model = fit(tiny_fit(CalibrationChoice::none, 200), wavy_data(16), test_engine());
  const DesiderataReport report = check_model(model, {.probes = 200});
  EXPECT_EQ(report.find("D1").verdict, Verdict::reported);
  EXPECT_NE(report.find("D5").verdict, Verdict::skipped);
  EXPECT_THAT(report.find("D4").sentence, HasSubstr("along input 'x2', which matters most"));
  EXPECT_EQ(check_model(model, {.probes = 50, .refit = false}).find("D5").verdict, Verdict::skipped);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(check_model(model, {.refit = false}, {.report = {}, .stop = stop.get_token()}), Cancelled);
}

TEST(Preset, NamesAreChecked) {
  EXPECT_EQ(std::get<NomuSpec>(method_preset("nomu", "published", 1)).gradient, Gradient::coupled);
  EXPECT_THAT(message_of<ConfigError>([] { return method_preset("nomu", "publishd", 1); }),
              HasSubstr("method 'nomu' has no preset 'publishd'"));
  EXPECT_THAT(message_of<ConfigError>([] { return method_preset("gp", "interactive", 1); }),
              HasSubstr("; methods that have it: nomu, mc_dropout, deep_ensemble"));
  EXPECT_THAT(preset_names("gp"), testing::Not(testing::Contains("interactive")));
  EXPECT_THAT(preset_names("mc_dropout"), testing::Contains("interactive"));
}

TEST(Preset, NoiseIsLearnedWhereRowsSufficeAndNeverBesideKnownNoise) {
  const auto learns = [](const MethodSpec& spec) { return std::get<DeepEnsembleSpec>(spec).learn_noise; };
  const auto chosen = [](const char* method, const char* preset, std::size_t rows) {
    return method_of({.method = method, .preset = preset}, rows, 2);
  };
  EXPECT_FALSE(learns(chosen("deep_ensemble", "auto", 99)));
  EXPECT_FALSE(learns(chosen("deep_ensemble", "published", 1000)));
  EXPECT_TRUE(learns(chosen("deep_ensemble", "auto", 100)));
  EXPECT_EQ(std::get<NomuSpec>(chosen("nomu", "auto", 100)).noise, Noise::learned);
  EXPECT_EQ(std::get<NomuSpec>(chosen("nomu", "interactive", 30)).noise, Noise::learned);
  EXPECT_EQ(std::get<NomuSpec>(chosen("nomu", "interactive", 29)).noise, Noise::none);
  EXPECT_EQ(std::get<NomuSpec>(chosen("nomu", "written", 1000)).noise, Noise::none);
  DataSet data = wavy_data(120);
  EXPECT_EQ(std::get<NomuSpec>(resolve({}, data).method).noise, Noise::learned);
  data.noise.assign(data.rows(), 0.5);
  EXPECT_EQ(std::get<NomuSpec>(resolve({}, data).method).noise, Noise::known);
  EXPECT_EQ(std::get<NomuSpec>(resolve({.noise = "none"}, data).method).noise, Noise::none);
  MethodSpec tube = TubeSpec{};
  EXPECT_THAT(message_of<ConfigError>([&] { return set_noise(tube, "learned"), 0; }),
              HasSubstr("does not support noise ="));
}

TEST(Preset, InteractiveGivesSensibleBoundsForNoisyRows) {
  const DataSet data = wavy_data(40);
  const std::optional<Trustworthiness> trust = judge_trust(fit({.preset = "interactive"}, data, test_engine()));
  ASSERT_TRUE(trust.has_value());
  EXPECT_LT(trust->ratio, 3.0) << "without noise, sigma is next to nothing at some rows and bounds are endless";
  // Even then the drivers are shares, whatever sigma is at the data.
  const FitRequest noiseless{.preset = "interactive", .noise = "none", .calibration = "nll"};
  const std::optional<Trustworthiness> memorised = judge_trust(fit(noiseless, data, test_engine()));
  ASSERT_TRUE(memorised.has_value());
  for (const UncertaintyDriver& driver : memorised->drivers) {
    EXPECT_GT(driver.change, 0.1) << driver.column;
    EXPECT_LE(driver.change, 1.0) << driver.column;
  }
}

TEST(Trust, SaysWhatMayBeBehindWorseErrorsOfUnseenRows) {
  Trustworthiness trust{.seen_error = 1.0, .unseen_error = 9.0, .unseen = 50, .split = HeldOutSplit::random};
  EXPECT_THAT(trust_lines(trust).front(), HasSubstr("(it has memorised the rows it learned from; the second"));
  trust.split = HeldOutSplit::time;
  EXPECT_THAT(trust_lines(trust).front(), HasSubstr("(the latest rows differ from those before, or it has memorised"));
  trust.split = HeldOutSplit::group;
  EXPECT_THAT(trust_lines(trust).front(), HasSubstr("(groups differ, or it has memorised"));
  trust.source = CalibrationSource::given;
  EXPECT_THAT(trust_lines(trust).front(), HasSubstr("(those rows differ from the others, or it has memorised"));
}

TEST(Trust, SaysWhereAFewRowsStandOut) {
  Trustworthiness trust{.seen_error = 1.0, .unseen_error = 1.0, .unseen = 50, .level = 0.9, .ratio = 0.9};
  EXPECT_THAT(trust_lines(trust).back(), HasSubstr("none: sigma is nearly the same everywhere"));
  trust.widest = 40.0;
  EXPECT_THAT(trust_lines(trust), testing::Contains(HasSubstr("none: sigma is nearly the same for most rows")));
  EXPECT_THAT(trust_lines(trust).back(), HasSubstr("are 40 times as wide as those of the median row"));
}

TEST(Request, LeavesNothingToBeChosen) {
  const FitSpec spec = resolve({.settings = {{"ensemble", "2"}}, .level = 0.8, .seed = 9}, wavy_data(240));
  const auto& nomu = std::get<NomuSpec>(spec.method);
  EXPECT_FALSE(nomu.mean_net.hidden.empty());
  EXPECT_GT(nomu.train.epochs, 0);
  EXPECT_EQ(nomu.ensemble, 2);
  EXPECT_NE(spec.scale_inputs, ScaleChoice::automatic);
  EXPECT_EQ(spec.calibration.kind, CalibrationChoice::conformal);
  EXPECT_EQ(spec.calibration.level, 0.8);
  EXPECT_EQ(spec.seed, 9);
  EXPECT_EQ(resolve({.method = "tube", .preset = "published"}, wavy_data(20)).scale_inputs, ScaleChoice::min_max)
      << "its points are drawn in a cube";
}

TEST(Request, WrongWordsAreNamedBeforeAnythingIsTrained) {
  const DataSet data = wavy_data(30);
  const auto refusal = [&](const FitRequest& request) {
    return message_of<ConfigError>([&] { return fit(request, data, test_engine()); });
  };
  EXPECT_THAT(refusal({.method = "nomo"}), HasSubstr("did you mean 'nomu'?"));
  EXPECT_THAT(refusal({.preset = "fast"}), HasSubstr("its presets are auto, interactive, published, written"));
  EXPECT_THAT(refusal({.settings = {{"train.epoch", "3"}}}), HasSubstr("did you mean 'train.epochs'?"));
  EXPECT_THAT(refusal({.settings = {{"mu_sqr", "-1", "settings.toml, line 4"}}}), HasSubstr("settings.toml, line 4: "));
  EXPECT_THAT(refusal({.level = 1.5}), HasSubstr("1.5"));
  EXPECT_THAT(refusal({.noise = "lerned"}), HasSubstr("noise must be auto, none, learned, known or a column"));
  EXPECT_THAT(refusal({.calibration = "conform"}), HasSubstr("conformal"));
}

TEST(Model, PredictsCalibratedNumbersForRowsAndTables) {
  const Model model = fit({.target = "y", .settings = {{"train.epochs", "40"}}, .calibration = "nll"},
                          parse_table(format_table(table_of(wavy_data(40))), "wavy"), test_engine());
  const DataSet data = wavy_data(12);
  const PredictedRows raw = model.predict_uncalibrated(data.inputs);
  const PredictedRows predicted = model.predict(data.inputs);
  EXPECT_NE(model.calibration().c_model, 1.0);
  for (std::size_t i = 0; i < raw.rows(); ++i)
    EXPECT_EQ(predicted.sigma_model[i], raw.sigma_model[i] * model.calibration().c_model);
  const Table rows = table_of(data);
  EXPECT_EQ(model.predict(rows).sigma_model, predicted.sigma_model);
  EXPECT_EQ(model.bounds(rows, 0.9).upper, model.bounds(data.inputs, 0.9).upper);
}

/// Counts the members that are evaluated.
class Counting final : public FittedCohort {
 public:
  Counting(std::shared_ptr<const FittedCohort> inner, std::size_t& evaluated)
      : inner_(std::move(inner)), evaluated_(evaluated) {}
  [[nodiscard]] std::size_t members() const override { return inner_->members(); }
  [[nodiscard]] Prediction predict(const Tensor<float>& x) const override {
    evaluated_ += inner_->members();
    return inner_->predict(x);
  }
  [[nodiscard]] std::unique_ptr<FittedCohort> select(std::span<const std::size_t> members) const override {
    return std::make_unique<Counting>(inner_->select(members), evaluated_);
  }
  [[nodiscard]] const std::vector<FitReport>& reports() const override { return inner_->reports(); }
  [[nodiscard]] FittedState state() const override { return inner_->state(); }

 private:
  std::shared_ptr<const FittedCohort> inner_;
  std::size_t& evaluated_;
};

TEST(Model, FoldModelsAreEvaluatedForBoundsOnly) {
  const Model fitted = fit(tiny_fit(), wavy_data(40), test_engine());
  ASSERT_EQ(fitted.fitted().members(), 11U);
  const std::size_t all[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  std::size_t evaluated = 0;
  const Model model(fitted.parts(), std::make_shared<Counting>(fitted.fitted().select(all), evaluated),
                    fitted.engine());
  const std::vector<double> x = wavy_data(5).inputs;
  EXPECT_EQ(model.predict(x).mean, fitted.predict(x).mean);
  EXPECT_EQ(evaluated, 1U) << "mean and sigma are the model's own";
  evaluated = 0;
  EXPECT_EQ(model.bounds(x, 0.9).upper, fitted.bounds(x, 0.9).upper);
  EXPECT_EQ(evaluated, 10U) << "bounds come from the ten fold models";
  evaluated = 0;
  (void)predict_table(model, table_of(wavy_data(5)), 0.9);
  EXPECT_EQ(evaluated, 11U);
}

TEST(Model, ItsOwnMemberPredictsWhatTheWholeCohortDoes) {
  for (const char* method : {"nomu", "deep_ensemble", "mc_dropout", "gp", "laplace", "neural_linear", "directed"}) {
    FitRequest request{.method = method};
    if (std::string(method) != "gp") request.settings = {{"train.epochs", "20"}};
    const Model model = fit(request, wavy_data(30), test_engine());
    ASSERT_GT(model.fitted().members(), 1U) << method;
    Tensor<float> x(1, 3, model.cols());
    for (std::size_t e = 0; e < x.size(); ++e) x.flat()[e] = 0.3F * static_cast<float>(e) - 0.5F;
    const Prediction all = model.fitted().predict(x);
    const Prediction own = model.own().predict(x);
    const std::size_t last = model.fitted().members() - 1;
    const Prediction fold = model.fitted().select({&last, 1})->predict(x);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(all.mean(0, i, 0), own.mean(0, i, 0)) << method;
      EXPECT_EQ(all.sigma_model(0, i, 0), own.sigma_model(0, i, 0)) << method;
      EXPECT_EQ(all.sigma_model(last, i, 0), fold.sigma_model(0, i, 0)) << method;
    }
  }
}

}  // namespace
}  // namespace nomu
