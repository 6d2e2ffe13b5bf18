#include "engine/peers.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "nomu/core/error.hpp"
#include "nomu/core/file.hpp"

namespace nomu::cli {
namespace {

namespace fs = std::filesystem;

/// One word of a shell's command line.
std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

/// The case as a file, as long as it is needed.
class CaseFile {
 public:
  explicit CaseFile(const std::string& toml)
      : path_(fs::temp_directory_path() / fmt::format("nomu_case_{}.toml", getpid())) {
    write_file_atomically(path_, toml);
  }
  CaseFile(const CaseFile&) = delete;
  CaseFile& operator=(const CaseFile&) = delete;
  CaseFile(CaseFile&&) = delete;
  CaseFile& operator=(CaseFile&&) = delete;
  ~CaseFile() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

struct Finished {
  int status;
  std::string output;
};

Finished run(const std::string& command) {
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return {-1, "cannot start a shell"};
  std::string output;
  std::array<char, 4096> part{};
  while (const std::size_t count = std::fread(part.data(), 1, part.size(), pipe)) output.append(part.data(), count);
  return {pclose(pipe), std::move(output)};
}

std::string last_line(const std::string& text) {
  std::istringstream lines(text);
  std::string last;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) last = line;
  }
  return last.empty() ? "no output" : last;
}

}  // namespace

std::span<const Peer> peers() {
  static const std::array<Peer, 2> all{{{"JAX", "jax_peer.py", "vmap"}, {"PyTorch", "torch_peer.py", "stacked_fused"}}};
  return all;
}

void check_programs(const PeerPrograms& programs) {
  for (const Peer& peer : peers()) {
    if (fs::is_regular_file(programs.folder / peer.program)) continue;
    throw ConfigError("bench",
                      fmt::format("--peers: there is no {} in '{}'; give the folder benchmarks/peers of nomu's "
                                  "sources",
                                  peer.program, programs.folder.string()));
  }
}

PeerTime measure(const Peer& peer, const PeerPrograms& programs, const std::string& toml, std::int64_t threads) {
  const CaseFile file(toml);
  const Finished done =
      run(fmt::format("{} {} --case {} --threads {} --variant {} 2>&1", quoted(programs.python),
                      quoted((programs.folder / peer.program).string()), quoted(file.path()), threads, peer.variant));
  if (done.status != 0) return {.trouble = last_line(done.output)};
  std::istringstream lines(done.output);
  PeerTime time{.trouble = "did not print the time of a step"};
  for (std::string line; std::getline(lines, line);) {
    const nlohmann::json printed = nlohmann::json::parse(line, nullptr, false);
    if (!printed.is_object() || !printed.contains("us_per_network_step")) continue;
    time = {.us_per_network_step = printed["us_per_network_step"].get<double>(), .trouble = {}};
  }
  return time;
}

}  // namespace nomu::cli
