#include "paper/experiment_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <system_error>
#include <vector>

#include "nomu/core/error.hpp"
#include "nomu/core/fields.hpp"
#include "paper/experiment/experiment.hpp"

namespace nomu::cli {

namespace fs = std::filesystem;

fs::path experiment_folder() {
  std::error_code error;
  const fs::path tool = fs::read_symlink("/proc/self/exe", error);
  fs::path installed = tool.parent_path().parent_path() / "share" / "nomu" / "paper";
  if (fs::is_directory(installed, error)) return installed;
  for (fs::path folder = tool.parent_path(); folder.has_relative_path(); folder = folder.parent_path()) {
    fs::path candidate = folder / "experiments" / "paper";
    if (fs::is_directory(candidate, error)) return candidate;
  }
  throw DataError("reproduce", fmt::format("no experiments in '{}' or in experiments/paper above the tool; give a "
                                           ".toml file, or their folder with --experiments",
                                           installed.string()));
}

fs::path experiment_file(const fs::path& folder, const std::string& name) {
  if (name.ends_with(".toml")) return name;
  std::vector<std::string> known;
  for (const fs::path& file : list_experiments(folder)) {
    if (file.stem() == name) return file;
    known.push_back(file.stem().string());
  }
  const std::string near = nearest(name, known);
  throw ConfigError("reproduce", fmt::format("there is no experiment '{}'; {}", name,
                                             near.empty() ? fmt::format("there are {}", fmt::join(known, ", "))
                                                          : fmt::format("did you mean '{}'?", near)));
}

}  // namespace nomu::cli
