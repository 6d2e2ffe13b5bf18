#pragma once
// Studies that take milliseconds, and something to minimise.

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>

#include "nomu/bo/study.hpp"

namespace nomu {

/// One thread: results do not depend on it, and tests run beside each other.
inline std::shared_ptr<Engine> one_thread() {
  static const std::shared_ptr<Engine> shared = make_engine({.threads = 1});
  return shared;
}

inline OptimizeSpec quick() {
  OptimizeSpec spec;
  spec.method = "nomu";
  spec.settings = "train.epochs=60; mean_net.hidden=[12]; sigma_net.hidden=[12]; augment.count=32";
  spec.initial = 5;
  spec.direct.evaluations = 150;
  spec.local_starts = 2;
  return spec;
}

inline OptimizeSpec random_search(std::int64_t budget = 0) {
  OptimizeSpec spec;
  spec.method = "random";
  spec.budget = budget;
  return spec;
}

inline Space line() { return Space({{.name = "x", .low = -1.0, .high = 1.0}}); }

inline double bowl(const Point& x) {
  double sum = 0.0;
  for (const double v : x) sum += (v - 0.3) * (v - 0.3);
  return sum;
}

/// A folder of its own for every test.
class StudyFiles : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() / (std::string("nomu_study_") + info->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::filesystem::path file() const { return folder_ / "study.db"; }

 private:
  std::filesystem::path folder_;
};

inline void advance(Study& study, int steps) {
  for (int i = 0; i < steps; ++i) {
    const Trial trial = study.ask();
    study.tell(trial, bowl(trial.point));
  }
}

}  // namespace nomu
