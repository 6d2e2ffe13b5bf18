#pragma once
// Other libraries on the benchmark cases, measured by the programs of benchmarks/peers.

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace nomu::cli {

/// A library in its fastest form for many members at a time.
struct Peer {
  std::string name;
  std::string program;  ///< in the folder of the peers
  std::string variant;
};

[[nodiscard]] std::span<const Peer> peers();

/// What a peer needs of one step of one network, or why that is not known.
struct PeerTime {
  double us_per_network_step = 0.0;
  std::string trouble;  ///< empty if it was measured
};

struct PeerPrograms {
  std::filesystem::path folder;
  std::string python;
};

/// Runs the peer on a case, given as TOML, with `threads` processors.
[[nodiscard]] PeerTime measure(const Peer& peer, const PeerPrograms& programs, const std::string& toml,
                               std::int64_t threads);

/// Throws ConfigError unless the folder holds the programs of all peers.
void check_programs(const PeerPrograms& programs);

}  // namespace nomu::cli
