// Files that are not what they should be, and inputs that have no end.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "message_of.hpp"
#include "nomu/core/error.hpp"
#include "nomu/core/file.hpp"

namespace nomu {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ReadFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "nomu_read_XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }
  [[nodiscard]] const fs::path& folder() const { return folder_; }

 private:
  fs::path folder_;
};

TEST_F(ReadFile, FilesThatBeginOtherwiseAreNotReadToTheirEnd) {
  EXPECT_LT(read_file("/dev/zero", "model").size(), std::size_t{1} << 20U);
  const fs::path path = folder() / "in";
  for (const std::string& content :
       {std::string("model") + std::string(200000, 'x'), std::string("mod"), std::string()}) {
    write_file_atomically(path, content);
    EXPECT_EQ(read_file(path, "model"), content);
  }
}

TEST_F(ReadFile, WhatShouldBeTextIsReadUpToAZeroByte) {
  EXPECT_LT(read_file("/dev/zero", ExpectedFile{.text = true}).size(), std::size_t{1} << 20U);
  const fs::path path = folder() / "in";
  const std::string text(200000, 'x');
  write_file_atomically(path, text);
  EXPECT_EQ(read_file(path, ExpectedFile{.text = true}), text);
}

TEST_F(ReadFile, FilesLargerThanExpectedAreRefused) {
  const fs::path path = folder() / "in";
  write_file_atomically(path, std::string(100000, 'x'));
  EXPECT_EQ(read_file(path, ExpectedFile{.most = 100000}).size(), 100000U);
  EXPECT_EQ(message_of<DataError>([&] { (void)read_file(path, ExpectedFile{.most = 99999}); }),
            "[core/file] cannot read '" + path.string() +
                "': it has more than 99999 bytes, as many as a file of this kind may have");
  EXPECT_THAT(message_of<DataError>([] { (void)read_file("/dev/zero", ExpectedFile{.most = 100000}); }),
              HasSubstr("cannot read '/dev/zero': it has more than 100000 bytes"));
}

TEST_F(ReadFile, PipesThatGoOnAreRefused) {
  std::size_t calls = 0;
  const auto endless = [&](std::span<char> into) {
    ++calls;
    return into.size();
  };
  EXPECT_THAT(
      message_of<DataError>([&] { (void)read_pipe("pipe", {}, endless); }),
      HasSubstr("cannot read 'pipe': it goes on after 1073741824 bytes, all that is read of a pipe or a device; "
                "save it as a file first"));
  EXPECT_LT(calls, 20000U);
}

TEST_F(ReadFile, FilesLargerThanTheMemoryAreRefused) {
  const fs::path path = folder() / "in";
  write_file_atomically(path, "model");
  fs::resize_file(path, std::uintmax_t{1} << 42U);  // mostly holes
  EXPECT_THAT(message_of<DataError>([&] { (void)read_file(path, "model"); }),
              HasSubstr("it has 4398046511104 bytes, more than there is memory"));
  EXPECT_LT(read_file(path, "another").size(), std::size_t{1} << 20U);
  EXPECT_LT(read_file(path, ExpectedFile{.text = true}).size(), std::size_t{1} << 20U);
}

}  // namespace
}  // namespace nomu
