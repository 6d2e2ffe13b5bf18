// Links from earlier hidden layers of the mean network into the sigma network (remark in Section 3.2 of the paper).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "message_of.hpp"
#include "models/nomu/nomu_plan.hpp"
#include "nomu/core/error.hpp"
#include "nomu/models/method.hpp"
#include "unit/models/small_problems.hpp"

namespace nomu {
namespace {

using testing::HasSubstr;

NomuSpec linked_spec(std::vector<std::int64_t> early) {
  NomuSpec spec = quick_spec();
  spec.train.epochs = 200;
  spec.mean_net.hidden = {16, 12, 8};
  spec.sigma_net.hidden = {10, 6};
  spec.early_links = std::move(early);
  return resolved(spec, 4, 1);
}

TEST(EarlyLinks, LeadToTheNextLayerOrTheHead) {
  EXPECT_EQ(nomu_networks(linked_spec({}), 1).nets.back().links.size(), 1U);
  const std::vector<engine::Link> links = nomu_networks(linked_spec({1, 2}), 1).nets.back().links;
  ASSERT_EQ(links.size(), 3U);
  EXPECT_EQ(links[0].from_layer, 2U);
  EXPECT_EQ(links[0].to_layer, 2U) << "the head, as in the paper's figure";
  EXPECT_EQ(links[1].from_layer, 0U);
  EXPECT_EQ(links[1].to_layer, 1U);
  EXPECT_EQ(links[2].from_layer, 1U);
  EXPECT_EQ(links[2].to_layer, 2U);
  // 16 units feed the second sigma layer of 6, 12 more the head.
  const auto size = [](const NomuSpec& spec) { return design_of(spec, 1).parameters(); };
  EXPECT_EQ(size(linked_spec({1, 2})) - size(linked_spec({})), 16U * 6U + 16U) << "tensors fill multiples of 16";
}

TEST(EarlyLinks, AStoppedLinkLeavesTheMeanAlone) {
  const auto engine = make_engine({.device = "cpu"});
  for (const Stages stages : {Stages::two_stage, Stages::joint}) {
    NomuSpec plain = linked_spec({});
    NomuSpec linked = linked_spec({1});
    plain.stages = linked.stages = stages;
    plain.train.snapshot = linked.train.snapshot = Snapshot::none;
    const Prediction without = fit(plain, line_of_points({1}), *engine)->predict(line_probes());
    const Prediction with = fit(linked, line_of_points({1}), *engine)->predict(line_probes());
    EXPECT_EQ(with.mean, without.mean);
    EXPECT_NE(with.sigma_model, without.sigma_model);
  }
}

TEST(EarlyLinks, FitAndComeBack) {
  expect_members_apart_and_state(linked_spec({1, 2}));
  const auto engine = make_engine({.device = "cpu"});
  NomuSpec spec = small_nomu();
  spec.early_links = {1};
  const auto fitted = fit(spec, line_of_points({1}), *engine);
  const Prediction at = fitted->predict(line_probes());
  for (std::size_t i = 0; i < 4; ++i) EXPECT_LT(at.sigma_model(0, i, 0), 0.5F * at.sigma_model(0, 5, 0)) << i;
  // Slopes by the input go through all links.
  const Tensor<float> near = points({0.4F, 0.4F + 1e-3F});
  const Prediction moved = fitted->predict(near);
  const auto slopes = fitted->slopes(points({0.4F}));
  ASSERT_TRUE(slopes);
  EXPECT_NEAR(slopes->sigma_model(0, 0, 0), (moved.sigma_model(0, 1, 0) - moved.sigma_model(0, 0, 0)) / 1e-3F, 0.02F);
}

TEST(EarlyLinks, LayersThatAreNotThereAreRefused) {
  const auto refusal = [](const NomuSpec& spec) {
    return message_of<ConfigError>([&] { (void)nomu_networks(spec, 1); });
  };
  EXPECT_THAT(
      refusal(linked_spec({3})),
      HasSubstr("[models/nomu] early_links names hidden layer 3 of mean_net, which has 3; earlier than its last "
                "are 1 to 2"));
  EXPECT_THAT(refusal(linked_spec({1, 1})), HasSubstr("early_links names hidden layer 1 of mean_net twice"));
  NomuSpec shallow = linked_spec({1});
  shallow.mean_net.hidden = {8};
  EXPECT_THAT(refusal(shallow), HasSubstr("which has 1; earlier than its last are none"));
  NomuSpec spec;
  EXPECT_THAT(message_of<ConfigError>([&] { fields_of(spec).set_text("early_links", "0"); }), HasSubstr("early_links"));
  EXPECT_FALSE(fields_of(spec).find("early_links").in_keys()) << "keys of older results stay as they are";
}

}  // namespace
}  // namespace nomu
