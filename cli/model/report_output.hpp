#pragma once
// Writing the report on a model, for `nomu report` and `nomu fit --report`.

#include <filesystem>
#include <initializer_list>
#include <string>
#include <vector>

#include "nomu/core/progress.hpp"
#include "nomu/report/model_report.hpp"

namespace nomu::cli {

/// Where a report goes; what is empty is not written.
struct ReportOutput {
  std::string page;   ///< HTML file
  std::string plots;  ///< folder for the pictures as single SVG files

  [[nodiscard]] bool empty() const { return page.empty() && plots.empty(); }

  /// Throws DataError where something cannot be written or would overwrite what is read, before any work is done.
  void prepare(std::initializer_list<std::filesystem::path> read) const;

  /// Makes and writes the report; returns the files.
  [[nodiscard]] std::vector<std::filesystem::path> write(const Model& model, ModelReportSpec spec,
                                                         const Progress& progress) const;
};

}  // namespace nomu::cli
