#include "paper/run/runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <future>
#include <limits>
#include <map>
#include <thread>
#include <utility>

#include "nomu/core/error.hpp"
#include "nomu/data/table_io.hpp"
#include "paper/run/run_data.hpp"

namespace nomu {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto wait_for_others = std::chrono::milliseconds(500);

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
  return {
      .report =
          [&report, runs, begin, &progress](const ProgressEvent& event) {
            const double share =
                event.total > 0 ? static_cast<double>(event.done) / static_cast<double>(event.total) : 0.0;
            const auto now = static_cast<std::int64_t>(share * static_cast<double>(runs));
            progress.report({.stage = event.stage,
                             .done = static_cast<std::int64_t>(report.finished + report.added + report.by_others) + now,
                             .total = static_cast<std::int64_t>(report.runs),
                             .seconds = seconds_since(begin),
                             .loss = event.loss});
          },
      .stop = progress.stop};
}

class ExperimentRunner {
 public:
  ExperimentRunner(const ExperimentSpec& spec, ResultStore& store, Engine& engine, const RunnerOptions& options,
                   const Progress& progress)
      : spec_(spec),
        kind_(find_kind(spec)),
        store_(store),
        engine_(engine),
        options_(options),
        progress_(progress),
        source_(spec, kind_) {
    const EngineInfo info = engine.info();
    on_engine_ = provenance_of(info, options.revision);
    on_host_ =
        is_accelerator(info) ? provenance_of(make_engine({.device = "cpu"})->info(), options.revision) : on_engine_;
    if (options.shared != nullptr) options.shared->read_new(store);
    pieces_ = missing_pieces(expand_experiment(spec, info.precision, is_accelerator(info)), store, report_);
    const std::filesystem::path folder = options.records.empty() ? store.folder() : options.records;
    for (Piece& piece : pieces_) {
      if (!folder.empty()) piece.record = record_of(piece, folder, options.revision);
    }
  }

  RunnerReport run() {
    if (options_.shared == nullptr) {
      run_alone();
    } else {
      run_shared(*options_.shared);
    }
    report_.seconds = seconds_since(begin_);
    return report_;
  }

 private:
  void run_alone() {
    // The rows of the next cohort are drawn while this one trains.
    const auto draw = [&](std::size_t index) {
      return std::async(std::launch::async, [this, index] {
        return index < pieces_.size() ? source_.draw(pieces_[index].runs) : RunDataSource::Drawn{};
      });
    };
    auto next = draw(0);
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      if (too_late(pieces_[i])) break;
      check_stop();
      const RunDataSource::Drawn data = next.get();
      next = draw(i + 1);
      store_.add(rows_of_piece(pieces_[i], data));
      report_.added += pieces_[i].runs.size();
    }
  }

  void run_shared(SharedRows& shared) {
    while (true) {
      check_stop();
      drop_finished(shared);
      std::vector<const Piece*> offered;
      for (const Piece& piece : pieces_) {
        if (!too_late(piece)) offered.push_back(&piece);
      }
      const SharedRows::Turn turn = shared.claim(offered);
      if (!turn.piece && !turn.others_busy) break;
      if (!turn.piece) {
        wait();
        continue;
      }
      const Piece& piece = *offered[*turn.piece];
      const std::vector<ResultRow> rows = rows_of_piece(piece, source_.draw(piece.runs));
      shared.finish(rows);
      store_.add(rows);
      report_.added += piece.runs.size();
      pieces_.erase(pieces_.begin() + (&piece - pieces_.data()));
    }
    drop_finished(shared);  // what others finished between the last look and the last claim
  }

  /// Reads what others have stored, and forgets the pieces that are finished.
  void drop_finished(SharedRows& shared) {
    shared.read_new(store_);
    std::erase_if(pieces_, [&](const Piece& piece) {
      const bool finished =
          std::ranges::all_of(piece.runs, [&](const ExperimentRun& run) { return store_.find(run.key) != nullptr; });
      if (finished) report_.by_others += piece.runs.size();
      return finished;
    });
  }

  /// Others work on everything that is left.
  void wait() const {
    if (progress_.report) {
      progress_.report({.stage = "waiting for other processes",
                        .done = static_cast<std::int64_t>(report_.finished + report_.added + report_.by_others),
                        .total = static_cast<std::int64_t>(report_.runs),
                        .seconds = seconds_since(begin_)});
    }
    std::this_thread::sleep_for(wait_for_others);
  }

  void check_stop() const {
    if (progress_.stop.stop_requested())
      throw Cancelled("paper/runner", "stopped on request; finished cohorts are stored");
  }

  [[nodiscard]] bool too_late(const Piece& piece) const {
    return options_.limit_seconds > 0.0 && seconds_since(begin_) + pace_.expected(piece) > options_.limit_seconds;
  }

  std::vector<ResultRow> rows_of_piece(const Piece& piece, const RunDataSource::Drawn& data) {
    const auto start = Clock::now();
    const std::vector<Measured> measured =
        kind_.measure(spec_, piece, RunDataSource::pointers(data), engine_,
                      experiment_progress(progress_, report_, piece.runs.size(), begin_));
    const double seconds = seconds_since(start);
    pace_.add(piece, seconds);
    report_.failed += static_cast<std::size_t>(
        std::ranges::count_if(measured, [](const Measured& one) { return one.status != RunStatus::ok; }));
    return rows_of(spec_, kind_, piece, measured, piece.on_host ? on_host_ : on_engine_, seconds);
  }

  const Clock::time_point begin_ = Clock::now();
  const ExperimentSpec& spec_;
  const ExperimentKind& kind_;
  ResultStore& store_;
  Engine& engine_;
  const RunnerOptions& options_;
  const Progress& progress_;
  RunDataSource source_;
  Provenance on_engine_, on_host_;
  RunnerReport report_;
  std::vector<Piece> pieces_;
  Pace pace_;
};

}  // namespace

RunnerReport run_experiment(const ExperimentSpec& spec, ResultStore& store, Engine& engine,
                            const RunnerOptions& options, const Progress& progress) {
  return ExperimentRunner(spec, store, engine, options, progress).run();
}

}  // namespace nomu
