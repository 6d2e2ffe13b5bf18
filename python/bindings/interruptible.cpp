#include "interruptible.hpp"

#include <nanobind/stl/string.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <string>
#include <thread>

namespace nomu::python {
namespace {

namespace nb = nanobind;
constexpr std::chrono::milliseconds pause(50);

/// A progress report that outlives the call it came from.
struct Event {
  std::string stage;
  ProgressEvent event;
};

/// What the two threads share.
struct Shared {
  std::mutex mutex;
  std::condition_variable ended;
  bool done = false;
  std::optional<Event> latest;
  std::exception_ptr failure;
  std::stop_source stop;
};

void work_on(const std::function<void(const Progress&)>& work, Shared& shared) {
  const auto report = [&](const ProgressEvent& event) {
    const std::lock_guard lock(shared.mutex);
    shared.latest = Event{std::string(event.stage), event};
  };
  try {
    work({.report = report, .stop = shared.stop.get_token()});
  } catch (...) {
    shared.failure = std::current_exception();
  }
  const std::lock_guard lock(shared.mutex);
  shared.done = true;
  shared.ended.notify_all();
}

/// Waits briefly without the GIL; returns whether the work has ended, and what it reported since the last call.
bool wait(Shared& shared, std::optional<Event>& news) {
  const nb::gil_scoped_release release;
  std::unique_lock lock(shared.mutex);
  const bool done = shared.ended.wait_for(lock, pause, [&] { return shared.done; });
  news.swap(shared.latest);
  shared.latest.reset();
  return done;
}

void tell_python(const std::optional<Event>& news, const nb::object& report) {
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
  if (!news || report.is_none()) return;
  const ProgressEvent& event = news->event;
  report(news->stage, event.done, event.total, event.seconds, event.loss);
}

}  // namespace

void run_interruptible(const std::function<void(const Progress&)>& work, const nb::object& report) {
  Shared shared;
  std::thread worker(work_on, std::cref(work), std::ref(shared));
  try {
    std::optional<Event> news;
    while (!wait(shared, news)) tell_python(news, report);
    worker.join();
  } catch (...) {
    shared.stop.request_stop();
    {
      const nb::gil_scoped_release release;
      worker.join();
    }
    throw;
  }
  if (shared.failure) std::rethrow_exception(shared.failure);
}

}  // namespace nomu::python
