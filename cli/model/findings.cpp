#include "model/findings.hpp"

#include "terminal.hpp"

namespace nomu::cli {
namespace {

const char* verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::holds: return "holds";
    case Verdict::fails: return "fails";
    case Verdict::reported: return "reported";
    case Verdict::skipped: break;
  }
  return "skipped";
}

nlohmann::json finding_json(const Finding& finding) {
  const auto number = [](const std::optional<double>& value) {
    return value ? nlohmann::json(*value) : nlohmann::json();
  };
  return {{"name", finding.name},
          {"verdict", verdict_name(finding.verdict)},
          {"measured", number(finding.measured)},
          {"threshold", number(finding.threshold)},
          {"sentence", finding.sentence}};
}

}  // namespace

nlohmann::json findings_json(const DesiderataReport& report) {
  nlohmann::json list = nlohmann::json::array();
  for (const Finding& finding : report.findings) list.push_back(finding_json(finding));
  return list;
}

void print_findings(const DesiderataReport& report) {
  for (const Finding& finding : report.findings) {
    print("{:<17} {:<9} {}\n", finding.name, verdict_name(finding.verdict), finding.sentence);
  }
}

}  // namespace nomu::cli
