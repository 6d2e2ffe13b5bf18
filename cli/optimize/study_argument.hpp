#pragma once
// The argument that names a study, the same for every command.

#include <CLI/CLI.hpp>

#include "nomu/bo/study.hpp"

namespace nomu::cli {

struct StudyArgument {
  std::string place;  ///< a file or an address
  bool trust_file_system = false;

  [[nodiscard]] FileSystems file_systems() const {
    return trust_file_system ? FileSystems::trusted : FileSystems::checked;
  }
  [[nodiscard]] Study open(StudyAccess access, std::shared_ptr<Engine> engine = {}) const {
    return Study::open(place, access, std::move(engine), file_systems());
  }
};

/// Adds STUDY and --trust-file-system.
void add_study(CLI::App& command, StudyArgument& study);

}  // namespace nomu::cli
