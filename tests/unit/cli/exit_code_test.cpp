#include "cli/exit_code.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace nomu::cli {
namespace {

TEST(ExitCode, WrongInputIs2) {
  EXPECT_EQ(exit_code(ConfigError("models/nomu", "n_aug must be positive, got -3")), 2);
  EXPECT_EQ(exit_code(DataError("data/table_io", "no such file")), 2);
}

TEST(ExitCode, AMissingDeviceIs2AndOneThatFailsIs1) {
  EXPECT_EQ(exit_code(DeviceError("engine", "built without CUDA")), 2);
  EXPECT_EQ(exit_code(DeviceFailure("engine/cuda", "cudaLaunchKernelEx failed: unspecified launch failure")), 1);
}

TEST(ExitCode, EverythingElseIs1AndAnInterruptIs130) {
  EXPECT_EQ(exit_code(std::runtime_error("disk full")), 1);
  EXPECT_EQ(exit_code(Error("models", "diverged")), 1);
  EXPECT_EQ(exit_code(Cancelled("models/train", "stopped")), 130);
}

}  // namespace
}  // namespace nomu::cli
