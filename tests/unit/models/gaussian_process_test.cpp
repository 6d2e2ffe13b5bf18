#include "nomu/models/gaussian_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <numbers>
#include <sstream>

#include "message_of.hpp"
#include "models/gp/gp_evidence.hpp"
#include "nomu/core/error.hpp"
#include "nomu/models/method.hpp"

namespace nomu {
namespace {

using testing::HasSubstr;

Tensor<float> probes(std::size_t inputs) {
  Tensor<float> x(1, 5, inputs);
  for (std::size_t q = 0; q < 5; ++q) {
    for (std::size_t j = 0; j < inputs; ++j)
      x(0, q, j) =
          static_cast<float>(1.2 * std::sin(0.8 * static_cast<double>(q) + 1.1 * static_cast<double>(j) + 0.3));
  }
  return x;
}

/// The rows of tests/golden/make_gp_golden.py.
DataSet golden_rows(std::size_t count, std::size_t inputs) {
  std::vector<double> x;
  std::vector<double> y;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < inputs; ++j)
      x.push_back(static_cast<float>(std::sin(1.7 * static_cast<double>(i) + 2.9 * static_cast<double>(j))));
    y.push_back(std::cos(2.0 * x[i * inputs]) + 0.5 * x.back() + 0.05 * std::cos(37.0 * static_cast<double>(i)));
  }
  return make_dataset(x, inputs, y);
}

Cohort cohort_of(const DataSet& data, const std::vector<std::uint64_t>& seeds) { return repeat(data, seeds); }

struct Golden {
  std::string name;
  std::vector<double> evidence, gradient, settings, mean, sigma;
};

std::vector<Golden> read_golden() {
  std::ifstream file(NOMU_GOLDEN_DIR "/gp_golden.txt");
  const auto numbers = [&file] {
    std::string line;
    std::getline(file, line);
    std::istringstream stream(line);
    return std::vector<double>{std::istream_iterator<double>(stream), {}};
  };
  std::vector<Golden> all;
  for (std::string name; std::getline(file, name);) {
    Golden golden;
    golden.name = name;
    for (auto* part : {&golden.evidence, &golden.gradient, &golden.settings, &golden.mean, &golden.sigma})
      *part = numbers();
    all.push_back(golden);
  }
  return all;
}

GpData golden_data(std::size_t count, std::size_t inputs) {
  const Cohort cohort = cohort_of(golden_rows(count, inputs), {1});
  GpData data{.x = RowMatrix(count, inputs), .y = Vector(count), .fixed = Vector(count), .row_share = Vector(count)};
  for (std::size_t i = 0; i < count; ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    for (std::size_t j = 0; j < inputs; ++j) data.x(row, static_cast<Eigen::Index>(j)) = cohort.x(0, i, j);
    data.y[row] = cohort.y(0, i, 0);
  }
  data.mean = data.y.mean();
  data.y.array() -= data.mean;
  data.fixed.setConstant(1e-7);
  data.row_share.setOnes();
  return data;
}

TEST(GaussianProcess, EvidenceAndPosteriorAgreeWithScikitLearn) {
  const std::vector<Golden> all = read_golden();
  ASSERT_EQ(all.size(), 3U) << "the golden file is missing or incomplete";
  const std::size_t counts[] = {6, 9, 20};
  const std::size_t inputs[] = {2, 3, 2};
  for (std::size_t c = 0; c < 3; ++c) {
    SCOPED_TRACE(all[c].name);
    const GpData data = golden_data(counts[c], inputs[c]);
    const std::size_t lengths = all[c].settings.size() - 2;
    GpEvidence evidence(data, lengths, true);
    std::vector<double> logs;
    for (const double value : all[c].settings) logs.push_back(std::log(value));
    std::vector<double> gradient(logs.size());
    EXPECT_NEAR(evidence(logs, gradient), all[c].evidence[0], 1e-8);
    for (std::size_t k = 0; k < gradient.size(); ++k) EXPECT_NEAR(gradient[k], all[c].gradient[k], 1e-6) << k;
    const GpPosterior posterior(data, evidence.kernel(logs));
    std::vector<float> mean(5);
    std::vector<float> sigma(5);
    posterior.predict(probes(inputs[c]).flat(), mean, sigma);
    for (std::size_t q = 0; q < 5; ++q) {
      EXPECT_NEAR(mean[q], all[c].mean[q], 1e-6);
      EXPECT_NEAR(sigma[q], all[c].sigma[q], 1e-6);
    }
  }
}

TEST(GaussianProcess, FindsTheMaximumThatScikitLearnFinds) {
  const std::vector<Golden> all = read_golden();
  ASSERT_EQ(all.size(), 3U);
  GpSpec spec;
  spec.target = GpSpec::Target::centred;
  const auto engine = make_engine({});
  const auto fitted = fit(spec, cohort_of(golden_rows(20, 2), {1, 2}), *engine);
  for (const FitReport& report : fitted->reports()) {
    EXPECT_NEAR(report.best_loss, -all[2].evidence[0], 1e-6);
    EXPECT_GT(report.first_loss, report.best_loss);
    EXPECT_EQ(report.history.size(), 6U);
  }
  const Prediction prediction = fitted->predict(probes(2));
  for (std::size_t q = 0; q < 5; ++q) {
    EXPECT_NEAR(prediction.mean(1, q, 0), all[2].mean[q], 2e-4);
    EXPECT_NEAR(prediction.sigma_model(1, q, 0), all[2].sigma[q], 2e-4);
    EXPECT_NEAR(prediction.sigma_noise(1, q, 0), std::sqrt(all[2].settings[3]), 2e-4);
  }
}

/// One and two rows by hand: k = v exp(-1/8) at distance 0.5, length 1.
TEST(GaussianProcess, TwoRowsFollowTheClosedForm) {
  GpSpec spec;
  spec.target = GpSpec::Target::as_given;
  spec.learn_noise = false;
  spec.variance = {.start = 2.0, .low = 2.0, .high = 2.0};
  spec.length = {.start = 1.0, .low = 1.0, .high = 1.0};
  spec.nugget = 0.25;
  spec.sigma_floor = 0.125;
  const auto engine = make_engine({});
  const auto fitted = fit(spec, cohort_of(make_dataset({0.0, 0.5}, 1, {1.0, -1.0}), {1}), *engine);
  const Prediction at = fitted->predict(Tensor<float>(1, 1, 1, 0.5F));
  const double k = 2.0 * std::exp(-0.125);
  const double determinant = 2.25 * 2.25 - k * k;
  const double mean = (k * (2.25 + k) - 2.0 * (k + 2.25)) / determinant;
  const double variance = 2.0 - (k * k * 2.25 - 2.0 * k * 2.0 * k + 4.0 * 2.25) / determinant;
  EXPECT_NEAR(at.mean(0, 0, 0), mean, 1e-6);
  EXPECT_NEAR(at.sigma_model(0, 0, 0), std::sqrt(variance) + 0.125, 1e-6);
  EXPECT_TRUE(at.sigma_noise.empty());
  EXPECT_NEAR(
      fitted->reports()[0].best_loss,
      0.5 * (2.0 * 2.25 + 2.0 * k) / determinant + 0.5 * std::log(determinant) + std::log(2.0 * std::numbers::pi),
      1e-6);
}

TEST(GaussianProcess, IsSureAtThePointsAndUnsureAway) {
  const auto engine = make_engine({});
  const Cohort cohort = cohort_of(make_dataset({-0.8, -0.3, 0.1, 0.7}, 1, {0.2, 0.9, 0.4, -0.5}), {7});
  GpSpec spec = GpSpec::published();
  const auto fitted = fit(spec, cohort, *engine);
  const Prediction at = fitted->predict(cohort.x);
  const Prediction away = fitted->predict(Tensor<float>(1, 1, 1, 40.0F));
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(at.mean(0, i, 0), cohort.y(0, i, 0), 1e-3);
    EXPECT_LT(at.sigma_model(0, i, 0), 5e-3F);
    EXPECT_GE(at.sigma_model(0, i, 0), 1e-3F) << "the published floor";
  }
  EXPECT_NEAR(away.mean(0, 0, 0), 0.25, 1e-5) << "far away the mean of the target is left";
  EXPECT_GT(away.sigma_model(0, 0, 0), 0.3F);
}

TEST(GaussianProcess, ScalesWithTheTargetAndHeedsKnownNoise) {
  const auto engine = make_engine({});
  DataSet data = make_dataset({-0.8, -0.3, 0.1, 0.7}, 1, {0.2, 0.9, 0.4, -0.5});
  const auto once = fit(GpSpec{}, cohort_of(data, {1}), *engine)->predict(probes(1));
  for (double& y : data.targets) y = 10.0 + 4.0 * y;
  const auto scaled = fit(GpSpec{}, cohort_of(data, {1}), *engine)->predict(probes(1));
  for (std::size_t q = 0; q < 5; ++q) {
    EXPECT_NEAR(scaled.mean(0, q, 0), 10.0 + 4.0 * once.mean(0, q, 0), 2e-3);
    EXPECT_NEAR(scaled.sigma_model(0, q, 0), 4.0 * once.sigma_model(0, q, 0), 2e-3);
  }
  GpSpec spec = GpSpec::published();
  data.noise = {2.0, 2.0, 2.0, 2.0};
  const Cohort known = cohort_of(data, {1});
  EXPECT_GT(fit(spec, known, *engine)->predict(known.x).sigma_model(0, 1, 0), 0.02F);
}

TEST(GaussianProcess, MembersDoNotSeeEachOtherNorThePadding) {
  const auto one = make_engine({.device = "cpu", .threads = 1});
  const auto two = make_engine({.device = "cpu", .threads = 2});
  const std::vector<DataSet> sets{golden_rows(9, 2), golden_rows(5, 2), golden_rows(12, 2)};
  const std::vector<std::uint64_t> seeds{4, 5, 6};
  const auto all = fit(GpSpec{}, pack(sets, seeds), *two);
  const Tensor<float> x = probes(2);
  const Prediction together = all->predict(x);
  for (std::size_t m = 0; m < 3; ++m) {
    const auto alone = fit(GpSpec{}, cohort_of(sets[m], {seeds[m]}), *one);
    const Prediction apart = alone->predict(x);
    for (std::size_t q = 0; q < 5; ++q) {
      EXPECT_EQ(together.mean(m, q, 0), apart.mean(0, q, 0));
      EXPECT_EQ(together.sigma_model(m, q, 0), apart.sigma_model(0, q, 0));
      EXPECT_EQ(together.sigma_noise(m, q, 0), apart.sigma_noise(0, q, 0));
    }
  }
  // A row alone is what it is among others.
  Tensor<float> single(1, 1, 2);
  for (std::size_t j = 0; j < 2; ++j) single(0, 0, j) = x(0, 3, j);
  EXPECT_EQ(all->predict(single).sigma_model(2, 0, 0), together.sigma_model(2, 3, 0));
}

TEST(GaussianProcess, ComesBackFromItsState) {
  const auto engine = make_engine({});
  const std::vector<DataSet> sets{golden_rows(9, 2), golden_rows(5, 2)};
  const std::vector<std::uint64_t> seeds{4, 5};
  const MethodSpec spec = GpSpec{};
  const auto fitted = fit(spec, pack(sets, seeds), *engine);
  const auto again = restore(spec, fitted->state(), fitted->reports(), *engine);
  EXPECT_EQ(again->predict(probes(2)).mean, fitted->predict(probes(2)).mean);
  EXPECT_EQ(again->predict(probes(2)).sigma_model, fitted->predict(probes(2)).sigma_model);
  EXPECT_EQ(again->state(), fitted->state());
  FittedState broken = fitted->state();
  broken.blocks.pop_back();
  EXPECT_THAT(message_of<DataError>([&] { return restore(spec, broken, fitted->reports(), *engine); }),
              HasSubstr("there is no block 'kernel'"));
}

TEST(GaussianProcess, RepeatedRowsNeedNoNugget) {
  const auto engine = make_engine({});
  GpSpec spec;
  spec.learn_noise = false;
  spec.nugget = 0.0;
  const auto fitted = fit(spec, cohort_of(make_dataset({0.1, 0.1, 0.1, 0.5}, 1, {1.0, 1.0, 1.0, 0.0}), {1}), *engine);
  EXPECT_FALSE(fitted->reports()[0].diverged);
  EXPECT_NEAR(fitted->predict(Tensor<float>(1, 1, 1, 0.1F)).mean(0, 0, 0), 1.0, 1e-2);
}

TEST(GaussianProcess, ImpossibleSettingsAreRefused) {
  const auto engine = make_engine({});
  const Cohort cohort = cohort_of(golden_rows(4, 1), {1});
  const auto refusal = [&](const std::function<void(GpSpec&)>& change) {
    GpSpec spec;
    change(spec);
    return message_of<ConfigError>([&] { return fit(spec, cohort, *engine); });
  };
  EXPECT_EQ(refusal([](GpSpec& s) { s.length.start = 1e9; }),
            "[models/gaussian_process] length needs 0 < low <= start <= high, got low 1e-05, start 1000000000, high "
            "100000");
  EXPECT_THAT(refusal([](GpSpec& s) { s.variance.low = 0.0; }), HasSubstr("variance needs 0 < low"));
  EXPECT_THAT(refusal([](GpSpec& s) { s.nugget = -1.0; }), HasSubstr("nugget must not be negative, got -1"));
  EXPECT_THAT(refusal([](GpSpec& s) { s.restarts = -2; }), HasSubstr("restarts must not be negative, got -2"));
  const auto fitted = fit(GpSpec{}, cohort, *engine);
  EXPECT_THAT(message_of<DataError>([&] { return fitted->predict(Tensor<float>(1, 2, 3)); }),
              HasSubstr("x must be [1 or 1][q][1], got [1][2][3]"));
}

TEST(GaussianProcess, StopsOnRequest) {
  const auto engine = make_engine({});
  std::stop_source source;
  source.request_stop();
  Progress progress;
  progress.stop = source.get_token();
  EXPECT_THROW((void)fit(GpSpec{}, cohort_of(golden_rows(4, 1), {1}), *engine, progress), Cancelled);
}

TEST(GaussianProcess, AMatrixThatIsNotFiniteIsNotFactorised) {
  Matrix matrix = Matrix::Identity(3, 3);
  Matrix factor;
  matrix(2, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(factorise(matrix, 1.0, factor));
  EXPECT_EQ(factor.size(), 0) << "not even tried";
  matrix(2, 1) = 0.0;
  matrix(1, 2) = std::numeric_limits<double>::quiet_NaN();  // above the diagonal nothing is read
  EXPECT_TRUE(factorise(matrix, 1.0, factor));
}

}  // namespace
}  // namespace nomu
