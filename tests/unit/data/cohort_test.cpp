#include "nomu/data/cohort.hpp"

#include <gtest/gtest.h>

#include "message_of.hpp"

namespace nomu {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<DataSet> two_members() {
  return {make_dataset({1, 2, 3, 4, 5, 6}, 2, {7, 8, 9}), make_dataset({-1, -2}, 2, {-3})};
}
const std::vector<std::uint64_t> two_seeds = {11, 22};

TEST(Cohort, ShorterMembersArePaddedWithWeightZero) {
  const Cohort cohort = pack(two_members(), two_seeds);
  EXPECT_EQ(cohort.members(), 2U);
  EXPECT_EQ(cohort.rows(), 3U);
  EXPECT_EQ(cohort.cols(), 2U);
  EXPECT_THAT(cohort.x.member(0), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(cohort.x.member(1), ElementsAre(-1, -2, 0, 0, 0, 0));
  EXPECT_THAT(cohort.y.member(1), ElementsAre(-3, 0, 0));
  EXPECT_THAT(cohort.row_weight.member(0), ElementsAre(1, 1, 1));
  EXPECT_THAT(cohort.row_weight.member(1), ElementsAre(1, 0, 0));
  EXPECT_TRUE(cohort.noise.empty());
  EXPECT_EQ(member_rows(cohort, 0), 3U);
  EXPECT_EQ(member_rows(cohort, 1), 1U);
  EXPECT_THAT(cohort.seeds, ElementsAre(11, 22));
}

TEST(Cohort, WeightsAndNoiseTravel) {
  std::vector<DataSet> members = two_members();
  members[0].row_weight = {0, 0.5, 2};
  members[0].noise = {0.25, 0.5, 1};
  members[1].noise = {0.125};
  const Cohort cohort = pack(members, two_seeds);
  EXPECT_THAT(cohort.row_weight.member(0), ElementsAre(0, 0.5, 2));
  EXPECT_THAT(cohort.noise.member(1), ElementsAre(0.125, 1, 1));
  EXPECT_EQ(member_rows(cohort, 0), 3U);
}

TEST(Cohort, RepeatsDataForManySeeds) {
  const std::vector<std::uint64_t> seeds = {5, 6, 7, 8};
  const Cohort same = repeat(two_members()[1], seeds);
  EXPECT_EQ(same.members(), 4U);
  EXPECT_THAT(same.y.flat(), ElementsAre(-3, -3, -3, -3));
  EXPECT_EQ(same.seeds, seeds);
  const Cohort ensemble = repeat(pack(two_members(), two_seeds), seeds);
  EXPECT_THAT(ensemble.y.flat(), ElementsAre(7, 8, 9, 7, 8, 9, -3, 0, 0, -3, 0, 0));
  EXPECT_EQ(ensemble.seeds, seeds);
  EXPECT_THAT(message_of([&] { return repeat(pack(two_members(), two_seeds), std::span(seeds).first(3)); }),
              HasSubstr("3 seeds cannot be shared evenly by 2 members"));
  EXPECT_THAT(message_of([&] { return repeat(two_members()[0], {}); }), HasSubstr("0 seeds cannot be shared evenly"));
}

TEST(Cohort, RefusesMembersThatDoNotFitTogether) {
  std::vector<DataSet> members = two_members();
  EXPECT_THAT(message_of([&] { return pack({}, {}); }), HasSubstr("[data/cohort] a cohort needs at least one member"));
  EXPECT_THAT(message_of([&] { return pack(members, std::span(two_seeds).first(1)); }),
              HasSubstr("1 seeds given for 2 members"));
  members[1] = make_dataset({1, 2, 3}, 3, {1});
  EXPECT_THAT(message_of([&] { return pack(members, two_seeds); }),
              HasSubstr("member 1 has 3 input columns, member 0 has 2"));
  members = two_members();
  members[0].noise = {1, 1, 1};
  EXPECT_THAT(message_of([&] { return pack(members, two_seeds); }),
              HasSubstr("member 1 has no known noise, but member 0 has some"));
  members = two_members();
  members[1].targets[0] = 1e300;
  EXPECT_THAT(message_of([&] { return pack(members, two_seeds); }),
              HasSubstr("target 1e+300 of member 1 does not fit in single precision"));
  EXPECT_THAT(message_of([&] { return member_rows(pack(two_members(), two_seeds), 2); }),
              HasSubstr("member 2 requested"));
}

}  // namespace
}  // namespace nomu
