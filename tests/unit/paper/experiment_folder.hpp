#pragma once
// A folder of its own for a test, and experiments small enough for one.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "nomu/core/file.hpp"

namespace nomu {

/// Empty when made, gone when it goes.
class ExperimentFolder {
 public:
  ExperimentFolder() {
    const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::path(testing::TempDir()) /
            (std::string("nomu_experiment_") + test.test_suite_name() + "_" + test.name());
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ExperimentFolder(const ExperimentFolder&) = delete;
  ExperimentFolder& operator=(const ExperimentFolder&) = delete;
  ~ExperimentFolder() { std::filesystem::remove_all(path_); }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  /// Writes a file and returns where.
  [[nodiscard]] std::filesystem::path write(const std::string& name, const std::string& text) const {
    write_file_atomically(path_ / name, text);
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

/// Two functions, a small NOMU and a Gaussian process.
inline constexpr const char* small_toy_experiment = R"(
kind = "toy"
title = "Small"
problems = ["levy", "step"]
rows = 6
test_rows = 20
runs = 3
expected = "small.csv"

[smoke]
runs = 2
cohort = 2

[[method]]
name = "nomu"
title = "NOMU"
paper = "NOMU"
cohort_cpu = 4
set.mean_net.hidden = [8]
set.sigma_net.hidden = [8]
set.augment.count = "16 d"
set.train.epochs = 20
smoke.train.epochs = 10

[[method]]
name = "gp"
title = "GP"
paper = "GP"
method = "gp"
cohort_cpu = 3
)";

}  // namespace nomu
