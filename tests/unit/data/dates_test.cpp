#include "data/dates.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "message_of.hpp"
#include "nomu/data/dataset.hpp"

namespace nomu {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

double day(std::string_view text) { return read_date(text).value_or(Instant{.day = NAN}).day; }
DataSet read(const std::string& text) { return make_dataset(parse_table(text, "t.csv"), {.target = "y"}); }

/// One row for each date, with y = 1, 2, ...
std::string rows_of(const std::vector<std::string>& dates) {
  std::string text = "t,y\n";
  for (std::size_t i = 0; i < dates.size(); ++i) text += dates[i] + "," + std::to_string(i + 1) + "\n";
  return text;
}

TEST(Dates, AreDaysSince1970) {
  EXPECT_EQ(day("1970-01-01"), 0.0);
  EXPECT_EQ(day("2024-02-29"), 19782.0);
  EXPECT_EQ(day("1969-12-31"), -1.0);
  for (const char* noon :
       {"1970-01-02T12:00", "1970-01-02 12:00:00", "1970-01-02t12:00:00.000z", "1970-01-02T14:30+02:30",
        "1970-01-02T14:30+0230", "1970-01-02T10:00-02", "1970-01-02T12:00Z"})
    EXPECT_EQ(day(noon), 1.5) << noon;
  EXPECT_EQ(read_date("1970-01-02T14:30+02:30")->local, 1.0 + 14.5 / 24.0) << "the clock on the wall";
  EXPECT_NEAR(day("1970-01-01T00:00:00.25"), 0.25 / 86400.0, 1e-15);
}

TEST(Dates, ThatDoNotExistAreNone) {
  for (const char* text : {"2023-02-29", "2024-13-01", "2024-1-1", "2024-01-01x", "2024-01-01T", "2024-01-01T24:00",
                           "2024-01-01T12", "2024-01-01T12:60", "2024-01-01T12:00:61", "2024-01-01T12:00+15:00",
                           "2024-01-01T12:00:00.", "20240101", "", "17.05.2024", "2024-01-01T12:00Z1"})
    EXPECT_FALSE(read_date(text)) << text;
  EXPECT_TRUE(looks_like_date("2023-02-29")) << "but it looks like one";
}

TEST(Dates, LieBetweenTheFirstAndTheLastDay) {
  for (const char* text : {"0000-01-01", "0000-01-01T00:00+14:59", "0000-01-01T00:00-14:59"}) {
    EXPECT_LE(first_day, day(text)) << text;
    EXPECT_LE(first_day, read_date(text)->local) << text;
  }
  for (const char* text : {"9999-12-31", "9999-12-31T23:59:60-14:59", "9999-12-31T23:59:60+14:59"}) {
    EXPECT_LE(day(text), last_day) << text;
    EXPECT_LE(read_date(text)->local, last_day) << text;
  }
  for (const double edge : {first_day, last_day})
    EXPECT_NEAR(std::hypot(season_of(edge)[0], season_of(edge)[1]), 1.0, 1e-9);
}

TEST(Dates, TurnInCircles) {
  const auto near = [](std::array<double, 2> circle, double sine, double cosine) {
    EXPECT_NEAR(circle[0], sine, 1e-12);
    EXPECT_NEAR(circle[1], cosine, 1e-12);
  };
  near(season_of(day("2024-01-01")), 0.0, 1.0);
  near(season_of(day("2024-07-02")), 0.0, -1.0);
  near(season_of(day("2023-04-02T06:00")), 1.0, 0.0);
  near(weekday_of(day("1970-01-05")), 0.0, 1.0);
  near(weekday_of(day("1969-12-29T23:59")), 0.0, 1.0);
  near(daytime_of(0.25), 1.0, 0.0);
  near(daytime_of(-0.25), -1.0, 0.0);
}

TEST(Dates, BecomeTheirDay) {
  const DataSet data = read(rows_of({"2024-05-17", "2024-05-19", "", "2024-05-18", "unknown"}));
  EXPECT_THAT(data.input_names, ElementsAre("t", "t missing"));
  EXPECT_THAT(data.inputs, ElementsAre(19860, 0, 19862, 0, 19861, 1, 19861, 0, 19861, 1));
  EXPECT_EQ(data.features[0].kind, ColumnKind::date);
}

TEST(Dates, HaveThePartsThatRepeat) {
  std::vector<std::string> hours;
  std::vector<std::string> days;
  std::vector<std::string> months;
  hours.reserve(72);
  months.reserve(36);
  const auto two = [](int number) { return std::string(number < 10 ? "0" : "") + std::to_string(number); };
  for (int i = 0; i < 72; ++i) hours.push_back("2024-05-" + two(1 + i / 24) + " " + two(i % 24) + ":00");
  for (int i = 1; i < 29; ++i) days.push_back("2024-02-" + two(i));
  for (int i = 0; i < 36; ++i) months.push_back(std::to_string(2020 + i / 12) + "-" + two(1 + i % 12) + "-01");
  EXPECT_THAT(read(rows_of(hours)).input_names, ElementsAre("t", "t daytime sine", "t daytime cosine"));
  EXPECT_THAT(read(rows_of(days)).input_names, ElementsAre("t", "t week sine", "t week cosine"));
  EXPECT_THAT(read(rows_of(months)).input_names, ElementsAre("t", "t season sine", "t season cosine"));
  const DataSet data = read(rows_of(months));
  EXPECT_THAT(encode_inputs(parse_table("t\n2030-01-01\n", "x.csv"), data.features), ElementsAre(21915, 0, 1));
}

TEST(Dates, ThatAreBrokenAreNamed) {
  const auto message = [](const std::vector<std::string>& dates) {
    return message_of([&] { return read(rows_of(dates)); });
  };
  EXPECT_EQ(
      message({"2024-05-17", "2024-05-18", "2024-02-30", "2024-05-19"}),
      "[data/dataset] t.csv, row 4, column 't': '2024-02-30' is not a date like 2024-05-17 or 2024-05-17T09:30, "
      "but 3 of 4 cells of this column are; correct it, call the column categorical (categorical), or leave it out "
      "(ignore)");
  EXPECT_THAT(message({"2024-05-17", "2024-05-18", "17", "2024-05-19"}), HasSubstr("row 4, column 't': '17' is not"));
  const DataSet data = read(rows_of({"2024-05-17", "2024-05-18", "2024-05-20", "2024-05-19"}));
  EXPECT_THAT(message_of([&] { return encode_inputs(parse_table("t\nsoon\n", "x.csv"), data.features); }),
              HasSubstr("x.csv, row 2, column 't': 'soon' is not a date"));
}

TEST(Dates, OfTimeColumnsCanBeInputs) {
  const std::string text = rows_of({"2024-05-17", "2024-05-19", "2024-05-18", "2024-05-20"});
  const DataSet data = make_dataset(parse_table(text, "t.csv"), {.target = "y", .features = {"t"}, .time = "t"});
  EXPECT_THAT(data.inputs, ElementsAre(19860, 19862, 19861, 19863));
  EXPECT_THAT(data.times, ElementsAre(0, 2, 1, 3));
}

}  // namespace
}  // namespace nomu
