#include "nomu/eval/desiderata.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "message_of.hpp"
#include "nomu/core/random.hpp"

namespace nomu {
namespace {

using testing::HasSubstr;
using Values = std::vector<double>;

/// Applies f to each row of `cols` inputs.
template <class Function>
RowFunction by_row(std::size_t cols, Function f) {
  return [cols, f](std::span<const double> rows) {
    Values values;
    for (std::size_t i = 0; i < rows.size(); i += cols) values.push_back(f(rows.subspan(i, cols)));
    return values;
  };
}

/// Distance to the nearest row of `data`, inputs weighted: an uncertainty that does everything right.
RowFunction distance_sigma(Values data, Values weight) {
  const std::size_t cols = weight.size();
  return by_row(cols, [data = std::move(data), weight = std::move(weight)](std::span<const double> x) {
    double nearest = 1e300;
    for (std::size_t i = 0; i < data.size(); i += x.size()) {
      double sum = 0.0;
      for (std::size_t j = 0; j < x.size(); ++j) sum += std::pow(weight[j] * (x[j] - data[i + j]), 2);
      nearest = std::min(nearest, std::sqrt(sum));
    }
    return nearest;
  });
}

const Values line_data = {-0.9, -0.7, -0.65, -0.1, 0.1, 0.3, 0.8, 0.85};
const DesiderataSpec line_spec{.low = {-1.5}, .high = {1.5}, .probes = 300, .seed = 1};

Values random_inputs(std::size_t rows, std::size_t cols, std::uint64_t seed) {
  Random random(seed);
  Values inputs(rows * cols);
  for (double& value : inputs) value = random.uniform(-1.0, 1.0);
  return inputs;
}

/// Sigma of a method that knows the distance to the rows it was given.
RefitFunction distance_refit(const Values& data, const Values& weight) {
  return [data, weight](std::span<const std::vector<std::size_t>> subsets) {
    std::vector<RowFunction> fits;
    for (const std::vector<std::size_t>& subset : subsets) {
      Values rows;
      for (const std::size_t i : subset) {
        for (std::size_t j = 0; j < weight.size(); ++j) rows.push_back(data[i * weight.size() + j]);
      }
      fits.push_back(distance_sigma(rows, weight));
    }
    return fits;
  };
}

TEST(Desiderata, AnIdealUncertaintyHoldsInOneDimension) {
  DesiderataSubject subject{.sigma = distance_sigma(line_data, {1}), .mean = by_row(1, [](auto x) { return x[0]; })};
  subject.raw_sigma = by_row(1, [](auto x) { return x[0]; });  // negative on half the box
  subject.refit = distance_refit(line_data, {1});
  const DesiderataReport report = check_desiderata(line_data, subject, line_spec);
  EXPECT_EQ(report.find("D1").verdict, Verdict::reported);
  EXPECT_NEAR(*report.find("D1").measured, 0.5, 0.1);
  EXPECT_FALSE(report.find("D1").threshold.has_value());
  EXPECT_THAT(report.find("D1").sentence, HasSubstr("The raw sigma is below 0 at "));
  for (const Finding& finding : report.findings) {
    const auto number = static_cast<std::size_t>(finding.desideratum) + 1;
    EXPECT_EQ(finding.name.substr(0, 2), "D" + std::to_string(number));
  }
  EXPECT_EQ(report.find("D2").verdict, Verdict::holds);
  EXPECT_EQ(*report.find("D2").measured, 0.0);
  EXPECT_EQ(*report.find("D2").threshold, 0.25);
  for (const char* name : {"D3", "D3 gaps", "D3 outside"}) {
    EXPECT_EQ(report.find(name).verdict, Verdict::holds) << name;
    EXPECT_NEAR(*report.find(name).measured, 1.0, 1e-12) << name;
    EXPECT_EQ(*report.find(name).threshold, 0.5) << name;
  }
  EXPECT_EQ(report.find("D4").verdict, Verdict::skipped);
  EXPECT_EQ(report.find("D4").sentence, "With one input there is nothing to compare.");
  EXPECT_FALSE(report.find("D4").measured.has_value());
  EXPECT_EQ(report.find("D5").verdict, Verdict::holds);
  EXPECT_LT(*report.find("D5").measured, 1.0);
  EXPECT_THAT(report.find("D5").sentence, HasSubstr("with 4 rows, "));
  EXPECT_THAT(report.find("D5").sentence, HasSubstr("with 8 rows; it should fall."));
}

TEST(Desiderata, AConstantUncertaintyFails) {
  DesiderataSubject subject{.sigma = by_row(1, [](auto) { return 0.3; })};
  subject.refit = [&](std::span<const std::vector<std::size_t>> subsets) {
    return std::vector<RowFunction>(subsets.size(), subject.sigma);
  };
  const DesiderataReport report = check_desiderata(line_data, subject, line_spec);
  EXPECT_EQ(report.find("D1").verdict, Verdict::skipped);
  EXPECT_EQ(report.find("D2").verdict, Verdict::fails);
  EXPECT_EQ(*report.find("D2").measured, 1.0);
  EXPECT_EQ(
      report.find("D2").sentence,
      "Sigma at the training points is 1 times sigma elsewhere (medians 0.3 and 0.3); the ratio should be below 0.25.");
  EXPECT_EQ(report.find("D3").verdict, Verdict::fails);
  EXPECT_EQ(report.find("D3").sentence, "Sigma is the same everywhere over the whole box.");
  EXPECT_EQ(report.find("D5").verdict, Verdict::fails);
}

TEST(Desiderata, GapsAndOutsideAreJudgedApart) {
  // Falls with distance outside the data, rises in the gaps.
  const RowFunction inner = distance_sigma(line_data, {1});
  const DesiderataSubject subject{.sigma = [inner](std::span<const double> rows) {
    Values sigma = inner(rows);
    for (std::size_t i = 0; i < sigma.size(); ++i) {
      if (rows[i] < -0.9 || rows[i] > 0.85) sigma[i] = 10.0 - sigma[i];
    }
    return sigma;
  }};
  const DesiderataReport report = check_desiderata(line_data, subject, line_spec);
  EXPECT_EQ(report.find("D3 gaps").verdict, Verdict::holds);
  EXPECT_EQ(report.find("D3 outside").verdict, Verdict::fails);
  EXPECT_NEAR(*report.find("D3 outside").measured, -1.0, 1e-12);
  DesiderataSpec inside = line_spec;
  inside.low = {-0.5};
  inside.high = {0.5};
  const DesiderataReport no_outside = check_desiderata(line_data, subject, inside);
  EXPECT_EQ(no_outside.find("D3 outside").verdict, Verdict::skipped);
  EXPECT_THAT(no_outside.find("D3 outside").sentence, HasSubstr("there is nothing outside to probe"));
  EXPECT_EQ(*no_outside.find("D3").measured, *no_outside.find("D3 gaps").measured);
}

TEST(Desiderata, DistancesAreMeasuredInWidthsOfTheBox) {
  // The second input is in other units; the ideal sigma takes that into account.
  Values data = random_inputs(30, 2, 5);
  for (std::size_t i = 1; i < data.size(); i += 2) data[i] *= 1000.0;
  const DesiderataSubject subject{.sigma = distance_sigma(data, {1, 0.001})};
  const DesiderataReport report =
      check_desiderata(data, subject, {.low = {-1.2, -1200}, .high = {1.2, 1200}, .probes = 200});
  EXPECT_NEAR(*report.find("D3").measured, 1.0, 1e-12);
}

TEST(Desiderata, DistancesToData) {
  // The third input has no width: it does not count.
  const Values train = {0, 0, 7, 10, 1, 7};
  EXPECT_THAT(distances_to_data(Values{0, 0.5, 9, 10, 1, 7}, train, Values{0, 0, 7}, Values{10, 1, 7}),
              testing::ElementsAre(0.5, 0.0));
  EXPECT_THAT(message_of([&] {
                return distances_to_data(Values{1, 2}, train, Values{0, 0, 7}, Values{10, 1, 7});
              }),
              HasSubstr("2 and 6 values do not fill rows of 3 inputs"));
  EXPECT_THAT(message_of([&] { return distances_to_data(Values{1}, {}, Values{0}, Values{1}); }),
              HasSubstr("no training row"));
}

TEST(Desiderata, ProbesHaveOneNameAtATime) {
  // A number, a name of three, a number that is 0 or 1, and another number.
  const Values data = {0.1, 1, 0, 0, 1, 0.3, 0.7, 0, 1, 0, 0, 0.5, 0.3, 0, 0, 1, 1, 0.8};
  DesiderataSpec spec{.low = {-1, 0, 0, 0, 0, 0}, .high = {2, 1, 1, 1, 1, 1}, .probes = 100};
  spec.names = {"size", "colour=red", "colour=blue", "colour=green", "paid", "age"};
  spec.named = {{1, 3, "'colour'"}, {4, 1, "'paid'"}};
  std::size_t seen = 0;
  const auto possible = [&](auto x) {
    EXPECT_EQ(x[1] + x[2] + x[3], 1.0);
    EXPECT_TRUE(std::ranges::all_of(x.subspan(1, 4), [](double value) { return value == 0.0 || value == 1.0; }));
    ++seen;
  };
  const DesiderataSubject subject{
      .sigma = by_row(6, [&](auto x) { return possible(x), std::abs(x[0]) + x[2] + 0.1 * x[5]; }),
      .mean = by_row(6, [&](auto x) { return possible(x), 2.0 * x[0] + 9.0 * x[2] + x[5]; })};
  const DesiderataReport report = check_desiderata(data, subject, spec);
  EXPECT_GT(seen, 500U);
  // 'colour' matters most, but another colour is as near to the data as the first.
  EXPECT_THAT(report.find("D4").sentence, HasSubstr("along input 'size', which matters most to the mean of the "
                                                    "numbers, as along input 'age', which matters least"));
  EXPECT_EQ(report.find("D4").verdict, Verdict::holds);
  spec.named.push_back({5, 1, "'age'"});
  EXPECT_THAT(check_desiderata(data, subject, spec).find("D4").sentence,
              HasSubstr("With fewer than two inputs that are numbers there is nothing to compare"));
  spec.named.pop_back();
  spec.named[1].size = 3;
  EXPECT_THAT(message_of<ConfigError>([&] { return check_desiderata(data, subject, spec); }),
              HasSubstr("the 3 inputs of 'paid' from 4 on (counted from 0)"));
}

TEST(Desiderata, OfManyInputsSomeAreDrawn) {
  const Values data = random_inputs(12, 9, 6);
  DesiderataSpec spec{.low = Values(9, -1.0), .high = Values(9, 1.0), .probes = 50, .seed = 2, .most_inputs = 4};
  int calls = 0;
  const DesiderataSubject subject{.sigma = distance_sigma(data, {1, 2, 3, 4, 5, 6, 7, 8, 9}),
                                  .mean = [&](std::span<const double> rows) {
                                    ++calls;
                                    return by_row(9, [](auto x) { return x[0] + 2 * x[4] + 3 * x[8]; })(rows);
                                  }};
  const DesiderataReport some = check_desiderata(data, subject, spec);
  EXPECT_EQ(calls, 5);
  EXPECT_THAT(some.find("D4").sentence, HasSubstr("matters most to the mean of 4 drawn from 9 inputs, as along"));
  EXPECT_THAT(some.find("D4 across inputs").sentence, HasSubstr("Over 4 drawn from 9 inputs, the effect"));
  EXPECT_EQ(some.find("D4").sentence, check_desiderata(data, subject, spec).find("D4").sentence);
  spec.most_inputs = 9;
  EXPECT_THAT(check_desiderata(data, subject, spec).find("D4 across inputs").sentence, HasSubstr("Over all 9 inputs,"));
}

TEST(Desiderata, AStopIsHeardBetweenInputs) {
  const Values data = random_inputs(12, 9, 6);
  std::stop_source stop;
  int calls = 0;
  const DesiderataSubject subject{.sigma = distance_sigma(data, Values(9, 1.0)),
                                  .mean = [&](std::span<const double> rows) {
                                    if (++calls == 3) stop.request_stop();
                                    return by_row(9, [](auto x) { return x[0]; })(rows);
                                  }};
  EXPECT_THROW(
      check_desiderata(data, subject, {.low = Values(9, -1.0), .high = Values(9, 1.0), .probes = 50}, stop.get_token()),
      Cancelled);
  EXPECT_EQ(calls, 3);
}

TEST(Desiderata, SigmaShouldChangeAlongInputsThatMatter) {
  const Values data = random_inputs(12, 3, 6);
  const DesiderataSpec spec{.low = {-1, -1, -1}, .high = {1, 1, 1}, .probes = 200, .seed = 2};
  DesiderataSubject subject{.sigma = distance_sigma(data, {0.1, 1, 0.4}),
                            .mean = by_row(3, [](auto x) { return 0.01 * x[0] + 3 * x[1] + x[2]; })};
  const DesiderataReport right = check_desiderata(data, subject, spec);
  EXPECT_EQ(right.find("D4").verdict, Verdict::holds);
  EXPECT_GT(*right.find("D4").measured, 4.0);
  EXPECT_THAT(right.find("D4").sentence, HasSubstr("along input 2, which matters most to the mean, as along input 1,"));
  EXPECT_NEAR(*right.find("D4 across inputs").measured, 1.0, 1e-12);

  subject.sigma = distance_sigma(data, {1, 0.1, 0.4});
  const DesiderataReport wrong = check_desiderata(data, subject, spec);
  EXPECT_EQ(wrong.find("D4").verdict, Verdict::fails);
  EXPECT_EQ(wrong.find("D4 across inputs").verdict, Verdict::fails);

  subject.sigma = by_row(3, [](auto x) { return std::abs(x[1]); });
  EXPECT_NEAR(*check_desiderata(data, subject, spec).find("D4").measured, 1e9, 1.0);  // finite, for reports
  subject.mean = by_row(3, [](auto) { return 1.0; });
  EXPECT_EQ(check_desiderata(data, subject, spec).find("D4").sentence, "All inputs matter equally to the mean.");
  subject.mean = {};
  EXPECT_EQ(check_desiderata(data, subject, spec).find("D4").sentence, "There is no mean to compare sigma with.");
  // No step leaves the box, where the model may know nothing.
  subject.mean = by_row(3, [](auto x) { return std::abs(x[0]) <= 1 && std::abs(x[1]) <= 1 ? x[0] : std::nan(""); });
  EXPECT_EQ(message_of([&] { return check_desiderata(data, subject, spec); }), "no error");
  // Two inputs: no correlation over inputs; an input without width does not count.
  const DesiderataSpec flat{.low = {-1, -1, 0}, .high = {1, 1, 0}, .probes = 50};
  subject.mean = by_row(3, [](auto x) { return x[1]; });
  const DesiderataReport two = check_desiderata(data, subject, flat);
  EXPECT_EQ(two.find("D4").verdict, Verdict::holds);
  EXPECT_THAT(message_of<ConfigError>([&] { return two.find("D4 across inputs"); }),
              HasSubstr("[eval/desiderata] there is no finding 'D4 across inputs'"));
}

TEST(Desiderata, RefitsGrowAndAreNested) {
  std::vector<std::vector<std::size_t>> seen;
  const Values data = random_inputs(40, 1, 7);
  DesiderataSubject subject{.sigma = distance_sigma(data, {1})};
  const RefitFunction refit = distance_refit(data, {1});
  subject.refit = [&](std::span<const std::vector<std::size_t>> subsets) {
    seen.assign(subsets.begin(), subsets.end());
    return refit(subsets);
  };
  EXPECT_EQ(check_desiderata(data, subject, line_spec).find("D5").verdict, Verdict::holds);
  ASSERT_EQ(seen.size(), 3U);
  EXPECT_EQ(seen[0].size(), 10U);
  EXPECT_EQ(seen[1].size(), 20U);
  EXPECT_EQ(seen[2].size(), 40U);
  EXPECT_TRUE(std::ranges::includes(seen[1], seen[0]));
  EXPECT_TRUE(std::ranges::includes(seen[2], seen[1]));
  const Values few = {0, 0.5, 1};
  EXPECT_EQ(check_desiderata(few, subject, line_spec).find("D5").sentence,
            "3 rows are too few to refit on a part of them.");
}

TEST(Desiderata, TheSeedDecidesTheProbes) {
  const DesiderataSubject subject{.sigma = by_row(1, [](auto x) { return std::sin(20 * x[0]) + 1; })};
  const auto measured = [&](std::uint64_t seed) {
    DesiderataSpec spec = line_spec;
    spec.seed = seed;
    return *check_desiderata(line_data, subject, spec).find("D3").measured;
  };
  EXPECT_EQ(measured(3), measured(3));
  EXPECT_NE(measured(3), measured(4));
}

TEST(Desiderata, DataAtOnePointLeaveNoGaps) {
  const Values data = {0.2, 0.2, 0.2};
  const DesiderataReport report = check_desiderata(data, {.sigma = distance_sigma(data, {1})}, line_spec);
  EXPECT_EQ(report.find("D3 gaps").sentence, "There is no room to probe in the gaps between the data.");
  EXPECT_EQ(report.find("D3 outside").verdict, Verdict::holds);
  const DesiderataReport zero = check_desiderata(data, {.sigma = by_row(1, [](auto) { return 0.0; })}, line_spec);
  EXPECT_EQ(zero.find("D2").verdict, Verdict::skipped);
}

TEST(Desiderata, RefusesWhatItCannotExamine) {
  const DesiderataSubject good{.sigma = distance_sigma(line_data, {1})};
  const auto config = [&](const DesiderataSubject& subject, const DesiderataSpec& spec) {
    return message_of<ConfigError>([&] { return check_desiderata(line_data, subject, spec); });
  };
  const auto data = [&](const Values& train, const DesiderataSubject& subject) {
    return message_of([&] { return check_desiderata(train, subject, line_spec); });
  };
  EXPECT_EQ(config({.sigma = {}}, line_spec), "[eval/desiderata] there is no sigma to check");
  EXPECT_THAT(config(good, {.low = {0}, .high = {1}, .probes = 1}), HasSubstr("at least 2 probes are needed, got 1"));
  EXPECT_THAT(config(good, {.low = {0}, .high = {}}), HasSubstr("the box has 1 lower and 0 upper ends"));
  EXPECT_THAT(config(good, {.low = {1}, .high = {0}}),
              HasSubstr("the box goes from 1 to 0 along input 0 (counted from 0)"));
  EXPECT_THAT(config(good, {.low = {1}, .high = {1}}),
              HasSubstr("every input is constant, so there is nothing to check"));
  EXPECT_THAT(message_of([&] {
                return check_desiderata(Values{1, 2, 3}, good, {.low = {0, 0}, .high = {1, 1}});
              }),
              HasSubstr("3 values do not fill rows of 2 inputs"));
  EXPECT_THAT(data({1}, good), HasSubstr("at least 2 training rows are needed"));
  EXPECT_THAT(data({1, std::nan("")}, good), HasSubstr("the training input of row 1 (counted from 0) is nan"));
  EXPECT_THAT(data(line_data, {.sigma = [](std::span<const double>) { return Values{1}; }}),
              HasSubstr("1 sigma at the training point values given for 8 rows"));
  EXPECT_THAT(data(line_data, {.sigma = by_row(1, [](auto x) { return x[0] > 0.9 ? std::nan("") : 1.0; })}),
              HasSubstr("is nan; it must be finite"));
  DesiderataSubject short_refit = good;
  short_refit.refit = [](std::span<const std::vector<std::size_t>>) { return std::vector<RowFunction>{}; };
  EXPECT_THAT(data(line_data, short_refit), HasSubstr("refitting 2 subsets gave 0 fits"));
}

TEST(Desiderata, PosteriorDeviationsCountAllRowsAround) {
  const Values low{-1.0};
  const Values high{1.0};
  const Values train{-0.5, 0.5};
  const Values at = posterior_deviations(Values{-0.5, 0.0, 1.0, 0.5 + 1e-3}, train, low, high);
  // One row at each end of a gap: the covariances are e^{-1/2} to both, e^{-1} between them (lengths are medians).
  const double near = std::exp(-0.5);
  const double between = std::exp(-1.0);
  EXPECT_NEAR(at[0], 0.0, 1e-4);
  EXPECT_NEAR(at[1], std::sqrt(1.0 - 2.0 * near * near / (1.0 + between)), 1e-6);
  EXPECT_NEAR(at[2], std::sqrt(1.0 - std::exp(-1.0)), 1e-6) << "a row on one side, as far away";
  EXPECT_GT(at[2], at[1]) << "although the distance to the nearest row is the same";
  EXPECT_EQ(distances_to_data(Values{0.0, 1.0}, train, low, high)[0],
            distances_to_data(Values{0.0, 1.0}, train, low, high)[1]);
  EXPECT_LT(at[3], 0.05);
  // Rows may repeat, and more rows than count are allowed.
  Values many(300, -0.5);
  many.push_back(0.5);
  for (const double deviation : posterior_deviations(Values{-0.5, 0.1, 0.9}, many, low, high)) {
    EXPECT_GE(deviation, 0.0);
    EXPECT_LE(deviation, 1.0);
  }
  EXPECT_THAT(message_of<DataError>([&] { (void)posterior_deviations(Values{0.0}, Values{}, low, high); }),
              HasSubstr("there is no training row to measure distances to"));
}

TEST(Desiderata, SigmaIsComparedWithAProcess) {
  const Values data = random_inputs(40, 2, 5);
  const Values low{-1.0, -1.0};
  const Values high{1.0, 1.0};
  const DesiderataSpec spec{.low = low, .high = high, .probes = 300, .seed = 2};
  const DesiderataSubject process{
      .sigma = [&](std::span<const double> rows) { return posterior_deviations(rows, data, low, high); }};
  const DesiderataReport best = check_desiderata(data, process, spec);
  EXPECT_NEAR(*best.find("D3 posterior").measured, 1.0, 1e-9);
  EXPECT_THAT(
      best.find("D3 posterior").sentence,
      HasSubstr("the posterior deviation of a Gaussian process that saw the same rows have rank correlation 1"));
  const DesiderataSubject nearest{.sigma = distance_sigma(data, {1, 1})};
  const double measured = *check_desiderata(data, nearest, spec).find("D3 posterior").measured;
  EXPECT_GT(measured, 0.5);
  EXPECT_LT(measured, 0.999) << "another measure than the distance to the nearest row";
  const DesiderataSubject flat{.sigma = by_row(2, [](auto) { return 0.3; })};
  EXPECT_EQ(check_desiderata(data, flat, spec).find("D3 posterior").verdict, Verdict::fails);
}

}  // namespace
}  // namespace nomu
