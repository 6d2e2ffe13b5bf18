// Tables as people have them: missing cells, names, booleans, mixed columns (docs/tables.md).

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "message_of.hpp"
#include "nomu/data/dataset.hpp"

namespace nomu {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;

Table parse(std::string_view text) { return parse_table(text, "t.csv"); }
DataSet read(std::string_view text, DatasetOptions options = {}) {
  options.target = "y";
  options.words = {.categorical = "--categorical", .ignore = "--ignore", .drop_missing = "--drop-missing"};
  return make_dataset(parse(text), options);
}
std::string error_of(std::string_view text, const DatasetOptions& options = {}) {
  return message_of([&] { return read(text, options); });
}
std::string note_of(const DataSet& data) {
  return data.report.notes.size() == 1 ? data.report.notes.front().text : "not one note";
}

TEST(Tables, MissingNumbersGetAMedianAndAnIndicator) {
  const DataSet data = read("a,b,y\n1,1,1\n,2,2\n3,3,3\n5,4,4\nNA,5,5\n");
  EXPECT_THAT(data.input_names, ElementsAre("a", "a missing", "b"));
  EXPECT_THAT(data.inputs, ElementsAre(1, 0, 1, 3, 1, 2, 3, 0, 3, 5, 0, 4, 3, 1, 5));
  EXPECT_THAT(data.report.missing_cells, ElementsAre(MissingCells{.column = "a", .cells = 2}));
  const EncodedRows later = encode(parse("b,a\n,7\n1,?\n"), data.features);
  EXPECT_THAT(later.inputs, ElementsAre(7, 0, 3, 3, 1, 1));
  EXPECT_THAT(later.unfamiliar, ElementsAre(true, false)) << "training had no missing cells in b";
}

TEST(Tables, MissingNamesAreOneMoreName) {
  const DataSet data = read("c,d,y\nup,u,1\n,u,2\ndown,v,3\nup,v,4\n");
  EXPECT_THAT(data.input_names, ElementsAre("c=down", "c=up", "c unknown", "c missing", "d=u", "d=v", "d unknown"));
  EXPECT_THAT(data.row(1), ElementsAre(0, 0, 0, 1, 1, 0, 0));
  const EncodedRows later = encode(parse("c,d\nup,\nleft,u\n,v\n"), data.features);
  EXPECT_THAT(later.inputs, ElementsAre(0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1, 0, 1, 0));
  EXPECT_THAT(later.unfamiliar, ElementsAre(true, false, false));
  EXPECT_THAT(data.report.constant_columns, IsEmpty()) << "the input of unknown names is not worth mentioning";
}

TEST(Tables, RowsWithoutATargetAreLeftOutAndColumnsWithoutCellsToo) {
  const DataSet data = read("a,e,y\n1,,1\n2,,\n3,NA,3\n4,,4\n5,,5\n");
  EXPECT_THAT(data.report.unlabelled_lines, ElementsAre(3));
  EXPECT_THAT(data.input_names, ElementsAre("a"));
  EXPECT_EQ(note_of(data), "column 'e' is empty in every row and is left out");
  EXPECT_THAT(error_of("e,y\n,1\n,2\n,3\n,4\n"),
              HasSubstr("no input column can be used; column 'e' is empty in every row and is left out"));
}

TEST(Tables, BlocksFollowTheColumns) {
  const DataSet data = read("a,c,t,y\n1,u,yes,1\n,v,no,2\n3,w,no,3\n4,u,yes,4\n");
  EXPECT_THAT(input_blocks(data),
              ElementsAre(InputBlock{.first = 0}, InputBlock{.first = 1, .indicator = true},
                          InputBlock{.first = 2, .size = 4, .names = true, .unknown = true, .other = 3},
                          InputBlock{.first = 6, .indicator = true}));
  EXPECT_THAT(input_blocks(make_dataset({1, 2, 3, 4}, 2, {5, 6})), ElementsAre(InputBlock{}, InputBlock{.first = 1}));
}

/// `count` names with `each` rows.
std::string many_names(int count, int each) {
  std::string text = "c,x,y\n";
  for (int i = 0; i < count * each; ++i) {
    text += fmt::format("name{},{},{}\n", 1000 + i % count, i, i);
  }
  return text;
}

TEST(Tables, ManyNamesAreGrouped) {
  EXPECT_EQ(read(many_names(64, 2)).cols(), 66U) << "64 names, unknown, x";
  std::string text = many_names(70, 5);
  for (int i = 0; i < 10; ++i)
    text += "often,1," + std::to_string(i) + "\n" + "twice" + std::to_string(i % 5) + ",1,2\n";
  const DataSet data = read(text);
  EXPECT_EQ(data.cols(), 65U);
  EXPECT_TRUE(std::ranges::binary_search(data.features[0].levels, "often"));
  EXPECT_EQ(note_of(data),
            "column 'c' has 76 names: the 63 most frequent have inputs of their own, the others, in 50 of 370 rows, "
            "share one");
  EXPECT_EQ(data.row(data.rows() - 1)[63], 1.0) << "twice4";
}

TEST(Tables, RowIdsAreLeftOut) {
  const DataSet data = read(many_names(100, 1));
  EXPECT_THAT(data.input_names, ElementsAre("x"));
  EXPECT_EQ(note_of(data), "column 'c' has 100 different names in 100 rows, like a row id, and is left out");
  EXPECT_THAT(note_of(read(many_names(25, 1))), HasSubstr("like a row id"));
  EXPECT_EQ(read(many_names(10, 1)).cols(), 12U) << "few names that differ may do so by chance";
  EXPECT_EQ(read(many_names(25, 1), {.categorical = {"c"}}).cols(), 27U) << "as told";
  EXPECT_THAT(note_of(read(many_names(100, 3), {.categorical = {"c"}})), HasSubstr("none of them in 5 rows"));
}

TEST(Tables, ColumnsThatOnlyLookLikeIdsAreExplained) {
  const auto column = [](const std::string& before, const std::string& after) {
    std::string text = "a;c;y\n";
    for (int i = 100; i < 160; ++i) text += fmt::format("{};{}{}{};{}\n", i, before, i, after, i);
    return text;
  };
  EXPECT_THAT(note_of(read(column("$1,", ".50"))),
              HasSubstr("'$1,100.50' looks like a number: write numbers without signs, like 1234.5"));
  EXPECT_THAT(note_of(read(column("", " %"))), HasSubstr("'100 %' looks like a number"));
  EXPECT_THAT(note_of(read(column("05/17/2", ""))),
              HasSubstr("'05/17/2100' looks like a date: write dates like 2024-05-17"));
  EXPECT_THAT(note_of(read(column("17.5.2", ""))), HasSubstr("'17.5.2100' looks like a date"));
  const DataSet parts = read(column("part ", ""));
  EXPECT_THAT(note_of(parts), EndsWith("and is left out"));
  EXPECT_EQ(parts.report.notes.front().kind, ColumnNote::Kind::other);
}

TEST(Tables, MixedColumnsAreNames) {
  const DataSet data = read("z,y\n1,1\n2,2\n3+,3\n1,4\n");
  EXPECT_THAT(data.input_names, ElementsAre("z=1", "z=2", "z=3+", "z unknown"));
  EXPECT_EQ(note_of(data),
            "column 'z' mixes numbers with texts such as '3+', so its cells are read as names; correct them, "
            "or call the column categorical");
  EXPECT_EQ(data.report.notes.front().kind, ColumnNote::Kind::mixed_cells);
  EXPECT_THAT(read("z,y\n1,1\n2,2\n3+,3\n1,4\n", {.categorical = {"z"}}).report.notes, IsEmpty());
}

TEST(Tables, FewTextsAmongNumbersAreMissing) {
  std::string text = "z,y\n-,0\n";
  for (int i = 0; i < 20; ++i) text += std::to_string(i) + "," + std::to_string(i) + "\n";
  const DataSet data = read(text);
  EXPECT_THAT(data.input_names, ElementsAre("z", "z missing"));
  EXPECT_EQ(note_of(data),
            "column 'z' has numbers in 20 cells and '-' in 1, which count as missing; call the column categorical if "
            "its cells are names");
  text += "broken,1\n0,1\n";
  EXPECT_EQ(read(text).cols(), 22U + 1U) << "21 of 23 cells are too few to overrule what is written";
  for (int i = 0; i < 20; ++i) text += std::to_string(i) + "," + std::to_string(i) + "\n";
  const DataSet mostly = read(text);
  EXPECT_THAT(mostly.input_names, ElementsAre("z", "z missing"));
  EXPECT_THAT(note_of(mostly), HasSubstr("numbers in 41 cells and '-', 'broken' in 2"));
  EXPECT_THAT(encode_inputs(parse("z\nbroken\n3\nunknown\n"), mostly.features), ElementsAre(9, 1, 3, 0, 9, 1));
  EXPECT_THAT(message_of([&] { return encode_inputs(parse("z\nodd\n"), mostly.features); }),
              HasSubstr("'odd' is not a number"));
}

TEST(Tables, NumbersThatAllDifferStayNumbersAmongTexts) {
  std::string text = "z,y\n";
  for (int i = 0; i < 30; ++i) text += (i % 3 == 0 ? "<5" : std::to_string(i)) + "," + std::to_string(i) + "\n";
  EXPECT_EQ(read(text).cols(), 21U + 1U) << "few enough to be names";
  for (int i = 0; i < 60; ++i) text += std::to_string(100 + i) + "," + std::to_string(i) + "\n";
  EXPECT_THAT(read(text).input_names, ElementsAre("z", "z missing"));
}

TEST(Tables, BooleansAreOneInput) {
  const DataSet data = read("t,u,y\nTRUE,yes,1\nFALSE,,2\nTRUE,no,3\nFALSE,yes,4\n");
  EXPECT_THAT(data.input_names, ElementsAre("t", "u", "u missing"));
  EXPECT_THAT(data.inputs, ElementsAre(1, 1, 0, 0, 1, 1, 1, 0, 0, 0, 1, 0));
  const EncodedRows later = encode(parse("t,u\nfalse,maybe\n1,Yes\n"), data.features);
  EXPECT_THAT(later.inputs, ElementsAre(0, 1, 0, 1, 1, 0));
  EXPECT_THAT(later.unfamiliar, ElementsAre(true, false));
  const DataSet spelled = read("t,y\nYes,1\nyes,2\nNO,3\nno,4\nTRUE,5\n");
  EXPECT_THAT(spelled.input_names, ElementsAre("t"));
  EXPECT_THAT(spelled.inputs, ElementsAre(1, 1, 0, 0, 1));
}

TEST(Tables, RareNamesThatShareAnInputAreKnown) {
  std::string text = "n,x,y\n";
  for (int i = 0; i < 30; ++i)
    text += fmt::format("{},{},{}\n", i < 12 ? "a" : i < 24 ? "b" : fmt::format("rare{}", i / 2), i, i);
  const DataSet data = read(text, {.max_levels = 4});
  EXPECT_THAT(data.features.front().levels, ElementsAre("a", "b"));
  EXPECT_THAT(data.features.front().grouped, ElementsAre("rare12", "rare13", "rare14"));
  const EncodedRows later = encode(parse("n,x\nrare13,1\nnew,1\na,1\n"), data.features);
  EXPECT_THAT(later.unfamiliar, ElementsAre(false, true, false));
  EXPECT_EQ(later.inputs[2], 1.0);
  EXPECT_EQ(later.inputs[6], 1.0) << "both share the input for all other names";
}

TEST(Tables, NumbersWithDecimalCommasNeedAPoint) {
  EXPECT_THAT(error_of("a;y\n1,5;1\n2,5;2\n3,5;3\n4,5;4\n"),
              AllOf(HasSubstr("row 2, column 'a': '1,5' looks like a number with a decimal comma"),
                    HasSubstr("call the column categorical (--categorical)")));
}

TEST(Tables, InputsOfANetworkStayAsTheyAre) {
  const DataSet data = read("c,x,y\nred,1,1\nblue,2,2\nred,3,3\ngreen,4,4\n", {.fixed_inputs = true});
  EXPECT_THAT(data.input_names, ElementsAre("c=blue", "c=green", "c=red", "x"));
  EXPECT_THAT(
      message_of([&] { return encode_inputs(parse("x,c\n9,red\n8,gren\n"), data.features); }),
      HasSubstr("row 3, column 'c': 'gren' is not one of the names the model was trained on; did you mean 'green'?"));
  EXPECT_THAT(message_of([&] { return encode_inputs(parse("x,c\n9,red\n,red\n"), data.features); }),
              HasSubstr("row 3, column 'x': the value is missing, as in 1 of 2 rows (rows 3)"));
  EXPECT_THAT(error_of("z,y\n1,1\n2,2\n3+,3\n1,4\n", {.fixed_inputs = true}),
              HasSubstr("row 4, column 'z': '3+' is not a number, but 3 of 4 cells of this column are"));
  EXPECT_THAT(error_of("z,y\n1,1\n,2\n3,3\n1,4\n", {.fixed_inputs = true}), HasSubstr("the value is missing"));
}

TEST(Tables, TargetsStayInTheirRange) {
  const std::string_view text = "a,y\n1,1\n2,0\n3,3\n4,4\n";
  EXPECT_EQ(read(text, {.range = {.low = 0.0}}).range, TargetRange{.low = 0.0});
  EXPECT_THAT(error_of(text, {.range = {.low = 0.5}}),
              HasSubstr("row 3, column 'y': 0 is not in the range 0.5 to inf"));
  EXPECT_THAT(error_of(text, {.range = {.low = 1.0, .high = 0.0}}), HasSubstr("range must be two numbers"));
}

TEST(Tables, NotesRepeatNoLongTexts) {
  const std::string text(1'000'000, 'a');
  std::string mostly = "x,y\n" + text + ",1\n";
  std::string mixed = "x,y\n" + text + ",1\n1,2\n1,3\n2,1\n2,5\n";
  std::string ids = "x,c,y\n";
  for (int i = 0; i < 60; ++i) {
    mostly += fmt::format("{},{}\n", i, i % 5);
    ids += fmt::format("{},{}/05/2024 {},{}\n", i, 10 + i % 20,
                       std::string(10'000, static_cast<char>('A' + i % 26)) + std::to_string(i), i % 5);
  }
  for (const std::string& table : {mostly, mixed, ids, "x," + text + ",y\n1,,1\n2,,2\n3,,3\n4,,4\n"}) {
    const std::string note = note_of(read(table));
    EXPECT_LT(note.size(), 600U) << note.substr(0, 1000);
    EXPECT_THAT(note, HasSubstr("bytes ...]"));
  }
}

}  // namespace
}  // namespace nomu
