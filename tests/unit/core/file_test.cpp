#include "nomu/core/file.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <utility>

#include "nomu/core/error.hpp"
#include "nomu/core/private_file.hpp"

namespace nomu {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class FileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "nomu_file_XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  static std::string message_of(const std::function<void()>& action) {
    try {
      action();
    } catch (const DataError& error) {
      return error.what();
    }
    return "no error";
  }
  /// Of an error that is not the fault of the path.
  static std::string failure_of(const std::function<void()>& action) {
    try {
      action();
    } catch (const DataError&) {
      return "the path is blamed";
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }
  [[nodiscard]] std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator{}));
  }
  [[nodiscard]] const fs::path& folder() const { return folder_; }

 private:
  fs::path folder_;
};

TEST_F(FileTest, BytesComeBackUnchanged) {
  std::string bytes("a\0b\r\n\xff", 6);
  for (int i = 0; i < 17; ++i) bytes += bytes;
  const fs::path path = folder() / "out.bin";
  write_file_atomically(path, bytes);
  EXPECT_EQ(read_file(path), bytes);
  write_file_atomically(path, "");
  EXPECT_EQ(read_file(path), "");
  EXPECT_EQ(entries(), 1U);
}

TEST_F(FileTest, ReadingNamesThePathAndTheReason) {
  const fs::path missing = folder() / "none.csv";
  EXPECT_EQ(message_of([&] { (void)read_file(missing); }),
            "[core/file] cannot read '" + missing.string() + "': No such file or directory");
  EXPECT_THAT(message_of([&] { (void)read_file(folder()); }), HasSubstr("Is a directory"));
}

TEST_F(FileTest, WritingNamesThePathAndTheReason) {
  const fs::path nowhere = folder() / "no" / "such" / "f.csv";
  EXPECT_EQ(message_of([&] { write_file_atomically(nowhere, "x"); }),
            "[core/file] cannot write '" + nowhere.string() + "': No such file or directory");
  EXPECT_THAT(message_of([&] { write_file_atomically(folder(), "x"); }), HasSubstr("Is a directory"));
  EXPECT_EQ(entries(), 0U);
}

TEST_F(FileTest, AFullDiskLeavesTheOldFileAndNoTrace) {
  const fs::path path = folder() / "kept.csv";
  write_file_atomically(path, "old");
  struct rlimit before {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit small = before;
  small.rlim_cur = 1000;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string message = failure_of([&] { write_file_atomically(path, std::string(5000, 'x')); });
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_THAT(message, HasSubstr("kept.csv': File too large"));
  EXPECT_EQ(read_file(path), "old");
  EXPECT_EQ(entries(), 1U);
}

TEST_F(FileTest, DevicesAreWrittenToAndStayDevices) {
  EXPECT_THAT(failure_of([] { write_file_atomically("/dev/full", "x"); }), HasSubstr("No space left on device"));
  write_file_atomically("/dev/null", "x");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(FileTest, LinksAreFollowedAndPermissionsKept) {
  const fs::path real = folder() / "real.csv";
  const fs::path link = folder() / "link.csv";
  write_file_atomically(real, "one");
  fs::permissions(real, fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink(real.filename(), link);
  write_file_atomically(link, "two");
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(read_file(real), "two");
  EXPECT_EQ(fs::status(real).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(FileTest, LinksToNothingLeadToTheNewFile) {
  const fs::path link = folder() / "link";
  fs::create_directory(folder() / "to");
  fs::create_symlink(fs::path("to") / "next", link);
  fs::create_symlink("file", folder() / "to" / "next");  // relative to its own folder
  require_writable(link);
  write_file_atomically(link, "new");
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(read_file(folder() / "to" / "file"), "new");
  const fs::path ring = folder() / "ring";
  fs::create_symlink("ring", ring);
  EXPECT_THAT(message_of([&] { write_file_atomically(ring, "x"); }), HasSubstr("cannot write"));
}

TEST_F(FileTest, PipesAreWrittenToThroughTheirLinks) {
  int ends[2] = {-1, -1};
  ASSERT_EQ(::pipe(ends), 0);
  const fs::path path = "/dev/fd/" + std::to_string(ends[1]);
  require_writable(path);
  write_file_atomically(path, "hello");
  std::string text(5, ' ');
  EXPECT_EQ(::read(ends[0], text.data(), text.size()), 5);
  EXPECT_EQ(text, "hello");
  for (const int end : ends) ::close(end);
}

TEST_F(FileTest, OpenFilesAreWrittenToWhereTheyAre) {
  const fs::path log = folder() / "log";
  write_file_atomically(log, "precious\n");
  const int file = ::open(log.c_str(), O_WRONLY | O_APPEND);
  ASSERT_GE(file, 0);
  const fs::path link = folder() / "link";
  const std::string number = std::to_string(file);
  fs::create_symlink("/dev/fd/" + number, link);
  for (const fs::path& path : {fs::path("/dev/fd/" + number), fs::path("/proc/self/fd/" + number), link}) {
    require_writable(path);
    write_file_atomically(path, "more\n");
  }
  EXPECT_EQ(::write(file, "end\n", 4), 4);
  ::close(file);
  EXPECT_EQ(read_file(log), "precious\nmore\nmore\nmore\nend\n");
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(entries(), 2U);
}

TEST_F(FileTest, FilesOpenForReadingAreNotWrittenTo) {
  const fs::path kept = folder() / "kept";
  write_file_atomically(kept, "old");
  const int file = ::open(kept.c_str(), O_RDONLY);
  ASSERT_GE(file, 0);
  const fs::path path = "/dev/fd/" + std::to_string(file);
  EXPECT_THAT(message_of([&] { require_writable(path); }), HasSubstr("Bad file descriptor"));
  EXPECT_THAT(message_of([&] { write_file_atomically(path, "new"); }), HasSubstr("Bad file descriptor"));
  ::close(file);
  EXPECT_EQ(read_file(kept), "old");
}

TEST_F(FileTest, NewFilesAreNoMoreOpenThanTheirSource) {
  const fs::path source = folder() / "source";
  write_file_atomically(source, "rows");
  const mode_t before = ::umask(022);
  for (const unsigned mode : {0600U, 0640U, 0644U, 0666U}) {
    const fs::path copy = folder() / "copy";
    ASSERT_EQ(::chmod(source.c_str(), mode), 0);
    write_file_like(copy, "rows", {source});
    struct stat status {};
    ASSERT_EQ(::stat(copy.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, mode & 0644U);
    fs::remove(copy);
  }
  ::umask(before);
}

unsigned mode_of(const fs::path& path) {
  struct stat status {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0);
  return status.st_mode & 0777U;
}

TEST_F(FileTest, ReplacedFilesAreNoMoreOpenThanTheirSource) {
  const fs::path source = folder() / "source";
  const fs::path copy = folder() / "copy";
  for (const fs::path& path : {source, copy}) write_file_atomically(path, "rows");
  ASSERT_EQ(::chmod(source.c_str(), 0640), 0);
  ASSERT_EQ(::chmod(copy.c_str(), 0664), 0);
  write_file_like(copy, "new", {source});
  EXPECT_EQ(mode_of(copy), 0640U);
  EXPECT_EQ(read_file(copy), "new");
}

TEST_F(FileTest, AnotherGroupGetsOnlyWhatAllOthersHave) {
  const fs::path source = folder() / "source";
  const fs::path copy = folder() / "copy";
  write_file_atomically(source, "rows");
  if (::geteuid() != 0 || ::chown(source.c_str(), 0, ::getegid() + 1) != 0)
    GTEST_SKIP() << "only root may give files to any group";
  const mode_t before = ::umask(002);
  const std::pair<unsigned, unsigned> modes[] = {{0640, 0600}, {0660, 0600}, {0644, 0644}, {0664, 0644}, {0604, 0600}};
  for (const auto& [given, expected] : modes) {
    ASSERT_EQ(::chmod(source.c_str(), given), 0);
    write_file_like(copy, "rows", {source});
    EXPECT_EQ(mode_of(copy), expected) << given;
    EXPECT_EQ(permissions_like(copy, {source}) & 0666U, expected) << given;
    fs::remove(copy);
  }
  // A file that is replaced keeps its group, and with it what the group may do.
  ASSERT_EQ(::chmod(source.c_str(), 0640), 0);
  write_file_atomically(source, "new");
  struct stat status {};
  ASSERT_EQ(::stat(source.c_str(), &status), 0);
  EXPECT_EQ(status.st_gid, ::getegid() + 1);
  EXPECT_EQ(status.st_mode & 0777U, 0640U);
  ::umask(before);
}

TEST_F(FileTest, AProtectedFileStays) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  const fs::path path = folder() / "protected.csv";
  write_file_atomically(path, "old");
  fs::permissions(path, fs::perms::owner_read);
  EXPECT_THAT(message_of([&] { write_file_atomically(path, "new"); }), HasSubstr("Permission denied"));
  EXPECT_EQ(read_file(path), "old");
}

TEST_F(FileTest, WhetherAPathCanBeWrittenIsKnownBefore) {
  require_writable(folder() / "new.nomu");
  write_file_atomically(folder() / "old.nomu", "old");
  require_writable(folder() / "old.nomu");
  require_writable("/dev/null");
  EXPECT_EQ(read_file(folder() / "old.nomu"), "old");
  EXPECT_EQ(entries(), 1U) << "nothing is left behind";
  EXPECT_THAT(message_of([&] { require_writable(folder()); }), HasSubstr("Is a directory"));
  EXPECT_THAT(message_of([&] { require_writable(folder() / "no" / "f"); }), HasSubstr("No such file or directory"));
  EXPECT_THAT(message_of([&] { require_writable(folder() / std::string(256, 'z')); }), HasSubstr("File name too long"));
}

TEST_F(FileTest, TwoNamesOfAFileThatIsYetToBeWritten) {
  fs::create_directory(folder() / "d");
  fs::create_directory_symlink("d", folder() / "link_to_d");
  fs::create_symlink("d/new", folder() / "link_to_new");
  fs::create_symlink("round", folder() / "round");
  const fs::path made = folder() / "d" / "new";
  EXPECT_TRUE(same_file(made, folder() / "link_to_new"));
  EXPECT_TRUE(same_file(made, folder() / "link_to_d" / "new"));
  EXPECT_TRUE(same_file(made, folder() / "link_to_d" / ".." / "d" / "new"));
  EXPECT_FALSE(same_file(made, folder() / "new"));
  EXPECT_FALSE(same_file(made, folder() / "round"));
  EXPECT_FALSE(same_file(made, ""));
  EXPECT_FALSE(same_file(made, "postgresql://host/db?study=new"));
}

}  // namespace
}  // namespace nomu
