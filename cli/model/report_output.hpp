#pragma once
// Writes the report on a model, for `nomu report`, `nomu fit --report` and `nomu attach --report`.

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "nomu/core/progress.hpp"
#include "nomu/report/model_report.hpp"

namespace nomu::cli {

/// Where to write a report; nothing is written for an empty path.
struct ReportOutput {
  std::string page;   ///< HTML file
  std::string plots;  ///< folder for the plots as separate SVG files

  [[nodiscard]] bool empty() const { return page.empty() && plots.empty(); }

  /// Throws DataError, before any work is done, if a file cannot be written or would overwrite one that is read.
  void prepare(const std::vector<std::filesystem::path>& read) const;

  /// Creates and writes the report; returns the files. A signal stops the creation, with Cancelled.
  [[nodiscard]] std::vector<std::filesystem::path> write(
      const Model& model, ModelReportSpec spec, const std::function<void(const ProgressEvent&)>& progress = {}) const;
};

}  // namespace nomu::cli
