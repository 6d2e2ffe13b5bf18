#include "bo/database/file_system.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include <fstream>
#include <sstream>
#include <utility>

#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr std::uint32_t fuse = 0x65735546;

constexpr std::pair<std::uint32_t, const char*> shared_systems[] = {
    {0x6969, "NFS"},        {0xFF534D42, "CIFS"}, {0xFE534D42, "SMB"},   {0x517B, "SMB"},
    {0x0BD00BD0, "Lustre"}, {0x47504653, "GPFS"}, {0x00C36400, "Ceph"},  {0x5346414F, "AFS"},
    {0x19830326, "BeeGFS"}, {0x01161970, "GFS2"}, {0x7461636F, "OCFS2"}, {0xAAD7AAEA, "PanFS"},
    {0x73757245, "Coda"},   {0x01021997, "9p"},   {0x6B414653, "kAFS"},  {0x20030528, "OrangeFS"},
    {0x786F4256, "vboxsf"},
};

/// How the table of mounts calls the file system of a device.
std::string mounted_type(dev_t device) {
  std::ifstream mounts("/proc/self/mountinfo");
  const std::string number = fmt::format("{}:{}", major(device), minor(device));
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream words(line);
    std::string id;
    std::string parent;
    std::string found;
    words >> id >> parent >> found;
    const std::size_t dash = line.find(" - ");
    if (found != number || dash == std::string::npos) continue;
    return line.substr(dash + 3, line.find(' ', dash + 3) - dash - 3);
  }
  return {};
}

}  // namespace

std::string shared_file_system(std::uint32_t magic, const std::string& type) {
  for (const auto& [number, name] : shared_systems) {
    if (magic == number) return name;
  }
  // These two are a disk and the files of a container, on this machine alone.
  const bool local = type == "fuseblk" || type == "fuse.fuse-overlayfs";
  return magic == fuse && !local ? (type.empty() ? "FUSE" : fmt::format("FUSE ({})", type)) : std::string();
}

std::string shared_file_system_message(const std::string& file, const std::string& system) {
  return fmt::format(
      "'{}' is on {}, a file system that several machines share, where SQLite can lose or damage a study; keep it in "
      "PostgreSQL "
      "(postgresql://host/db?study=NAME) or on a local disk, or give --trust-file-system (trust_file_system in Python, "
      "FileSystems::trusted in C++) if only one machine uses it",
      file, system);
}

void refuse_shared_file_system(const std::filesystem::path& file) {
  std::error_code ignored;
  const bool there = std::filesystem::exists(file, ignored);
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  const std::filesystem::path& looked_at = there ? file : folder;
  struct statfs system {};
  struct stat status {};
  if (::statfs(looked_at.c_str(), &system) != 0 || ::stat(looked_at.c_str(), &status) != 0) return;
  const std::string name = shared_file_system(static_cast<std::uint32_t>(system.f_type), mounted_type(status.st_dev));
  if (!name.empty()) throw DataError("bo/study", shared_file_system_message(file.string(), name));
}

}  // namespace nomu
