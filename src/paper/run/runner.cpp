#include "paper/run/runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <future>
#include <limits>
#include <map>
#include <utility>

#include "nomu/core/error.hpp"
#include "nomu/data/table_io.hpp"
#include "paper/run/run_data.hpp"

namespace nomu {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

/// The runs that are not in the store yet; `report.finished` counts the others.
std::vector<Piece> missing_pieces(std::vector<Piece> pieces, const ResultStore& store, RunnerReport& report) {
  for (Piece& piece : pieces) {
    report.runs += piece.runs.size();
    report.finished += static_cast<std::size_t>(
        std::erase_if(piece.runs, [&](const ExperimentRun& run) { return store.find(run.key) != nullptr; }));
  }
  std::erase_if(pieces, [](const Piece& piece) { return piece.runs.empty(); });
  return pieces;
}

/// Predictions are single precision, so digits beyond the ninth are meaningless and compress badly.
double round_to_nine_digits(double value) {
  if (!std::isfinite(value)) return std::numeric_limits<double>::quiet_NaN();
  return read_cell(fmt::format("{:.9g}", value)).number;
}

/// Only the same runs of the same revision continue a record.
std::filesystem::path record_of(const Piece& piece, const std::filesystem::path& folder, const std::string& revision) {
  std::string runs = revision;
  for (const ExperimentRun& run : piece.runs)
    runs += fmt::format(" {} {} {} {}", run.key.spec, run.key.data, run.key.seed, run.key.precision);
  return folder / "unfinished" / (digest(runs) + ".json");
}

std::vector<ResultRow> rows_of(const ExperimentSpec& spec, const ExperimentKind& kind, const Piece& piece,
                               const std::vector<Measured>& measured, const Provenance& provenance, double seconds) {
  std::vector<ResultRow> rows;
  for (std::size_t i = 0; i < piece.runs.size(); ++i) {
    ResultRow row{.key = piece.runs[i].key,
                  .experiment = spec.name,
                  .method = piece.method.name,
                  .problem = piece.runs[i].problem,
                  .status = measured[i].status,
                  .values = {},
                  .provenance = provenance,
                  .seconds = seconds / static_cast<double>(piece.runs.size())};
    for (std::size_t v = 0; v < kind.values.size(); ++v) {
      row.values.emplace_back(kind.values[v], round_to_nine_digits(measured[i].values[v]));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

Provenance provenance_of(const EngineInfo& info, const std::string& revision) {
  return {.revision = revision, .engine = info.name, .provider = info.provider, .isa = info.isa};
}

/// Time per run of each method so far.
class Pace {
 public:
  void add(const Piece& piece, double seconds) {
    seconds_per_run_[piece.method.name] = seconds / static_cast<double>(piece.runs.size());
  }
  /// 0 for a method that has not run yet.
  [[nodiscard]] double expected(const Piece& piece) const {
    const auto known = seconds_per_run_.find(piece.method.name);
    return known == seconds_per_run_.end() ? 0.0 : known->second * static_cast<double>(piece.runs.size());
  }

 private:
  std::map<std::string, double> seconds_per_run_;
};

/// Converts the progress of one fit into finished runs of the whole experiment.
Progress experiment_progress(const Progress& progress, const RunnerReport& report, std::size_t runs,
                             Clock::time_point begin) {
  if (!progress.report) return progress;
  return {.report =
              [&report, runs, begin, &progress](const ProgressEvent& event) {
                const double share =
                    event.total > 0 ? static_cast<double>(event.done) / static_cast<double>(event.total) : 0.0;
                const auto now = static_cast<std::int64_t>(share * static_cast<double>(runs));
                progress.report({.stage = event.stage,
                                 .done = static_cast<std::int64_t>(report.finished + report.added) + now,
                                 .total = static_cast<std::int64_t>(report.runs),
                                 .seconds = seconds_since(begin),
                                 .loss = event.loss});
              },
          .stop = progress.stop};
}

}  // namespace

RunnerReport run_experiment(const ExperimentSpec& spec, ResultStore& store, Engine& engine,
                            const RunnerOptions& options, const Progress& progress) {
  const auto begin = Clock::now();
  const ExperimentKind& kind = find_kind(spec);
  const EngineInfo info = engine.info();
  const Provenance on_engine = provenance_of(info, options.revision);
  const Provenance on_host =
      info.name == "cuda" ? provenance_of(make_engine({.device = "cpu"})->info(), options.revision) : on_engine;
  RunnerReport report;
  std::vector<Piece> pieces =
      missing_pieces(expand_experiment(spec, info.precision, info.name == "cuda"), store, report);
  for (Piece& piece : pieces) piece.record = record_of(piece, store.folder(), options.revision);

  // The rows of the next cohort are drawn while this one trains.
  RunDataSource source(spec, kind);
  const auto draw = [&](std::size_t index) {
    return std::async(std::launch::async, [&source, &pieces, index] {
      return index < pieces.size() ? source.draw(pieces[index].runs) : RunDataSource::Drawn{};
    });
  };
  Pace pace;
  auto next = draw(0);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Piece& piece = pieces[i];
    if (options.limit_seconds > 0.0 && seconds_since(begin) + pace.expected(piece) > options.limit_seconds) break;
    if (progress.stop.stop_requested())
      throw Cancelled("paper/runner", "stopped on request; finished cohorts are stored");
    const RunDataSource::Drawn data = next.get();
    next = draw(i + 1);
    const auto start = Clock::now();
    const std::vector<const RunData*> rows = RunDataSource::pointers(data);
    const std::vector<Measured> measured =
        kind.measure(spec, piece, rows, engine, experiment_progress(progress, report, piece.runs.size(), begin));
    pace.add(piece, seconds_since(start));
    store.add(rows_of(spec, kind, piece, measured, piece.on_host ? on_host : on_engine, seconds_since(start)));
    report.added += piece.runs.size();
    report.failed += static_cast<std::size_t>(
        std::ranges::count_if(measured, [](const Measured& one) { return one.status != RunStatus::ok; }));
  }
  report.seconds = seconds_since(begin);
  return report;
}

}  // namespace nomu
