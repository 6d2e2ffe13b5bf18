// Model files with changes that keep their form, through every command of the tool: an answer or a message, never a
// crash, a hang or another exception.
//
// usage: changed_models [--changes N] [--seed S] [--only K [--keep FILE]] FOLDER...

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "many_changes.hpp"
#include "model_changes.hpp"
#include "model_commands.hpp"
#include "nomu/core/file.hpp"

namespace nomu {
namespace {

namespace fs = std::filesystem;

/// The files of some folders that are models; those of other fuzz targets are refused as they are.
std::vector<fs::path> models_in(const std::vector<std::string>& folders) {
  std::vector<fs::path> files;
  for (const std::string& folder : folders) {
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() == ".nomu" && run_commands(read_file(entry.path())) > 0)
        files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  return files;
}

struct Changed {
  std::string what;
  std::string bytes;
};

Changed changed(const fs::path& path, FuzzRandom random) {
  Changed result{.what = path.filename().string(), .bytes = read_file(path)};
  try {
    ModelFile file(result.bytes);
    for (std::size_t times = below(3, random) == 0 ? 2 : 1; times-- > 0;)
      result.what += "; " + change_model(file, random);
    result.bytes = file.bytes();
  } catch (const nlohmann::json::exception&) {
    result.what += " (not changed further)";  // the change before this one took away what a file consists of
  }
  return result;
}

}  // namespace
}  // namespace nomu

int main(int argc, char** argv) {
  const nomu::ChangeOptions options = nomu::change_options(argc, argv);
  const std::vector<std::filesystem::path> files = nomu::models_in(options.words);
  if (files.empty()) return 1;
  return nomu::run_changes(options, [&](std::size_t k, const nomu::Say& say) {
    const nomu::Changed file =
        nomu::changed(files[k % files.size()], nomu::FuzzRandom(options.seed * 0x9e3779b97f4a7c15ULL + k));
    say(file.what);
    if (!options.keep.empty()) nomu::write_file_atomically(options.keep, file.bytes);
    return nomu::run_commands(file.bytes);
  });
}
