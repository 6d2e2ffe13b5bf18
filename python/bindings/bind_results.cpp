// Many results at once, and who works on which trial.

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "bindings.hpp"
#include "nomu/bo/study.hpp"
#include "nomu/core/error.hpp"
#include "points.hpp"

namespace nomu::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

/// Number of the trial, or 0 and the parameters of a point; value, or nothing and the reason of a failure; cost.
using Told =
    std::tuple<std::int64_t, std::optional<nb::dict>, std::optional<double>, std::string, std::optional<double>>;

Repeated repeated_of(const std::string& name) {
  if (name == "refuse") return Repeated::refuse;
  if (name == "accept_equal") return Repeated::accept_equal;
  if (name == "replace") return Repeated::replace;
  throw ConfigError("bo/study", "repeated must be refuse, accept_equal or replace, got '" + name + "'");
}

std::vector<std::int64_t> tell_many(Study& study, const std::vector<Told>& told, const std::string& repeated) {
  std::vector<TrialResult> results;
  results.reserve(told.size());
  for (const auto& [number, params, value, reason, cost] : told) {
    results.push_back({.id = number,
                       .point = params ? point_of(study.space(), *params) : Point(),
                       .value = value,
                       .reason = reason,
                       .label = "result " + std::to_string(results.size() + 1),
                       .cost = cost});
  }
  const Repeated how = repeated_of(repeated);
  const nb::gil_scoped_release release;
  return study.tell(std::move(results), how);
}

nb::list workers_of(const Study& study) {
  double now = 0.0;
  std::vector<Trial> pending;
  {
    const nb::gil_scoped_release release;
    now = study.now();
    pending = study.pending();
  }
  nb::list all;
  for (const Trial& trial : pending) {
    if (is_waiting(trial)) continue;
    nb::dict one;
    one["worker"] = trial.worker;
    one["trial"] = trial.id;
    one["seconds"] = now - trial.asked;
    one["lease_left"] = trial.lease_until - now;
    all.append(one);
  }
  return all;
}

}  // namespace

void bind_results(nb::class_<Study>& study) {
  study
      .def("tell_many", &tell_many, "results"_a, "repeated"_a,
           nb::sig("def tell_many(self, results: list[tuple[int, dict | None, float | None, str, float | None]],"
                   " repeated: str) -> list[int]"),
           "Records many results in one transaction: all of them, or none.")
      .def(
          "renew",
          [](Study& self, std::int64_t number, const std::string& worker) { return self.renew(number, worker); },
          "number"_a, "worker"_a = "", nb::call_guard<nb::gil_scoped_release>(),
          "Extends the lease of a trial; returns whether somebody, this worker unless empty, still has it.")
      .def(
          "release",
          [](Study& self, const std::string& worker) {
            return self.release([&](const std::string& name) { return name == worker; });
          },
          "worker"_a, nb::call_guard<nb::gil_scoped_release>(),
          "Gives the trials of a worker back; returns their number.")
      .def("workers", &workers_of, nb::sig("def workers(self) -> list[dict]"), "Who evaluates which trial.");
}

}  // namespace nomu::python
