#pragma once
// Reserves the name of a file while the file is being made. A process that is killed meanwhile leaves nothing that
// would keep others from using the name.

#include <filesystem>

namespace nomu {

/// Creates the file if there is none and locks it; the lock ends with the object or with the process. If several
/// processes try, one succeeds. Its end also ends SQLite's locks on the same file, so close the database before it.
class ClaimedFile {
 public:
  /// Throws DataError if the file cannot be created.
  explicit ClaimedFile(const std::filesystem::path& path);
  ClaimedFile(const ClaimedFile&) = delete;
  ClaimedFile& operator=(const ClaimedFile&) = delete;
  ClaimedFile(ClaimedFile&&) = delete;
  ClaimedFile& operator=(ClaimedFile&&) = delete;
  ~ClaimedFile();

  /// Whether nobody else is making the file. It may have been there before.
  [[nodiscard]] bool locked() const { return locked_; }
  /// Whether it was not there before.
  [[nodiscard]] bool created() const { return created_; }

 private:
  bool created_ = false;
  int file_ = -1;
  bool locked_ = false;
};

}  // namespace nomu
