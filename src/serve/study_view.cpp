#include "serve/study_view.hpp"

#include <chrono>

#include "nomu/core/error.hpp"

namespace nomu {

namespace {

/// Somebody may damage a study while it is served. Trials are in the order of their numbers, `known` of them were seen.
void check_numbers(const std::vector<Trial>& trials, std::size_t known) {
  for (const Trial& trial : trials) {
    const auto next = static_cast<std::int64_t>(known) + 1;
    if (trial.id < 1 || trial.id > next) {
      throw DataError("serve", "the study is damaged: its trials are not numbered from 1 on; restore a copy of it");
    }
    if (trial.id == next) ++known;
  }
}

}  // namespace

StudyView::StudyView(Study study) : study_(std::move(study)) {
  state_.budget = study_.budget();
  refresh();
}

void StudyView::refresh() {
  const std::lock_guard one_at_a_time(refreshing_);
  Study::Changes changes = study_.changes(event(), mark_);
  if (changes.event == event() && !changes.anew) return;
  const std::int64_t budget = study_.budget();
  check_numbers(changes.trials, changes.anew ? 0 : state_.trials.size());
  {
    const std::unique_lock lock(mutex_);
    if (changes.anew) {
      state_.trials.clear();
      state_.finished = 0;
      ++state_.readings;
    }
    state_.budget = budget;
    state_.event = changes.event;
    update(std::move(changes.trials));
  }
  mark_ = std::move(changes.mark);
  {
    const std::lock_guard lock(news_mutex_);
    event_ = changes.event;
  }
  news_.notify_all();
}

/// With the lock of the state.
void StudyView::update(std::vector<Trial> trials) {
  for (Trial& trial : trials) {
    const auto place = static_cast<std::size_t>(trial.id) - 1;
    if (place >= state_.trials.size()) state_.trials.resize(place + 1);
    Trial& known = state_.trials[place];
    if (trial.value != known.value) ++state_.results;
    state_.finished +=
        static_cast<std::int64_t>(trial.value.has_value()) - static_cast<std::int64_t>(known.value.has_value());
    known = std::move(trial);
  }
}

void StudyView::follow() {
  try {
    refresh();
    set_trouble({});
  } catch (const std::exception& error) {  // on a thread of the server, nothing may end the process
    set_trouble(error.what());
  }
}

void StudyView::set_trouble(std::string trouble) {
  const std::lock_guard lock(news_mutex_);
  if (trouble_ == trouble) return;
  trouble_ = std::move(trouble);
  news_.notify_all();
}

std::string StudyView::trouble() const {
  const std::lock_guard lock(news_mutex_);
  return trouble_;
}

std::int64_t StudyView::event() const {
  const std::lock_guard lock(news_mutex_);
  return event_;
}

void StudyView::wait(std::int64_t event, const std::string& trouble, double seconds) const {
  std::unique_lock lock(news_mutex_);
  news_.wait_for(lock, std::chrono::duration<double>(seconds), [&] { return event_ != event || trouble_ != trouble; });
}

}  // namespace nomu
