#include "core/cores.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <fstream>

namespace nomu {
namespace {

namespace fs = std::filesystem;

/// A made-up tree of control groups.
class Groups {
 public:
  Groups() : root_(fs::path(testing::TempDir()) / "nomu_groups") { fs::remove_all(root_); }
  Groups(const Groups&) = delete;
  Groups& operator=(const Groups&) = delete;
  Groups(Groups&&) = delete;
  Groups& operator=(Groups&&) = delete;
  ~Groups() { fs::remove_all(root_); }

  void write(const std::string& file, const std::string& text) const {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }
  [[nodiscard]] const fs::path& root() const { return root_; }

 private:
  fs::path root_;
};

TEST(Cores, NoGroupNoLimit) {
  const Groups groups;
  EXPECT_EQ(granted_cores("", groups.root()), unlimited);
  EXPECT_EQ(granted_cores("0::/a/b\n", groups.root()), unlimited);
}

TEST(Cores, TheNarrowestGroupCounts) {
  const Groups groups;
  groups.write("a/cpu.max", "300000 100000\n");
  groups.write("a/b/cpu.max", "max 100000\n");
  EXPECT_EQ(granted_cores("0::/a/b\n", groups.root()), 3U);
  groups.write("a/b/cpu.max", "150000 100000\n");
  EXPECT_EQ(granted_cores("0::/a/b\n", groups.root()), 2U) << "one and a half are worth a second thread";
  EXPECT_EQ(granted_cores("0::/a\n", groups.root()), 3U);
  EXPECT_EQ(granted_cores("0::/\n", groups.root()), unlimited);
}

TEST(Cores, AContainerSeesItsGroupAsTheRoot) {
  const Groups groups;
  groups.write("cpu.max", "50000 100000\n");
  EXPECT_EQ(granted_cores("0::/\n", groups.root()), 1U);
  EXPECT_EQ(granted_cores("0::/../elsewhere\n", groups.root()), 1U);
}

TEST(Cores, TheFirstVersionOfControlGroups) {
  const Groups groups;
  groups.write("cpu,cpuacct/docker/cpu.cfs_quota_us", "400000\n");
  groups.write("cpu,cpuacct/docker/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(granted_cores("5:memory:/docker\n4:cpu,cpuacct:/docker\n", groups.root()), 4U);
  groups.write("cpu,cpuacct/docker/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(granted_cores("4:cpu,cpuacct:/docker\n", groups.root()), unlimited);
  groups.write("cpu/docker/cpu.cfs_quota_us", "200000\n");
  groups.write("cpu/docker/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(granted_cores("4:cpu:/docker\n", groups.root()), 2U);
}

TEST(Cores, NoMoreThanTheProcessMayRunOn) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  EXPECT_LE(usable_cores(), static_cast<std::size_t>(CPU_COUNT(&before)));
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(usable_cores(), 1U);
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
}

}  // namespace
}  // namespace nomu
