#pragma once
// All trials of a study in memory, kept up to date by what its log says has changed, for lists and pictures.

#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

#include "nomu/bo/study.hpp"

namespace nomu {

class StudyView {
 public:
  explicit StudyView(Study study);

  /// Reads what has changed. Throws what the study throws.
  void refresh();
  /// The same for a thread that does this repeatedly: errors are kept for `trouble`.
  void follow();
  /// Why the study could not be read the last time; empty: it could.
  [[nodiscard]] std::string trouble() const;

  /// Number of the last event that was read.
  [[nodiscard]] std::int64_t event() const;
  /// Waits until the event or the trouble is another one, or the time is up.
  void wait(std::int64_t event, const std::string& trouble, double seconds) const;

  struct State {
    std::int64_t event = 0;
    std::int64_t budget = 0;
    std::int64_t finished = 0;
    std::int64_t results = 0;   ///< how often a result came, changed or went
    std::int64_t readings = 0;  ///< how often all was read again, because events had vanished
    std::vector<Trial> trials = {};
  };
  /// Calls `use` with the state, which does not change meanwhile.
  template <class Use>
  auto read(const Use& use) const {
    const std::shared_lock lock(mutex_);
    return use(state_);
  }

 private:
  void set_trouble(std::string trouble);
  void update(std::vector<Trial> trials);

  Study study_;
  std::mutex refreshing_;
  std::string mark_;                 // of the last event that was read; only for who refreshes
  mutable std::shared_mutex mutex_;  // of the state
  State state_;
  mutable std::mutex news_mutex_;
  mutable std::condition_variable news_;
  std::int64_t event_ = 0;
  std::string trouble_;
};

}  // namespace nomu
