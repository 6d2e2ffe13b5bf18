#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "interruptible.hpp"
#include "nomu/bo/study.hpp"
#include "points.hpp"
#include "settings.hpp"

namespace nomu::python {
namespace {

using namespace nb::literals;

OptimizeSpec spec_of(const Settings& settings) {
  OptimizeSpec spec;
  set_all(fields_of(spec), settings);
  return spec;
}

std::shared_ptr<Engine> engine_of(std::int64_t threads) { return make_engine({.threads = threads}); }

nb::dict trial_of(const Space& space, const Trial& trial) {
  nb::dict all;
  all["number"] = trial.id;
  all["params"] = params_of(space, trial.point);
  all["state"] = state_name(trial.state);
  all["value"] = trial.value;
  all["reason"] = trial.reason;
  all["origin"] = trial.origin;
  all["worker"] = trial.worker;
  all["asked"] = trial.asked;
  all["told"] = trial.told;
  return all;
}

nb::list trials_of(const Study& study, const std::vector<Trial>& trials) {
  nb::list all;
  for (const Trial& trial : trials) all.append(trial_of(study.space(), trial));
  return all;
}

nb::list ask(Study& study, std::size_t count, const std::string& worker, const nb::object& progress) {
  return trials_of(study,
                   result_of([&](const Progress& reports) { return study.ask(count, worker, reports); }, progress));
}

nb::dict status_of(const Study& study) {
  const StudyStatus status = study.status();
  nb::dict all;
  all["trials"] = status.trials;
  all["finished"] = status.finished;
  all["failed"] = status.failed;
  all["pending"] = status.pending;
  all["expired"] = status.expired;
  return all;
}

nb::dict verified(const Study& study, bool quick, const nb::object& progress) {
  const VerifyReport report =
      result_of([&](const Progress& reports) { return study.verify(quick, reports); }, progress);
  nb::dict all;
  all["clean"] = report.clean();
  all["events"] = report.events;
  all["trials"] = report.trials;
  all["suggestions"] = report.suggestions;
  all["exact"] = report.exact;
  all["near"] = report.near;
  all["as_good"] = report.as_good;
  all["problems"] = report.problems;
  return all;
}

/// Mean and sigma of the study's model at points, in the units of the results; None where there are too few results.
nb::object surrogate(const Study& study, const std::vector<nb::dict>& points, const nb::object& progress) {
  const auto fitted = result_of([&](const Progress& reports) { return study.fit(reports); }, progress);
  if (!fitted) return nb::none();
  const Space& space = study.space();
  Tensor<float> x(1, points.size(), space.inputs());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::vector<double> inputs = space.to_inputs(point_of(space, points[i]));
    for (std::size_t j = 0; j < inputs.size(); ++j) x(0, i, j) = static_cast<float>(inputs[j]);
  }
  std::vector<double> mean(points.size());
  std::vector<double> sigma(points.size());
  if (points.empty()) return nb::make_tuple(to_numpy(std::move(mean)), to_numpy(std::move(sigma)));
  const Prediction p = fitted->model->predict(x);
  const double half = (fitted->high - fitted->low) / 2.0;  // negative where the smallest is sought
  for (std::size_t i = 0; i < points.size(); ++i) {
    mean[i] = fitted->low + half * (p.mean(0, i, 0) + 1.0);
    sigma[i] = std::abs(half) * fitted->c * p.sigma_model(0, i, 0);
  }
  return nb::make_tuple(to_numpy(std::move(mean)), to_numpy(std::move(sigma)));
}

Settings settings_of(const Study& study) {
  OptimizeSpec spec = study.spec();
  return listed(fields_of(spec));
}

void bind_answers(nb::class_<Study>& study) {
  study
      .def("ask", &ask, "count"_a = 1, "worker"_a = "", "progress"_a = nb::none(),
           nb::sig("def ask(self, count: int = 1, worker: str = '', progress: object = None) -> list[dict]"),
           "Up to `count` trials; fewer when no more are left.")
      .def("tell", nb::overload_cast<std::int64_t, double, bool>(&Study::tell), "number"_a, "value"_a,
           "replace"_a = false, nb::call_guard<nb::gil_scoped_release>(), "The result of a trial; on disk on return.")
      .def("fail", &Study::fail, "number"_a, "reason"_a, "replace"_a = false, "The trial has no value.")
      .def(
          "add",
          [](Study& self, const nb::dict& params, double value) {
            return trial_of(self.space(), self.add(point_of(self.space(), params), value));
          },
          "params"_a, "value"_a, "A result from elsewhere.")
      .def("renew", &Study::renew, "number"_a, "Pushes the lease of a trial that is being worked on.")
      .def("set_budget", &Study::set_budget, "trials"_a, "Lets the study go on for longer, or end sooner.");
}

}  // namespace

void bind_study(nb::module_& m) {
  nb::class_<Study> study(m, "Study", "Questions and answers of one search, in a file or in memory.");
  study
      .def_static(
          "in_memory",
          [](const Space& space, const Settings& settings, std::int64_t threads) {
            return Study(space, spec_of(settings), engine_of(threads));
          },
          "space"_a, "settings"_a, "threads"_a = 1)
      .def_static(
          "create",
          [](const std::filesystem::path& path, const Space& space, const Settings& settings, std::int64_t threads) {
            return Study::create(path, space, spec_of(settings), engine_of(threads));
          },
          "path"_a, "space"_a, "settings"_a, "threads"_a = 1)
      .def_static(
          "open",
          [](const std::filesystem::path& path, bool read_only, std::int64_t threads) {
            return Study::open(path, read_only ? StudyAccess::read : StudyAccess::write, engine_of(threads));
          },
          "path"_a, "read_only"_a = false, "threads"_a = 1)
      .def_prop_ro("space", &Study::space, nb::rv_policy::copy)
      .def_prop_ro("settings", &settings_of)
      .def_prop_ro("budget", &Study::budget)
      .def_prop_ro("finished", &Study::finished)
      .def_prop_ro("status", &status_of)
      .def_prop_ro(
          "best",
          [](const Study& self) -> nb::object {
            const std::optional<Trial> best = self.best();
            return best ? nb::object(trial_of(self.space(), *best)) : nb::object(nb::none());
          },
          nb::sig("def best(self) -> dict | None"))
      .def(
          "trials", [](const Study& self, std::int64_t limit) { return trials_of(self, self.trials(limit)); },
          "limit"_a = 0, nb::sig("def trials(self, limit: int = 0) -> list[dict]"))
      .def("verify", &verified, "quick"_a = false, "progress"_a = nb::none())
      .def("surrogate", &surrogate, "points"_a, "progress"_a = nb::none(),
           nb::sig("def surrogate(self, points: list[dict], progress: object = None)"
                   " -> tuple[numpy.ndarray, numpy.ndarray] | None"));
  bind_answers(study);
}

}  // namespace nomu::python
