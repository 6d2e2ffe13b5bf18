#include "nomu/engine/engine.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/benchmark.hpp"
#include "engine/preflight.hpp"
#include "message_of.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

std::string refusal(const EngineOptions& options) {
  return message_of<Error>([&] { (void)make_engine(options); });
}

TEST(Engine, UnknownNamesAreRefusedWithWhatThereIs) {
  EXPECT_EQ(refusal({.device = "tpu"}), "[engine] unknown device 'tpu'; there are auto, cpu, cuda, reference");
  EXPECT_EQ(refusal({.device = "cpu", .provider = "mkl"}),
            "[engine/cpu] unknown provider 'mkl'; there are auto, onednn, eigen");
  EXPECT_NE(refusal({.device = "cpu", .isa = "sve"}).find("no instruction set 'sve' on this processor; there are"),
            std::string::npos);
  EXPECT_NE(refusal({.device = "cpu", .threads = -1}).find("threads must be between 0 (all) and 1024, got -1"),
            std::string::npos);
  EXPECT_EQ(refusal({.device = "cpu", .precision = "fp16"}), "[engine] unknown precision 'fp16'; there are fp32, tf32");
  EXPECT_EQ(refusal({.device = "cpu", .precision = "tf32"}),
            "[engine] tf32 is a precision of GPUs; use --precision fp32, or --device cuda");
}

TEST(Engine, ListsWhatThereIs) {
  const std::vector<EngineInfo> engines = list_engines();
  ASSERT_EQ(engines.size(), 3U);
  EXPECT_EQ(engines[0].name, "cpu");
  EXPECT_TRUE(engines[0].available);
  EXPECT_GE(engines[0].threads, 1);
  EXPECT_EQ(make_engine({.device = "cpu"})->info().isa, engines[0].isa);
}

TEST(Engine, CudaIsRefusedWhereItIsMissing) {
  if (list_engines()[1].available) GTEST_SKIP() << "this machine has a GPU";
  EXPECT_THROW((void)make_engine({.device = "cuda"}), DeviceError);
  EXPECT_EQ(make_engine({.device = "auto"})->info().name, "cpu");
}

TEST(Preflight, MemoryIsStatedInUnitsPeopleRead) {
  EXPECT_EQ(engine::bytes_text(1500000), "1.5 MB");
  EXPECT_EQ(engine::bytes_text(2500000000), "2.5 GB");
  EXPECT_GT(engine::available_memory(), 0U);
}

TEST(Benchmark, MeasuresASmallCase) {
  BenchmarkSpec spec;
  spec.hidden = {20};
  spec.rows = 10;
  spec.augment = 10;
  spec.members = 3;
  spec.steps = 2;
  spec.repeats = 2;
  const auto engine = make_engine({.device = "cpu", .threads = 2});
  const BenchmarkReport report = run_benchmark(spec, *engine);
  EXPECT_GT(report.us_per_network_step, 0.0);
  EXPECT_GT(report.roofline_us, 0.0);
  EXPECT_GT(report.memory_bytes, 0U);
  EXPECT_TRUE(std::isfinite(report.last_loss));
}

}  // namespace
}  // namespace nomu
