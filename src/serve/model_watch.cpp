#include "serve/model_watch.hpp"

#include <algorithm>

#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr auto pause = std::chrono::milliseconds(200);
constexpr auto try_again = std::chrono::seconds(2);  // after an error, such as a database that is away
constexpr auto interest = std::chrono::seconds(30);  // how long models follow the results after a call of `latest`

}  // namespace

ModelWatch::ModelWatch(Study study, const StudyView& view)
    : study_(std::move(study)), view_(view), engine_(make_engine(study_engine_options())) {
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

ModelWatch::~ModelWatch() {
  thread_.request_stop();
  thread_.join();
}

std::shared_ptr<const WatchedModel> ModelWatch::latest() {
  const std::lock_guard lock(mutex_);
  looked_ = Clock::now();
  return latest_;
}

std::shared_ptr<const WatchedModel> ModelWatch::latest(double seconds) {
  std::unique_lock lock(mutex_);
  looked_ = Clock::now();
  changed_.wait_for(lock, std::chrono::duration<double>(seconds), [&] { return latest_ || !trouble_.empty(); });
  return latest_;
}

std::string ModelWatch::trouble() const {
  const std::lock_guard lock(mutex_);
  return trouble_;
}

std::int64_t ModelWatch::number() const {
  const std::lock_guard lock(mutex_);
  return latest_ ? latest_->number : 0;
}

bool ModelWatch::due() const {
  const std::int64_t results = view_.read([](const StudyView::State& state) { return state.results; });
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  return looked_ != Clock::time_point{} && now - looked_ < interest && now >= rest_until_ && results != tried_;
}

void ModelWatch::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    if (!due()) {
      std::this_thread::sleep_for(pause);
      continue;
    }
    const Clock::time_point begin = Clock::now();
    Clock::duration rest = {};
    try {
      fit(stop);
    } catch (const Cancelled&) {
      return;
    } catch (const std::exception& error) {  // nothing may end the process, memory that is refused included
      const std::lock_guard lock(mutex_);
      trouble_ = error.what();
      tried_ = -1;
      rest = try_again;
    }
    changed_.notify_all();
    // A page must not take much from the machine that evaluates: a quarter of one processor.
    const std::lock_guard lock(mutex_);
    rest_until_ = Clock::now() + std::max<Clock::duration>(rest, 3 * (Clock::now() - begin));
  }
}

void ModelWatch::fit(const std::stop_token& stop) {
  auto next = std::make_shared<WatchedModel>();
  std::vector<Trial> trials;
  std::int64_t results = 0;
  view_.read([&](const StudyView::State& state) {
    next->results = state.finished;
    results = state.results;
    trials = state.trials;
  });
  {
    const std::lock_guard lock(mutex_);
    tried_ = results;
    next->number = (latest_ ? latest_->number : 0) + 1;
  }
  const Progress progress{.report = {}, .stop = stop};
  const std::optional<Study::Fitted> fitted = study_.fit(progress);
  const std::optional<Trial> best = study_.best();
  if (fitted && best) {
    next->fitted = *fitted;
    next->centre = best->point;
    next->unseen = predict_unseen(study_.space(), study_.spec(), trials, fitted->c, *engine_, progress);
  }
  const std::lock_guard lock(mutex_);
  trouble_.clear();
  if (fitted && best) {
    latest_ = std::move(next);
  } else if (!latest_) {
    trouble_ = proposer_of(study_.spec()) == Proposer::random ? "this study searches at random, without a model"
                                                              : "there are too few results for a model, or it diverged";
  }
}

}  // namespace nomu
