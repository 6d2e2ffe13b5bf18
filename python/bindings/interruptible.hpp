#pragma once
/// Long work of the library on a thread of its own, so that Python goes on: other threads run, Ctrl-C is heard within a
/// tenth of a second and ends the work at its next step, and progress is reported from the calling thread.

#include <nanobind/nanobind.h>

#include <functional>
#include <optional>

#include "nomu/core/progress.hpp"

namespace nomu::python {

/// Runs `work` to its end. `report`, unless None, is called with (stage, done, total, seconds, loss) now and then; what
/// it raises, and what a signal raises, stops the work and is raised on. The caller holds the GIL.
void run_interruptible(const std::function<void(const Progress&)>& work, const nanobind::object& report);

/// The same for work that has a result.
template <class Work>
[[nodiscard]] auto result_of(const Work& work, const nanobind::object& report) {
  std::optional<decltype(work(Progress{}))> result;
  run_interruptible([&](const Progress& progress) { result.emplace(work(progress)); }, report);
  return std::move(*result);
}

}  // namespace nomu::python
