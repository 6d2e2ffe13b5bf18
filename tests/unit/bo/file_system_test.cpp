#include "bo/database/file_system.hpp"

#include <gtest/gtest.h>
#include <linux/magic.h>

#include "message_of.hpp"
#include "unit/bo/small_study.hpp"

namespace nomu {
namespace {

using testing::HasSubstr;

TEST(FileSystem, ThoseThatMachinesShareAreKnown) {
  EXPECT_EQ(shared_file_system(NFS_SUPER_MAGIC, "nfs4"), "NFS");
  EXPECT_EQ(shared_file_system(SMB_SUPER_MAGIC, "smbfs"), "SMB");
  EXPECT_EQ(shared_file_system(0xFF534D42, "cifs"), "CIFS");
  EXPECT_EQ(shared_file_system(0x0BD00BD0, "lustre"), "Lustre");
  EXPECT_EQ(shared_file_system(0x47504653, "gpfs"), "GPFS");
  EXPECT_EQ(shared_file_system(V9FS_MAGIC, "9p"), "9p");
  EXPECT_EQ(shared_file_system(0x6B414653, "afs"), "kAFS");
  EXPECT_EQ(shared_file_system(0x20030528, "orangefs"), "OrangeFS");
  EXPECT_EQ(shared_file_system(0x786F4256, "vboxsf"), "vboxsf");
  EXPECT_EQ(shared_file_system(0x65735546, "fuse.sshfs"), "FUSE (fuse.sshfs)");
  EXPECT_EQ(shared_file_system(0x65735546, ""), "FUSE");
  for (const auto& [magic, type] : {std::pair<std::uint32_t, const char*>{EXT4_SUPER_MAGIC, "ext4"},
                                    {TMPFS_MAGIC, "tmpfs"},
                                    {BTRFS_SUPER_MAGIC, "btrfs"},
                                    {OVERLAYFS_SUPER_MAGIC, "overlay"},
                                    {0x65735546, "fuseblk"}}) {
    EXPECT_EQ(shared_file_system(magic, type), "") << type;
  }
}

TEST_F(StudyFiles, LocalFilesAreUsedAndTheRefusalNamesBothWaysOut) {
  EXPECT_EQ(message_of([&] { refuse_shared_file_system(file()); }), "no error");
  const std::string message = shared_file_system_message("/nfs/a.db", "NFS");
  EXPECT_THAT(message, HasSubstr("'/nfs/a.db' is on NFS"));
  EXPECT_THAT(message, HasSubstr("postgresql://"));
  EXPECT_THAT(message, HasSubstr("--trust-file-system"));
}

}  // namespace
}  // namespace nomu
