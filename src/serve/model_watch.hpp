#pragma once
// The model of the results so far, fitted on a thread of its own while somebody is viewing it.

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "nomu/bo/study.hpp"
#include "report/study/study_quality.hpp"
#include "serve/study_view.hpp"

namespace nomu {

/// A model and how good it is.
struct WatchedModel {
  std::int64_t number = 0;   ///< 1, 2, ...
  std::int64_t results = 0;  ///< that it was fitted to, or chosen from
  Point centre = {};         ///< the best point
  Study::Fitted fitted = {};
  UnseenResults unseen = {};
};

class ModelWatch {
 public:
  /// `view` must outlive it.
  ModelWatch(Study study, const StudyView& view);
  ModelWatch(const ModelWatch&) = delete;
  ModelWatch& operator=(const ModelWatch&) = delete;
  ModelWatch(ModelWatch&&) = delete;
  ModelWatch& operator=(ModelWatch&&) = delete;
  ~ModelWatch();

  /// The latest model; null: there is none yet. For the next half minute models follow the results.
  [[nodiscard]] std::shared_ptr<const WatchedModel> latest();
  /// The same, but waits up to this many seconds for a first model.
  [[nodiscard]] std::shared_ptr<const WatchedModel> latest(double seconds);
  /// Why there is no model; empty: there is one, or there will be.
  [[nodiscard]] std::string trouble() const;
  [[nodiscard]] std::int64_t number() const;

 private:
  using Clock = std::chrono::steady_clock;
  void run(const std::stop_token& stop);
  [[nodiscard]] bool due() const;
  void fit(const std::stop_token& stop);

  Study study_;
  const StudyView& view_;
  std::shared_ptr<Engine> engine_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::shared_ptr<const WatchedModel> latest_;
  std::string trouble_;
  Clock::time_point looked_ = {};
  Clock::time_point rest_until_ = {};
  std::int64_t tried_ = -1;  // `results` of the view at the last attempt; -1: none, or it failed
  std::jthread thread_;      // last: it uses everything above
};

}  // namespace nomu
