// What `fit` promises for rows that are not independent: repeated inputs, groups, times.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "message_of.hpp"
#include "model_cases.hpp"
#include "nomu/models/adapt.hpp"
#include "nomu/models/archive.hpp"
#include "nomu/models/assess.hpp"
#include "nomu/models/request.hpp"

namespace nomu {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Each of `distinct` rows `times` over, with noise of its own.
DataSet repeated(std::size_t distinct, std::size_t times) {
  const DataSet once = wavy_data(distinct);
  Random random(3);
  std::vector<double> x;
  std::vector<double> y;
  for (std::size_t k = 0; k < times; ++k) {
    x.insert(x.end(), once.inputs.begin(), once.inputs.end());
    for (const double target : once.targets) y.push_back(target + random.normal());
  }
  return make_dataset(x, 2, y);
}

DataSet grouped(std::size_t groups, std::size_t rows) {
  DataSet data = wavy_data(groups * rows);
  for (std::size_t i = 0; i < data.rows(); ++i) data.groups.push_back("g" + std::to_string(i % groups));
  return data;
}

FitSpec quick(double level = 0.95, bool asked = false) {
  FitSpec spec = tiny_fit(CalibrationChoice::automatic, 5);
  spec.calibration.level = level;
  spec.calibration.level_asked = asked;
  return spec;
}

std::string refusal(const FitSpec& spec, const DataSet& data) {
  return message_of<ConfigError>([&] { return fit(spec, data, test_engine()); });
}

TEST(Guarantees, EqualInputsAreNeverOnBothSides) {
  const DataSet data = repeated(40, 5);
  const Model model = fit(quick(), data, test_engine());
  EXPECT_EQ(model.calibration().kind, CalibrationKind::cross_conformal) << "8 of 40 inputs held out prove too little";
  EXPECT_EQ(model.calibration().unit, CalibrationUnit::new_inputs);
  EXPECT_EQ(unit_count(model.calibration()), 40U);
  std::map<std::size_t, std::set<std::size_t>> folds_of_input;
  for (std::size_t i = 0; i < 200; ++i) {
    folds_of_input[model.held_out().rows[i] % 40].insert(model.held_out().folds[i]);
  }
  for (const auto& [input, folds] : folds_of_input) EXPECT_EQ(folds.size(), 1U) << input;
  EXPECT_THAT(model.describe(), AllOf(HasSubstr("of 200 rows, 40 with distinct inputs"),
                                      HasSubstr("10 folds of whole sets of equal inputs"),
                                      HasSubstr("a new row with new inputs like the 40 distinct ones of the 200 rows"),
                                      HasSubstr("at least 83.18 %")));
  const Model many = fit(quick(), repeated(400, 2), test_engine());
  EXPECT_EQ(many.calibration().kind, CalibrationKind::conformal);
  EXPECT_EQ(unit_count(many.calibration()), 80U);
  std::set<std::size_t> learned;
  for (const std::size_t i : many.parts().fitted_rows) learned.insert(i % 400);
  for (const std::size_t i : many.held_out().rows) EXPECT_FALSE(learned.contains(i % 400));
  EXPECT_THAT(fit(quick(), wavy_data(40), test_engine()).describe(), Not(HasSubstr("distinct")));
}

TEST(Guarantees, FewInputsPromiseNothingAboutOthers) {
  const Model often = fit(quick(), repeated(6, 50), test_engine());
  EXPECT_EQ(often.calibration().unit, CalibrationUnit::known_inputs);
  EXPECT_THAT(often.describe(), AllOf(HasSubstr("which repeats inputs that are known, is covered with"),
                                      HasSubstr("nothing is promised for other inputs")));
  const Model seldom = fit(quick(), repeated(10, 5), test_engine());
  EXPECT_EQ(seldom.calibration().kind, CalibrationKind::nll);
  EXPECT_THAT(seldom.describe(),
              AllOf(HasSubstr("measured, not proven"), HasSubstr("10 distinct inputs prove at most")));
  EXPECT_THAT(refusal(quick(0.95, true), repeated(10, 5)),
              HasSubstr("level 0.95 needs at least 19 calibration rows with distinct inputs, but there are 10 (all 10 "
                        "distinct inputs in 10 folds); get more distinct inputs, choose a lower level"));
}

TEST(Guarantees, GroupsProveWhatTheirNumberAllows) {
  const DataSet ten = grouped(10, 30);
  const Model model = fit(quick(), ten, test_engine());
  EXPECT_EQ(model.calibration().kind, CalibrationKind::nll);
  EXPECT_THAT(model.describe(), AllOf(HasSubstr("measured, not proven"), HasSubstr("10 groups prove at most 90.91 %"),
                                      Not(HasSubstr("probability at least"))));
  EXPECT_EQ(refusal(quick(0.95, true), ten),
            "[models/model] level 0.95 needs at least 19 calibration groups, but there are 10 (all 10 groups in 10 "
            "folds); get more groups, choose a lower level, or calibrate by nll, which assumes Gaussian errors and "
            "proves nothing");
  const Model lower = fit(quick(0.9, true), ten, test_engine());
  EXPECT_EQ(lower.calibration().kind, CalibrationKind::cross_conformal);
  EXPECT_NEAR(guaranteed_coverage(lower.calibration(), 0.9), 0.8, 1e-12);
  EXPECT_THAT(lower.describe(), HasSubstr("a row of a new group like the 10 groups of the 300 rows"));
  const Model many = fit(quick(0.9, true), grouped(50, 6), test_engine());
  EXPECT_EQ(many.calibration().kind, CalibrationKind::conformal) << "10 of 50 groups held out are enough for 90 %";
  EXPECT_EQ(unit_count(many.calibration()), 10U);
  EXPECT_THAT(many.describe(),
              HasSubstr("is covered with probability at least 90 % (split conformal, each group counts"));
}

TEST(Guarantees, ALevelThatWasAskedForIsRefusedRatherThanMeasured) {
  EXPECT_THAT(refusal(quick(0.9999, true), wavy_data(60)),
              HasSubstr("level 0.9999 needs at least 9999 calibration rows, but there are 60"));
  const FitRequest request{
      .settings = {{.name = "train.epochs", .value = "5"}}, .calibration = "auto", .level = 0.9999};
  EXPECT_THAT(message_of<ConfigError>([&] { return resolve(request, wavy_data(60)); }), HasSubstr("at least 9999"));
  const FitRequest named{.settings = {{.name = "calibration.level", .value = "0.9999"}}};
  EXPECT_THAT(message_of<ConfigError>([&] { return resolve(named, wavy_data(60)); }), HasSubstr("at least 9999"));
  EXPECT_EQ(fit(quick(0.9999), wavy_data(60), test_engine()).calibration().kind, CalibrationKind::nll);
}

TEST(Guarantees, GivenRowsCountByInputsAndGroupsToo) {
  const DataSet rows = wavy_data(40, 5);
  const Model plain = fit(tiny_fit(CalibrationChoice::none, 5), rows, test_engine());
  EXPECT_EQ(calibrated(plain, repeated(30, 4), quick().calibration).calibration().unit, CalibrationUnit::new_inputs);
  const Model by_group = calibrated(plain, grouped(20, 3), quick().calibration);
  EXPECT_EQ(by_group.calibration().kind, CalibrationKind::conformal);
  EXPECT_EQ(unit_count(by_group.calibration()), 20U);
}

TEST(Guarantees, FilesKeepThem) {
  for (const DataSet& data : {repeated(40, 5), grouped(10, 30), grouped(50, 6)}) {
    const Model model = fit(quick(0.9), data, test_engine());
    const Model back = unpack_model(pack_model(model), "memory", test_engine());
    EXPECT_EQ(back.calibration(), model.calibration());
    EXPECT_EQ(back.describe(), model.describe());
    EXPECT_EQ(back.bounds(data.inputs, 0.9).upper, model.bounds(data.inputs, 0.9).upper);
  }
}

TEST(Guarantees, NamesKeepALevelOfTheirOwn) {
  DataSet data = wavy_data(300);
  data.strata_name = "site";
  Random random(8);
  for (std::size_t i = 0; i < 300; ++i) {
    data.strata.emplace_back(i % 2 == 0 ? "calm" : "wild");
    if (i % 2 == 1) data.targets[i] += 300.0 * random.normal();
  }
  for (const std::size_t rows : {300U, 80U}) {  // held out, and in folds
    std::vector<std::size_t> some;
    for (std::size_t i = 0; i < rows; ++i) some.push_back(i);
    const Model model = fit(quick(0.9), subset(data, some), test_engine());
    const Model back = unpack_model(pack_model(model), "memory", test_engine());
    EXPECT_EQ(back.calibration(), model.calibration());
    EXPECT_EQ(back.data().strata_name, "site");
    const std::vector<double> x{1.0, 0.0, 1.0, 0.0, 1.0, 0.0};
    const std::vector<std::string> names{"calm", "wild", "new"};
    const Bounds bounds = back.bounds(x, 0.9, {}, names);
    const auto width = [&](std::size_t i) { return bounds.upper[i] - bounds.lower[i]; };
    EXPECT_LT(width(0), width(1));
    EXPECT_EQ(width(2), width(1)) << "an unknown name gets the widest";
    EXPECT_EQ(back.bounds(std::span(x).first(2), 0.9).upper[0], bounds.upper[2]) << "and so does none";
    EXPECT_THAT(model.describe(), AllOf(HasSubstr("within each of 2 names by itself"), HasSubstr("coverage by 'site'"),
                                        HasSubstr("by itself: calm (" + std::to_string(rows == 300 ? 30 : 40) + ")")));
    EXPECT_EQ(back.held_out().strata, model.held_out().strata);
    const Bounds held = back.held_out_bounds(0.9);
    const auto seen =
        coverage_by_stratum(back.calibration(), held, back.held_out().targets, back.held_out().strata, 0.9);
    ASSERT_EQ(seen.size(), 2U);
    EXPECT_GE(seen[0].coverage, 0.9) << "of its own calibration rows";
    EXPECT_LT(seen[0].coverage, 1.0) << "the bounds of the wild rows would cover all";
    EXPECT_GE(seen[1].coverage, 0.9);
  }
}

TEST(Guarantees, NamesWithoutEnoughRowsAreRefused) {
  DataSet data = wavy_data(120);
  for (std::size_t i = 0; i < 120; ++i) data.strata.push_back("site " + std::to_string(i % 8));
  EXPECT_THAT(
      refusal(quick(0.95), data),
      HasSubstr("level 0.95 needs at least 19 calibration rows, but there are 15 of 'site 0', the most frequent "
                "name; choose a lower level, get more rows, or fit without coverage by a column"));
  const Model lower = fit(quick(0.9), data, test_engine());
  EXPECT_EQ(stratum_claims(lower.calibration(), 0.9).size(), 8U);
  for (std::size_t i = 0; i < 120; ++i) data.groups.push_back("g" + std::to_string(i % 30));
  EXPECT_THAT(refusal(quick(0.6), data), HasSubstr("some groups have rows of several names"));
}

TEST(Guarantees, GroupsWithinNamesCountOnceEach) {
  DataSet data = grouped(40, 5);
  for (const std::string& group : data.groups) data.strata.emplace_back(group.back() < '5' ? "low" : "high");
  const Model model = fit(quick(0.9), data, test_engine());
  for (const StratumClaim& claim : stratum_claims(model.calibration(), 0.9)) {
    EXPECT_EQ(claim.units, 20U);
    EXPECT_EQ(claim.rows, 100U);
    EXPECT_GT(claim.coverage, 0.7);
  }
}

TEST(Guarantees, LaterRowsAssumeAndAdapt) {
  // A trend that the model does not know: the time is no input.
  DataSet data = wavy_data(300);
  for (std::size_t i = 0; i < 300; ++i) {
    data.times.push_back(static_cast<double>(i));
    data.targets[i] += 2.0 * static_cast<double>(i);
  }
  const Model model = fit(tiny_fit(CalibrationChoice::automatic, 60), data, test_engine());
  EXPECT_THAT(model.describe(), AllOf(HasSubstr("if later rows are like the 60 latest ones and nothing drifts"),
                                      HasSubstr("predict --adapt")));
  const DataSet fresh = wavy_data(300, 11);
  Table later("later");
  for (std::size_t j = 0; j < 2; ++j) {
    std::vector<double> column;
    for (std::size_t i = 0; i < 300; ++i) column.push_back(fresh.row(i)[j]);
    later.add_column(fresh.input_names[j], column);
  }
  std::vector<double> y;
  for (std::size_t i = 0; i < 300; ++i) y.push_back(fresh.targets[i] + 2.0 * static_cast<double>(300 + i));
  y.back() = std::nan("");
  later.add_column("y", y);
  const Bounds fixed = model.bounds(later, 0.9);
  std::size_t plain = 0;
  for (std::size_t i = 0; i + 1 < 300; ++i) plain += y[i] >= fixed.lower[i] && y[i] <= fixed.upper[i] ? 1 : 0;
  const AdaptedTable adapted = predict_adapting(model, later, 0.9);
  EXPECT_EQ(adapted.results, 299U) << "the last target is not known yet";
  EXPECT_NEAR(static_cast<double>(adapted.within) / 299.0, 0.9, 0.02);
  EXPECT_LT(static_cast<double>(plain) / 299.0, 0.75) << "fixed bounds lose the trend";
  EXPECT_TRUE(adapted.table.has_column("lower"));
  EXPECT_THAT(adapted.guarantee, HasSubstr("approaches 90 %, whatever the rows do"));

  EXPECT_THAT(message_of([&] {
                Table bad("bad");
                bad.add_column("x1", std::vector<double>{1.0});
                bad.add_column("x2", std::vector<double>{1.0});
                bad.add_column("y", std::vector<std::string>{"high"});
                return predict_adapting(model, bad, 0.9);
              }),
              HasSubstr("bad, row 1, column 'y': 'high' is not a result"));
  const Model none = fit(tiny_fit(CalibrationChoice::none, 5), wavy_data(20), test_engine());
  EXPECT_THAT(message_of<ConfigError>([&] { return predict_adapting(none, later, 0.9); }),
              HasSubstr("calibrate it first"));
}

}  // namespace
}  // namespace nomu
