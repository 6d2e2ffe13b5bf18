#include "data/row_weights.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "message_of.hpp"
#include "nomu/data/table_io.hpp"

namespace nomu {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

DataSet weighted(std::vector<double> weights) {
  DataSet data = make_dataset({1, 2, 3, 4}, 1, {10, 20, 30, 40});
  data.row_weight = std::move(weights);
  data.groups = {"a", "b", "c", "d"};
  return data;
}

TEST(RowWeights, EqualOnesAreNone) {
  EXPECT_THAT(weighed_rows(weighted({1e-3, 1e-3, 1e-3, 1e-3})).row_weight, IsEmpty());
  EXPECT_THAT(weighed_rows(weighted({})).row_weight, IsEmpty());
}

TEST(RowWeights, OnlyTheirRatiosCount) {
  for (const double unit : {1e-300, 1.0, 1e308}) {
    const DataSet rows = weighed_rows(weighted({0.25 * unit, 0.25 * unit, 0.5 * unit, unit}));
    EXPECT_THAT(rows.row_weight, ElementsAre(DoubleNear(0.5, 1e-12), DoubleNear(0.5, 1e-12), DoubleNear(1, 1e-12),
                                             DoubleNear(2, 1e-12)));
    EXPECT_EQ(weighed_rows(rows).row_weight, rows.row_weight);
  }
}

TEST(RowWeights, RowsOfWeightZeroAreLeftOutAloud) {
  DataSet data = weighted({0, 3, 0, 3});
  data.report.unfamiliar_rows = {2, 3};
  const DataSet rows = weighed_rows(data);
  EXPECT_THAT(rows.targets, ElementsAre(20, 40));
  EXPECT_THAT(rows.groups, ElementsAre("b", "d"));
  EXPECT_THAT(rows.row_weight, IsEmpty());
  EXPECT_THAT(rows.report.unfamiliar_rows, ElementsAre(1));
  ASSERT_EQ(rows.report.notes.size(), 1U);
  EXPECT_EQ(rows.report.notes[0].text, "2 rows of weight 0 were left out");
}

TEST(RowWeights, CellsOfRowsOfWeightZeroDecideNothing) {
  const Table table = parse_table("a,c,w,y\n1,red,1,1\n2,blue,2,2\n3,red,1,3\n4,blue,1,4\nten,broken,0,99\n", "t.csv");
  const DataSet data = make_dataset(table, {.target = "y", .weight = "w"});
  EXPECT_THAT(data.input_names, ElementsAre("a", "c=blue", "c=red", "c unknown"));
  EXPECT_THAT(data.targets, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(data.row_weight, ElementsAre(1, 2, 1, 1));
  ASSERT_EQ(data.report.notes.size(), 1U);
  EXPECT_EQ(data.report.notes[0].text, "1 row of weight 0 was left out");
}

TEST(RowWeights, AllOfThemZeroIsRefused) {
  EXPECT_THAT(message_of([] { return weighed_rows(weighted({0, 0, 0, 0})); }), HasSubstr("all row weights are zero"));
}

}  // namespace
}  // namespace nomu
