#include "nomu/data/table_io.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <limits>

#include "message_of.hpp"
#include "nomu/core/file.hpp"
#include "nomu/core/random.hpp"

namespace nomu {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

Table parse(std::string_view text) { return parse_table(text, "t.csv"); }
std::string parse_error(std::string_view text) {
  return message_of([&] { return parse(text); });
}

TEST(TableIo, ReadsACommaSeparatedTable) {
  const Table table = parse("x,colour,y\n1,red,2.5\n-3e2,blue,+.5\n");
  EXPECT_THAT(table.names(), ElementsAre("x", "colour", "y"));
  EXPECT_EQ(table.rows(), 2U);
  EXPECT_THAT(numeric_column(table, "x"), ElementsAre(1.0, -300.0));
  EXPECT_THAT(numeric_column(table, "y"), ElementsAre(2.5, 0.5));
  EXPECT_THAT(table.columns()[1].cells(), ElementsAre("red", "blue"));
}

TEST(TableIo, DetectsTheDelimiterFromTheHeader) {
  EXPECT_THAT(parse("a\tb, c\n1\t2\n").names(), ElementsAre("a", "b, c"));
  EXPECT_THAT(parse("a;b;c\n1;2;3\n").names(), ElementsAre("a", "b", "c"));
  EXPECT_THAT(parse("\"a;;;;\",b\n1,2\n").names(), ElementsAre("a;;;;", "b"));
  EXPECT_THAT(parse("only\n1\n2").names(), ElementsAre("only"));
  EXPECT_THAT(parse_table("a,b|c\n1|2", "t", {.delimiter = '|'}).names(), ElementsAre("a,b", "c"));
  EXPECT_THAT(message_of<ConfigError>([] { return parse_table("a b\n1 2", "t", {.delimiter = ' '}); }),
              HasSubstr("cannot separate cells"));
}

TEST(TableIo, HonoursQuotesLineEndsBlanksAndComments) {
  const Table table = parse(
      "\xEF\xBB\xBF# made by hand\r\n\r\n  a , b\r\n 1 , \"x \"\"y\"\"\r\n# kept\" \r\n   \r\n # note \"\r\n2,\" #3 "
      "\"\r\n");
  EXPECT_THAT(table.names(), ElementsAre("a", "b"));
  EXPECT_THAT(table.columns()[0].cells(), ElementsAre("1", "2"));
  EXPECT_THAT(table.columns()[1].cells(), ElementsAre("x \"y\"\r\n# kept", " #3 "));
}

TEST(TableIo, RowsKnowTheLineTheyBeginOn) {
  const Table table = parse("# c\na,b\n\n1,\"two\nlines\"\r3,4\r\n5,6");
  ASSERT_EQ(table.rows(), 3U);
  EXPECT_EQ(table.line(0), 4U);
  EXPECT_EQ(table.line(1), 6U);
  EXPECT_EQ(table.line(2), 7U);
  EXPECT_EQ(cell_location(table, 1, "b"), "t.csv, row 6, column 'b'");
}

TEST(TableIo, ATabOnlyLineOfATabTableIsARowOfMissingCells) { EXPECT_EQ(parse("a\tb\n1\t2\n\t\n  \n").rows(), 2U); }

TEST(TableIo, ClassifiesCells) {
  for (const char* text : {"", " ", "NA", "n/a", "NaN", "-nan", "NULL", "?"})
    EXPECT_EQ(read_cell(text).kind, CellKind::missing) << text;
  for (const char* text : {"inf", "-Infinity", "+inf", "1e999"})
    EXPECT_EQ(read_cell(text).kind, CellKind::infinite) << text;
  for (const char* text : {"abc", "1,5", "0x10", "1 2", "1e", "+-1", "++1", "+", "-", "1.5x", "??", "$5"}) {
    EXPECT_EQ(read_cell(text).kind, CellKind::text) << text;
  }
  EXPECT_EQ(read_cell(" +1.25e-3 ").number, 1.25e-3);
  EXPECT_EQ(read_cell("5e-324").number, std::numeric_limits<double>::denorm_min());
}

TEST(TableIo, RefusesFilesThatCannotBeRead) {
  EXPECT_THAT(message_of([] { return read_table("no_such_file.csv"); }),
              HasSubstr("cannot read 'no_such_file.csv': No such file or directory"));
  EXPECT_THAT(message_of([] { return read_table(fs::temp_directory_path()); }), HasSubstr("Is a directory"));
}

TEST(TableIo, RefusesTablesWithoutData) {
  EXPECT_EQ(parse_error(""), "[data/table_io] t.csv: the file is empty; expected a header line and rows of data");
  EXPECT_THAT(parse_error("\xEF\xBB\xBF\n # only this\n"), HasSubstr("t.csv: the file is empty"));
  EXPECT_EQ(parse_error("# c\na,b\n\n"), "[data/table_io] t.csv, row 2: the file has a header but no rows of data");
}

TEST(TableIo, RefusesBadHeaders) {
  EXPECT_EQ(
      parse_error("\na,b,a\n1,2,3\n"),
      "[data/table_io] t.csv, row 2, column 'a': the name appears twice in the header (columns 1 and 3); rename one");
  EXPECT_THAT(parse_error("a,,b\n1,2,3\n"),
              StartsWith("[data/table_io] t.csv, row 1, column 2: the header gives this column no name"));
  EXPECT_THAT(parse_error("1.5,2\n3,4\n"),
              HasSubstr("row 1, column '1.5': the first row holds numbers where column names"));
  EXPECT_THAT(parse("0,1,2\n3,4,5\n").names(), ElementsAre("0", "1", "2"));
}

TEST(TableIo, RefusesRaggedRows) {
  EXPECT_EQ(parse_error("a,b,c\n1,2,3\n\n4,5\n"),
            "[data/table_io] t.csv, row 4: expected 3 cells as in the header, but found 2 (nothing for column 'c'); "
            "leave a cell "
            "empty to mark it missing");
  EXPECT_THAT(parse_error("a,b\n1,2,3\n"),
              HasSubstr("expected 2 cells as in the header, but found 3 ('3' is beyond the last column 'b')"));
  EXPECT_THAT(parse_error("a,b\n1,2,\n"), HasSubstr("found 3 ('' is beyond"));
}

TEST(TableIo, RefusesBrokenQuotes) {
  EXPECT_THAT(parse_error("a,b\n1,2\n3,\"x\n4,5\n6,7\n"),
              StartsWith("[data/table_io] t.csv, row 3, column 'b': the quote opened on line 3 is never closed"));
  EXPECT_THAT(parse_error("a,\"b\n1,2\n"), HasSubstr("row 1, column 2: the quote opened on line 1"));
  EXPECT_THAT(parse_error("a,b\n\"1\"x,2\n"), HasSubstr("row 2, column 'a': text follows the closing quote"));
  EXPECT_EQ(parse("a,b\n5\" pipe,2\n").columns()[0][0], "5\" pipe");
}

TEST(TableIo, RefusesZeroBytes) {
  EXPECT_THAT(parse_error(std::string_view("a,b\n1,\0\n", 8)),
              AllOf(HasSubstr("t.csv, row 2: found a zero byte"), HasSubstr("UTF-8")));
}

TEST(TableIo, NumericColumnsNameTheFirstBadCellAndCountThem) {
  const Table table = parse("p,q,r,s\n1,NA,1,1\nabc,,inf,\"1,5\"\nNA,1,2,2\nx,2,3,3\n");
  EXPECT_EQ(
      message_of([&] { return numeric_column(table, "p"); }),
      "[data/table_io] t.csv, row 3, column 'p': 'abc' is not a number (2 of 4 cells of this column are not); correct "
      "them or use the column as text");
  EXPECT_EQ(message_of([&] { return numeric_column(table, "q"); }),
            "[data/table_io] t.csv, row 2, column 'q': the value is missing (as in 2 of 4 cells of this column); fill "
            "them in or "
            "drop these rows");
  EXPECT_THAT(message_of([&] { return numeric_column(table, "r"); }),
              HasSubstr("row 3, column 'r': 'inf' is not a finite number"));
  EXPECT_THAT(message_of([&] { return numeric_column(table, "s"); }), HasSubstr("use a decimal point"));
}

TEST(TableIo, UnknownColumnsGetASuggestion) {
  const Table table = parse("price,size\n1,2\n");
  EXPECT_EQ(message_of([&] { return column_index(table, "Prise"); }),
            "[data/table_io] t.csv: unknown column 'Prise'; did you mean 'price'? (columns: 'price', 'size')");
  EXPECT_EQ(message_of([&] { return column_index(table, "volume"); }),
            "[data/table_io] t.csv: unknown column 'volume' (columns: 'price', 'size')");
}

TEST(TableIo, ColumnsCanBeAppended) {
  Table table = parse("a\n1\n2\n");
  table.add_column("mean", std::vector<double>{0.1, std::nan("")});
  EXPECT_EQ(format_table(table), "a,mean\n1,0.1\n2,\n");
  EXPECT_THAT(message_of([&] {
                table.add_column("a", std::vector<double>{1, 2});
                return 0;
              }),
              HasSubstr("already a column 'a'"));
  EXPECT_THAT(message_of([&] {
                table.add_column("b", std::vector<double>{1});
                return 0;
              }),
              HasSubstr("column 'b' has 1 cells, but the table has 2 rows"));
  EXPECT_THAT(message_of([&] {
                table.add_column("", std::vector<double>{1, 2});
                return 0;
              }),
              HasSubstr("a column needs a name"));
}

TEST(TableIo, VeryManyColumnsAreFoundAtOnce) {
  constexpr std::size_t count = 100000;
  std::string header;
  std::string row;
  for (std::size_t j = 0; j < count; ++j) {
    header += (j == 0 ? "c" : ",c") + std::to_string(j);
    row += j == 0 ? "1" : ",1";
  }
  const auto begin = std::chrono::steady_clock::now();
  const Table table = parse_table(header + "\n" + row + "\n", "wide");
  for (std::size_t j = 0; j < count; ++j) ASSERT_EQ(column_index(table, "c" + std::to_string(j)), j);
  for (std::size_t j = count; j-- > 0;) ASSERT_EQ(column_index(table, "c" + std::to_string(j)), j);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(seconds.count(), 30.0);  // a second; it was ten minutes
  EXPECT_EQ(column_index(table, "c7"), 7U);
  EXPECT_THROW((void)column_index(table, "c100000"), DataError);
}

TEST(TableIo, VeryManyColumnsAreFoundInAnyOrderAndAddedOneByOne) {
  constexpr std::size_t count = 100000;
  const std::clock_t begin = std::clock();
  Table table("wide");
  const std::vector<double> cell{1.0};
  for (std::size_t j = 0; j < count; ++j) table.add_column("c" + std::to_string(j), cell);
  for (std::size_t j = 0; j < count; ++j) {
    const std::size_t place = j * 7919 % count;  // a prime, so that every column has its turn
    ASSERT_EQ(column_index(table, "c" + std::to_string(place)), place);
  }
  EXPECT_FALSE(table.find_column("c100000"));
  const Table copy = table;
  EXPECT_EQ(copy.find_column("c99999"), 99999U);
  EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, 10.0);  // less than a second; it was minutes
}

TEST(TableIo, NumbersSurviveTheirText) {
  Random random(7);
  for (int i = 0; i < 20000; ++i) {
    const double value = random.normal() * std::pow(10.0, random.uniform(-300, 300));
    ASSERT_EQ(read_cell(format_number(value)).number, value);
  }
  EXPECT_EQ(read_cell(format_number(std::numeric_limits<double>::max())).number, std::numeric_limits<double>::max());
}

std::string random_text(Random& random, bool name) {
  constexpr std::string_view letters = "ab ,;\t\"\r\n#'|?.\xC3\xA9";
  std::string text = name ? "n" : "";
  const std::uint64_t length = random.below(6);
  for (std::uint64_t i = 0; i < length; ++i) text += letters[random.below(letters.size())];
  return text;
}

TEST(TableIo, RandomTablesRoundTripThroughText) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    Random random(seed);
    Table table;
    const std::size_t cols = 1 + random.below(4);
    const std::size_t rows = 1 + random.below(6);
    for (std::size_t j = 0; j < cols; ++j) {
      std::vector<std::string> cells;
      for (std::size_t i = 0; i < rows; ++i) cells.push_back(random_text(random, false));
      table.add_column(random_text(random, true) + std::to_string(j), cells);
    }
    for (const char delimiter : {',', '\t', ';'}) {
      const Table back = parse_table(format_table(table, delimiter), "t", {.delimiter = delimiter});
      ASSERT_EQ(back.names(), table.names()) << seed;
      for (std::size_t j = 0; j < cols; ++j) ASSERT_EQ(back.columns()[j].cells(), table.columns()[j].cells()) << seed;
    }
    const Table guessed = parse_table(format_table(table), "t");
    ASSERT_EQ(guessed.names(), table.names()) << seed;
  }
}

TEST(TableIo, RandomTextIsReadOrExplained) {
  constexpr std::string_view letters = "a1.,;\t\" \r\n#";
  int read = 0;
  for (std::uint64_t seed = 0; seed < 5000; ++seed) {
    Random random(seed);
    std::string text;
    const std::uint64_t length = random.below(30);
    for (std::uint64_t i = 0; i < length; ++i) text += letters[random.below(letters.size())];
    std::string message = "read";
    try {
      const Table table = parse(text);
      for (const Column& column : table.columns()) ASSERT_EQ(column.size(), table.rows());
      ++read;
    } catch (const DataError& error) {
      message = error.what();
      ASSERT_THAT(message, StartsWith("[data/table_io] t.csv"));
    }
  }
  EXPECT_GT(read, 100);
}

TEST(TableIo, WritesFilesByExtensionAndLeavesNothingBehindOnFailure) {
  std::string pattern = (fs::temp_directory_path() / "nomu_table_XXXXXX").string();
  ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
  const fs::path folder = pattern;
  const Table table = parse("a,b\n1,x\n");
  write_table(folder / "t.tsv", table);
  write_table(folder / "t.csv", table);
  EXPECT_EQ(read_file(folder / "t.tsv"), "a\tb\n1\tx\n");
  EXPECT_EQ(read_file(folder / "t.csv"), "a,b\n1,x\n");
  EXPECT_EQ(read_table(folder / "t.csv").columns()[1][0], "x");
  EXPECT_THAT(message_of([&] {
                write_table(folder / "none" / "t.csv", table);
                return 0;
              }),
              HasSubstr("No such file or directory"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator{}), 2);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace nomu
