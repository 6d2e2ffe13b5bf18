#pragma once
/// One experiment on several machines: who computes which cohort, and the rows of all of them. They are kept where
/// studies can be kept, and a cohort is a trial there, so that leases, the log and lost connections follow the rules of
/// studies.

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "bo/store/study_store.hpp"
#include "paper/kinds/kind.hpp"
#include "paper/results/store.hpp"

namespace nomu {

struct SharedPlace {
  std::filesystem::path place;  ///< a file or an address, as for a study
  bool trust_file_system = false;
  double lease = 60.0;      ///< seconds after which a cohort of a process that is not heard of is anybody's
  double patience = 600.0;  ///< seconds for which a server that is away is waited for
  bool must_exist = false;  ///< whether not to make the place if there is none
};

/// Whether a study with this space is such a place.
[[nodiscard]] bool holds_rows(const Space& space);

class SharedRows {
 public:
  /// Opens the place, or makes it if there is none and `must_exist` is not set. Throws DataError if something else is
  /// there, and ConnectionLost if its server is away.
  SharedRows(SharedPlace place, std::stop_token stop);
  SharedRows(const SharedRows&) = delete;
  SharedRows& operator=(const SharedRows&) = delete;
  SharedRows(SharedRows&&) = delete;
  SharedRows& operator=(SharedRows&&) = delete;
  /// Gives a cohort that is not finished back.
  ~SharedRows();

  /// Adds the rows that were stored since the last call. This and the following throw Cancelled on request, and
  /// ConnectionLost when patience has ended.
  void read_new(ResultStore& store);

  struct Turn {
    std::optional<std::size_t> piece = {};  ///< of those offered; it is ours, until it is finished
    bool others_busy = false;               ///< whether other processes work on some of them
  };
  /// The first of these pieces that nobody works on and nobody has finished.
  [[nodiscard]] Turn claim(const std::vector<const Piece*>& pieces);
  /// Stores the rows of the piece that is ours. If another process took it over and was faster, its rows stay.
  void finish(const std::vector<ResultRow>& rows);

 private:
  [[nodiscard]] StudyStore open() const;
  void patiently(const std::function<void()>& action);
  void keep_alive(const std::stop_token& stop);
  void give_back() noexcept;

  SharedPlace place_;
  std::stop_token stop_;
  std::string name_;  // of this process
  std::mutex mutex_;  // of the store, which two threads use, and of what follows
  StudyStore store_;
  std::optional<std::int64_t> mine_;  // number of the cohort that is being computed
  std::int64_t event_ = 0;            // up to which rows have been read
  std::string mark_;                  // of that event
  std::jthread heart_;                // last: it uses everything above
};

}  // namespace nomu
