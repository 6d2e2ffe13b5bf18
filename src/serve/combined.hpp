#pragma once
// Combines requests: those that arrive while others are being handled are handled together, as the next batch.

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace nomu {

/// The result of a request, or its error.
template <class Result>
struct Outcome {
  std::optional<Result> result = {};
  std::exception_ptr error = {};

  [[nodiscard]] Result get() && {
    if (error) std::rethrow_exception(error);
    return std::move(*result);
  }
};

/// A thread that finds no other one handling requests takes all waiting ones, its own included; the others wait for it.
template <class Request, class Result>
class Combined {
 public:
  /// One outcome for each request, in their order. It must not throw.
  using Work = std::function<std::vector<Outcome<Result>>(std::vector<Request>)>;
  explicit Combined(Work work) : work_(std::move(work)) {}

  [[nodiscard]] Result submit(Request request) {
    Slot slot{.request = std::move(request)};
    std::unique_lock lock(mutex_);
    waiting_.push_back(&slot);
    while (!slot.done) {
      if (at_work_) {
        changed_.wait(lock);
        continue;
      }
      at_work_ = true;
      const std::vector<Slot*> batch = std::exchange(waiting_, {});
      lock.unlock();
      work_on(batch);
      lock.lock();
      for (Slot* other : batch) other->done = true;
      at_work_ = false;
      changed_.notify_all();
    }
    lock.unlock();
    return std::move(slot.outcome).get();
  }

 private:
  struct Slot {
    Request request;
    Outcome<Result> outcome = {};
    bool done = false;
  };

  void work_on(const std::vector<Slot*>& batch) {
    std::vector<Request> requests;
    requests.reserve(batch.size());
    for (Slot* slot : batch) requests.push_back(std::move(slot->request));
    std::vector<Outcome<Result>> outcomes = work_(std::move(requests));
    for (std::size_t i = 0; i < batch.size(); ++i) batch[i]->outcome = std::move(outcomes[i]);
  }

  Work work_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Slot*> waiting_;
  bool at_work_ = false;
};

}  // namespace nomu
