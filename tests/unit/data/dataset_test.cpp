#include "nomu/data/dataset.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "message_of.hpp"

namespace nomu {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Table parse(std::string_view text) { return parse_table(text, "t.csv"); }
std::string error_of(std::string_view text, const DatasetOptions& options) {
  return message_of([&] { return make_dataset(parse(text), options); });
}

TEST(Dataset, TakesAllOtherColumnsAsInputs) {
  const DataSet data = make_dataset(parse("a,y,b\n1,10,2\n3,20,4\n5,30,6\n7,40,8\n"), {.target = "y"});
  EXPECT_EQ(data.rows(), 4U);
  EXPECT_THAT(data.input_names, ElementsAre("a", "b"));
  EXPECT_THAT(data.inputs, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
  EXPECT_THAT(data.targets, ElementsAre(10, 20, 30, 40));
  EXPECT_THAT(data.row(2), ElementsAre(5, 6));
  EXPECT_TRUE(data.row_weight.empty());
}

TEST(Dataset, ChosenColumnsWeightsAndNoise) {
  const std::string_view text = "id,a,b,w,s,y\nq,1,2,1,.1,1\nr,3,4,.5,.2,2\ns,5,6,2,.3,3\nt,7,8,1,.4,4\n";
  const DataSet data = make_dataset(parse(text), {.target = "y", .ignore = {"id"}, .weight = "w", .noise = "s"});
  EXPECT_THAT(data.input_names, ElementsAre("a", "b"));
  EXPECT_THAT(data.row_weight, ElementsAre(1, .5, 2, 1));
  EXPECT_THAT(data.noise, ElementsAre(.1, .2, .3, .4));
  const DataSet chosen = make_dataset(parse(text), {.target = "y", .features = {"b", "a"}});
  EXPECT_THAT(chosen.inputs, ElementsAre(2, 1, 4, 3, 6, 5, 8, 7));
}

TEST(Dataset, TextColumnsBecomeIndicatorsAndStayTheSameLater) {
  const DataSet data = make_dataset(parse("c,x,y\nred,1,1\nblue,2,2\nred,3,3\ngreen,4,4\n"), {.target = "y"});
  EXPECT_THAT(data.input_names, ElementsAre("c=blue", "c=green", "c=red", "c unknown", "x"));
  EXPECT_THAT(data.inputs, ElementsAre(0, 0, 1, 0, 1, 1, 0, 0, 0, 2, 0, 0, 1, 0, 3, 0, 1, 0, 0, 4));
  EXPECT_THAT(encode_inputs(parse("x,extra,c\n9,?,green\n"), data.features), ElementsAre(0, 1, 0, 0, 9));
  EXPECT_THAT(message_of([&] { return encode_inputs(parse("x,c\ntall,red\n"), data.features); }),
              HasSubstr("row 2, column 'x': 'tall' is not a number; an input must be numeric"));
  EXPECT_THAT(message_of([&] { return encode_inputs(parse("x\n1\n"), data.features); }),
              HasSubstr("unknown column 'c'"));
}

TEST(Dataset, RowsThatLackMoreThanInputsAreRefusedOrDropped) {
  const std::string_view text = "a,w,y\n1,1,1\n2,,2\n3,1,3\n4,1,4\n5,1,5\n";
  EXPECT_EQ(error_of(text, {.target = "y", .weight = "w", .words = {.drop_missing = "--drop-missing"}}),
            "[data/dataset] t.csv, row 3, column 'w': the value is missing, as in 1 of 5 rows (rows 3); fill them in, "
            "or drop such rows (--drop-missing)");
  const DataSet data = make_dataset(parse(text), {.target = "y", .weight = "w", .drop_missing = true});
  EXPECT_THAT(data.report.dropped_lines, ElementsAre(3));
}

TEST(Dataset, MissingCellsAreDroppedOnRequest) {
  const std::string_view text = "a,b,y,free\n1,2,1,\n,2,2,\n3,2,NA,\n4,?,4,\n5,2,5,\n6,2,6,\n7,2,7,\n";
  const DataSet data = make_dataset(parse(text), {.target = "y", .features = {"a", "b"}, .drop_missing = true});
  EXPECT_THAT(data.report.dropped_lines, ElementsAre(3, 5));
  EXPECT_THAT(data.report.unlabelled_lines, ElementsAre(4));
  EXPECT_THAT(data.targets, ElementsAre(1, 5, 6, 7));
  EXPECT_THAT(data.report.constant_columns, ElementsAre("b"));
  EXPECT_THAT(data.report.missing_cells, IsEmpty());
  EXPECT_THAT(error_of("a,y\n1,1\n2,NaN\n3,3\n,4\n5,5\n", {.target = "y", .drop_missing = true}),
              HasSubstr("3 rows are left after dropping 1 with missing values and 1 without a target, but at least 4"));
}

TEST(Dataset, RefusesBadTargets) {
  EXPECT_THAT(error_of("a,price\n1,1\n2,2\n3,3\n4,4\n", {.target = "prize"}),
              HasSubstr("t.csv: unknown column 'prize'; did you mean 'price'?"));
  EXPECT_THAT(error_of("a,y\n1,1\n", {}), HasSubstr("no target column given (columns: 'a', 'y')"));
  EXPECT_THAT(error_of("a,y\n1,1\n2,low\n3,3\n4,4\n", {.target = "y"}),
              HasSubstr("row 3, column 'y': 'low' is not a number; the target must be numeric"));
  EXPECT_THAT(error_of("a,y\n1,1\n2,-inf\n3,3\n4,4\n", {.target = "y"}), HasSubstr("'-inf' is not a finite number"));
  EXPECT_THAT(error_of("a,y\n1,7\n2,7\n3,7\n4,7\n", {.target = "y"}),
              HasSubstr("column 'y': the target is 7 in all 4 rows; there is nothing to learn"));
  EXPECT_THAT(error_of("a,y\n1,1\n2,-1e308\n3,3\n4,4\n", {.target = "y"}),
              HasSubstr("row 3, column 'y': -1e+308 is too large to compute with"));
  EXPECT_THAT(error_of("a,y\n1,1e-321\n2,2e-321\n3,3e-321\n4,0\n", {.target = "y"}),
              HasSubstr("t.csv, column 'y': the target goes from 0 to 3e-321, too little to compute with; multiply the "
                        "column"));
  EXPECT_EQ(error_of("a,y\n1,-1e150\n2,0\n3,1\n4,1e150\n", {.target = "y"}), "no error");
}

TEST(Dataset, RefusesBadInputs) {
  EXPECT_THAT(error_of("a,y\n1,1\n2,2\n3,3\n", {.target = "y"}), HasSubstr("t.csv: 3 rows, but at least 4 are needed"));
  EXPECT_THAT(error_of("y\n1\n2\n3\n4\n", {.target = "y"}),
              HasSubstr("no input columns are left apart from the target 'y'"));
  EXPECT_THAT(error_of("a,y\n1,1\n", {.target = "y", .features = {"y"}}),
              HasSubstr("'y' is the target and cannot also be an input"));
  EXPECT_THAT(error_of("a,y\n1,1\n", {.target = "y", .features = {"a", "a"}}),
              HasSubstr("input column 'a' is listed twice"));
  EXPECT_THAT(error_of("a,y\n1,1\n", {.target = "y", .categorical = {"A"}}),
              HasSubstr("categorical column 'A' is not among the inputs; did you mean 'a'?"));
  EXPECT_THAT(error_of("a,y\n1,1\n2,2\ninf,3\n4,4\n", {.target = "y"}),
              HasSubstr("row 4, column 'a': 'inf' is not a finite number"));
  EXPECT_THAT(error_of("a,w,y\n1,1,1\n2,-1,2\n3,1,3\n4,1,4\n", {.target = "y", .weight = "w"}),
              HasSubstr("row 3, column 'w': -1 is negative; a weight must not be"));
  EXPECT_THAT(error_of("a,w,y\n1,0,1\n2,0,2\n3,0,3\n4,0,4\n", {.target = "y", .weight = "w"}),
              HasSubstr("all row weights are zero"));
}

TEST(Dataset, ComesFromVectorsToo) {
  const DataSet data = make_dataset({1, 2, 3, 4}, 2, {5, 6});
  EXPECT_THAT(data.input_names, ElementsAre("x1", "x2"));
  EXPECT_THAT(data.row(1), ElementsAre(3, 4));
  EXPECT_THAT(message_of([] {
                return make_dataset({1, 2, 3}, 2, {5, 6});
              }),
              HasSubstr("3 input values given for 2 targets and 2 columns; expected 4"));
  EXPECT_THAT(message_of([] {
                return make_dataset({1, 2, std::numeric_limits<double>::infinity(), 4}, 2, {5, 6});
              }),
              HasSubstr("the input of row 1, column 0 (counted from 0) is inf"));
  EXPECT_THAT(message_of([] { return make_dataset({}, 0, {5}); }), HasSubstr("at least one input column"));
  EXPECT_THAT(message_of([] { return make_dataset({}, 1, {}); }), HasSubstr("at least one row"));
  DataSet broken = data;
  broken.noise = {-1, 1};
  EXPECT_THAT(message_of([&] {
                check_dataset(broken);
                return 0;
              }),
              HasSubstr("the noise of row 0 (counted from 0) is -1"));
  broken.noise = {1};
  EXPECT_THAT(message_of([&] {
                check_dataset(broken);
                return 0;
              }),
              HasSubstr("1 noise values given for 2 rows"));
}

TEST(Dataset, SubsetsKeepEverythingThatBelongsToARow) {
  DataSet data = make_dataset({1, 2, 3}, 1, {4, 5, 6});
  data.row_weight = {1, 2, 3};
  data.noise = {.1, .2, .3};
  const std::vector<std::size_t> rows = {2, 0, 2};
  const DataSet part = subset(data, rows);
  EXPECT_THAT(part.inputs, ElementsAre(3, 1, 3));
  EXPECT_THAT(part.targets, ElementsAre(6, 4, 6));
  EXPECT_THAT(part.row_weight, ElementsAre(3, 1, 3));
  EXPECT_THAT(part.noise, ElementsAre(.3, .1, .3));
  EXPECT_EQ(part.features, data.features);
  const std::vector<std::size_t> outside = {3};
  EXPECT_THAT(message_of([&] { return subset(data, outside); }),
              HasSubstr("row 3 requested, but the data set has 3 rows"));
}

TEST(Dataset, GroupsAndTimesAreNoInputs) {
  const std::string_view text =
      "site,day,a,y\nn,2024-02-01,1,1\ns,2023-12-31,2,2\nn,2024-01-15,3,3\ns,2024-02-01,4,4\n";
  const DataSet data = make_dataset(parse(text), {.target = "y", .group = "site", .time = "day"});
  EXPECT_THAT(data.input_names, ElementsAre("a"));
  EXPECT_THAT(data.groups, ElementsAre("n", "s", "n", "s"));
  EXPECT_THAT(data.times, ElementsAre(2, 0, 1, 2)) << "the rank of each date";
  ASSERT_EQ(data.report.notes.size(), 1U);
  EXPECT_THAT(data.report.notes[0].text, HasSubstr("column 'day' orders the rows and is not an input; list it among"));
  const DatasetOptions both{.target = "y", .features = {"a", "day"}, .time = "day"};
  EXPECT_THAT(make_dataset(parse(text), both).report.notes, IsEmpty());
  const std::vector<std::size_t> rows{3, 0};
  EXPECT_THAT(subset(data, rows).groups, ElementsAre("s", "n"));
  EXPECT_THAT(subset(data, rows).times, ElementsAre(2, 2));
  EXPECT_THAT(make_dataset(parse("t,a,y\n7,1,1\n5,2,2\n9,3,3\n1,4,4\n"), {.target = "y", .time = "t"}).times,
              ElementsAre(7, 5, 9, 1));
  EXPECT_THAT(error_of("t,a,y\n2024-01-01,1,1\nsoon,2,2\n2024-01-02,3,3\n1,4,4\n", {.target = "y", .time = "t"}),
              HasSubstr("row 3, column 't': 'soon' is not a date like 2024-05-17"));
}

TEST(Dataset, TimesWithOffsetsAreOrderedByTheInstant) {
  const std::string_view text =
      "t,a,y\n2024-01-02T09:00+14:00,1,1\n2024-01-01T20:00Z,2,2\n2024-01-01T19:00+00:00,3,3\n"
      "2024-01-01T14:00-06:00,4,4\n";
  const DataSet data = make_dataset(parse(text), {.target = "y", .time = "t"});
  EXPECT_THAT(data.times, ElementsAre(0, 2, 0, 2)) << "19:00, 20:00, 19:00 and 20:00 of universal time";
  EXPECT_THAT(
      error_of("t,a,y\n2024-01-01,1,1\n2024-02-30,2,2\n2024-01-02,3,3\n2024-01-03,4,4\n", {.target = "y", .time = "t"}),
      HasSubstr("row 3, column 't': '2024-02-30' is not a date like 2024-05-17"));
}

TEST(Dataset, RowsToJudgeByAreEncodedAsTheModelKnowsThem) {
  const DataSet train = make_dataset(parse("c,a,y\nred,1,1\nblue,2,2\nred,3,3\nblue,4,4\n"), {.target = "y"});
  const DatasetOptions options{.target = "y", .min_rows = 1};
  const DataSet rows = make_dataset(parse("y,a,c\n5,7,red\n"), train.features, options);
  EXPECT_THAT(rows.inputs, ElementsAre(0, 1, 0, 7)) << "columns are found by name";
  EXPECT_THAT(rows.input_names, ElementsAre("c=blue", "c=red", "c unknown", "a"));
  EXPECT_THAT(make_dataset(parse("y,a,c\n5,7,green\n,8,red\n"), train.features, options).inputs,
              ElementsAre(0, 0, 1, 7))
      << "a row without a target is of no use";
  EXPECT_THAT(message_of([&] { return make_dataset(parse("y,c\n5,red\n"), train.features, options); }),
              HasSubstr("unknown column 'a'"));
}

}  // namespace
}  // namespace nomu
