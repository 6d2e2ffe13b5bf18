#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <exception>
#include <stdexcept>

#include "arrays.hpp"
#include "bindings.hpp"
#include "file_bytes.hpp"
#include "interruptible.hpp"
#include "nomu/bo/study.hpp"
#include "nomu/bo/trial_io.hpp"
#include "nomu/bo/worker.hpp"
#include "points.hpp"
#include "settings.hpp"

namespace nomu::python {
namespace {

using namespace nb::literals;

OptimizeSpec spec_of(const Settings& settings) {
  OptimizeSpec spec;
  apply_settings(fields_of(spec), as_settings(settings));
  return spec;
}

/// Calls the study without the GIL: it may have to wait for a server, or for a thread that needs the GIL.
template <class Call>
auto without_gil(const Call& call) {
  const nb::gil_scoped_release release;
  return call();
}

FileSystems trust_of(bool trust) { return trust ? FileSystems::trusted : FileSystems::checked; }

EarlierResults earlier_of(const Study* earlier, const Space& space, const OptimizeSpec& spec) {
  return earlier == nullptr ? EarlierResults() : earlier_results(*earlier, space, spec.direction);
}

std::shared_ptr<Engine> engine_of(std::int64_t threads) { return make_engine({.threads = threads}); }

nb::dict trial_of(const Space& space, const Trial& trial) {
  nb::dict all;
  all["number"] = trial.id;
  all["params"] = params_of(space, trial.point);
  all["state"] = state_name(trial.state);
  all["value"] = trial.value;
  all["cost"] = trial.cost;
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
  const StudyStatus status = without_gil([&] { return study.status(); });
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

/// Mean and sigma of the study's model at points, in the units of the results; None if there are too few results.
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
  const double half = (fitted->high - fitted->low) / 2.0;  // negative when minimising
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

/// A Python function that is evaluated by a thread without the GIL. It takes the variables as keywords if `named`,
/// otherwise a list of their values.
class PythonEvaluation {
 public:
  PythonEvaluation(const nb::callable& function, const Space& space, bool named = true)
      : function_(function), space_(space), named_(named) {}

  double operator()(const Point& point) {
    const nb::gil_scoped_acquire gil;
    try {
      const nb::dict params = params_of(space_, point);
      return nb::cast<double>(nb::float_(named_ ? function_(**params) : function_(params.values())));
    } catch (nb::python_error& error) {
      if (error.matches(PyExc_Exception)) {
        throw std::runtime_error(
            nb::cast<std::string>(nb::str("{}: {}").format(error.type().attr("__name__"), nb::str(error.value()))));
      }
      // KeyboardInterrupt and SystemExit are not failures of the trial.
      if (!interrupt_) interrupt_ = std::current_exception();
      throw Cancelled("python", "interrupted");
    }
  }

  [[nodiscard]] std::exception_ptr interrupt() const { return interrupt_; }

 private:
  const nb::callable& function_;
  const Space& space_;
  bool named_;
  std::exception_ptr interrupt_;
};

/// Calls `on_result`, unless None, with each recorded trial; results that cannot be written yet become warnings.
WorkerCallbacks callbacks_of(const Study& study, const nb::object& on_result) {
  WorkerCallbacks callbacks;
  callbacks.not_recorded = [](const EvaluatedTrial& evaluated, const std::string& error) {
    const nb::gil_scoped_acquire gil;
    const std::string text =
        "trial " + std::to_string(evaluated.trial.id) + ": " + evaluated.text() + ", not recorded yet: " + error;
    if (PyErr_WarnEx(PyExc_RuntimeWarning, text.c_str(), 1) != 0) throw nb::python_error();
  };
  if (on_result.is_none()) return callbacks;
  callbacks.recorded = [&study, call = &on_result](const EvaluatedTrial& evaluated) {
    const Trial trial = study.trial(evaluated.trial.id);
    const nb::gil_scoped_acquire gil;
    (*call)(trial_of(study.space(), trial));
  };
  return callbacks;
}

nb::dict report_of(const WorkerReport& report) {
  nb::dict all;
  all["finished"] = report.finished;
  all["failed"] = report.failed;
  all["settled"] = report.settled;
  return all;
}

WorkerSpec worker_of(const Settings& settings) {
  WorkerSpec spec;
  apply_settings(fields_of(spec), as_settings(settings));
  return spec;
}

nb::dict run_command(Study& study, const std::string& command, const Settings& settings, const nb::object& on_result,
                     const nb::object& progress) {
  const WorkerSpec spec = worker_of(settings);
  const WorkerCallbacks callbacks = callbacks_of(study, on_result);
  return report_of(result_of(
      [&](const Progress& reports) { return run_worker(study, command, spec, callbacks, reports); }, progress));
}

nb::dict run_function(Study& study, const nb::callable& function, const Settings& settings, const nb::object& on_result,
                      const nb::object& progress) {
  const WorkerSpec spec = worker_of(settings);
  const WorkerCallbacks callbacks = callbacks_of(study, on_result);
  PythonEvaluation evaluation(function, study.space());
  try {
    return report_of(result_of(
        [&](const Progress& reports) {
          return run_worker(
              study, [&](const Trial& trial) { return evaluation(trial.point); }, spec, callbacks, reports);
        },
        progress));
  } catch (const Cancelled&) {
    if (evaluation.interrupt()) std::rethrow_exception(evaluation.interrupt());
    throw;
  }
}

/// The search of `optimize` in the calling thread, where Ctrl-C interrupts the function. `ask` returns the numbers of
/// the next trials in a list.
nb::dict optimize_function(Study& study, const nb::callable& function, const nb::callable& ask, bool named,
                           std::int64_t failures) {
  PythonEvaluation evaluation(function, study.space(), named);
  std::exception_ptr raised;
  const auto next = [&] {
    std::vector<Trial> trials;
    const nb::gil_scoped_acquire gil;
    try {
      for (const std::int64_t number : nb::cast<std::vector<std::int64_t>>(ask()))
        trials.push_back(without_gil([&] { return study.trial(number); }));
    } catch (const nb::python_error&) {
      raised = std::current_exception();  // it passes through the library as a stop
      throw Cancelled("python", "interrupted");
    }
    return trials;
  };
  try {
    const Optimum found = without_gil([&] {
      return optimize(
          study, [&](const Point& point) { return evaluation(point); }, failures, next);
    });
    nb::dict all;
    all["params"] = params_of(study.space(), found.point);
    all["value"] = found.value;
    all["trials"] = trials_of(study, found.trials);
    return all;
  } catch (const Cancelled&) {
    if (evaluation.interrupt()) std::rethrow_exception(evaluation.interrupt());
    if (raised) std::rethrow_exception(raised);
    throw;
  }
}

void bind_worker(nb::class_<Study>& study) {
  study
      .def("optimize", &optimize_function, "function"_a, "ask"_a, "named"_a, "failures"_a,
           nb::sig("def optimize(self, function: object, ask: object, named: bool, failures: int) -> dict"),
           "Evaluates a function in the calling thread until no trial is left: the best point and all trials.")
      .def("run_command", &run_command, "command"_a, "settings"_a, "on_result"_a = nb::none(),
           "progress"_a = nb::none(),
           nb::sig("def run_command(self, command: str, settings: list[tuple[str, str]], on_result: object = None,"
                   " progress: object = None) -> dict[str, int | bool]"),
           "Evaluates trials with a shell command until none is left.")
      .def("run_function", &run_function, "function"_a, "settings"_a, "on_result"_a = nb::none(),
           "progress"_a = nb::none(),
           nb::sig("def run_function(self, function: object, settings: list[tuple[str, str]],"
                   " on_result: object = None, progress: object = None) -> dict[str, int | bool]"),
           "Evaluates trials with a function, called from other threads, until none is left.");
}

void bind_answers(nb::class_<Study>& study) {
  study
      .def("ask", &ask, "count"_a = 1, "worker"_a = "", "progress"_a = nb::none(),
           nb::sig("def ask(self, count: int = 1, worker: str = '', progress: object = None) -> list[dict]"),
           "Up to `count` trials; fewer if no more are left.")
      .def(
          "tell",
          [](Study& self, std::int64_t number, double value, bool replace, std::optional<double> cost) {
            self.tell({{.id = number, .value = value, .cost = cost}}, replace ? Repeated::replace : Repeated::refuse);
          },
          "number"_a, "value"_a, "replace"_a = false, "cost"_a = nb::none(), nb::call_guard<nb::gil_scoped_release>(),
          "Records the result of a trial; it is on disk on return.")
      .def("fail", &Study::fail, "number"_a, "reason"_a, "replace"_a = false, nb::call_guard<nb::gil_scoped_release>(),
           "Records that the trial failed.")
      .def(
          "add",
          [](Study& self, const nb::dict& params, double value, std::optional<double> cost) {
            const TrialResult result{.point = point_of(self.space(), params), .value = value, .cost = cost};
            return trial_of(self.space(), without_gil([&] { return self.trial(self.tell({result}).front()); }));
          },
          "params"_a, "value"_a, "cost"_a = nb::none(), "Records a result that was obtained elsewhere.")
      .def(
          "enqueue",
          [](Study& self, const nb::dict& params) {
            const Point point = point_of(self.space(), params);
            return trial_of(self.space(), without_gil([&] { return self.trial(self.enqueue({point}).front()); }));
          },
          "params"_a, "Adds a point that the next to ask gets.")
      .def("set_budget", &Study::set_budget, "trials"_a, nb::call_guard<nb::gil_scoped_release>(),
           "Changes the total number of trials.");
}

std::size_t import_table(Study& study, const std::filesystem::path& path, const std::string& value,
                         const std::string& cost) {
  const Table table = parse_table(file_bytes(path, {.text = true}), path.string());
  return without_gil([&] { return study.tell(results_from_table(study.space(), table, value, cost)).size(); });
}

void export_table(const Study& study, const std::filesystem::path& path) {
  without_gil([&] { write_table(path, trials_table(study.space(), study.trials())); });
}

nb::object outlook(const Study& study) {
  const std::optional<Outlook> found = without_gil([&] { return study.outlook(); });
  if (!found) return nb::none();
  nb::dict all;
  all["best"] = trial_of(study.space(), found->best);
  all["mean"] = found->mean;
  all["sigma"] = found->sigma;
  all["gain"] = found->gain;
  all["worth_it"] = found->worth_it;
  return all;
}

nb::dict importances(const Study& study) {
  nb::dict all;
  for (const Importance& one : without_gil([&] { return study.importances(); }))
    all[one.variable.c_str()] = nb::make_tuple(one.share, one.deviation);
  return all;
}

nb::list ask_by(Study& study, const nb::callable& acquisition, std::size_t count, const std::string& worker) {
  const CustomAcquisition call = [&](double mean, double sigma, double best) {
    const nb::gil_scoped_acquire gil;
    return nb::cast<double>(nb::float_(acquisition(mean, sigma, best)));
  };
  return trials_of(study, without_gil([&] { return study.ask_by(call, count, worker); }));
}

void bind_insight(nb::class_<Study>& study) {
  study
      .def("import_table", &import_table, "path"_a, "value"_a = "value", "cost"_a = "",
           "Adds the results in a CSV file.")
      .def("export_table", &export_table, "path"_a, "Writes all trials to a CSV file.")
      .def("outlook", &outlook, nb::sig("def outlook(self) -> dict | None"),
           "What the results say about the best point.")
      .def("importances", &importances, nb::sig("def importances(self) -> dict[str, tuple[float, float]]"),
           "Share of every variable and its standard deviation.")
      .def(
          "advice", [](const Study& self) { return without_gil([&] { return self.advice(); }); },
          "What the results suggest to do otherwise, a sentence each.")
      .def("ask_by", &ask_by, "acquisition"_a, "count"_a = 1, "worker"_a = "",
           nb::sig("def ask_by(self, acquisition: object, count: int = 1, worker: str = '') -> list[dict]"),
           "Trials by an acquisition of one's own.");
}

}  // namespace

void bind_study(nb::module_& m) {
  nb::class_<Study> study(m, "Study", "The trials of one search, in a file or in memory.");
  study
      .def_static(
          "in_memory",
          [](const Space& space, const Settings& settings, std::int64_t threads, const Study* earlier) {
            const OptimizeSpec spec = spec_of(settings);
            return without_gil(
                [&] { return Study(space, spec, engine_of(threads), earlier_of(earlier, space, spec)); });
          },
          "space"_a, "settings"_a, "threads"_a = 1, "earlier"_a = nb::none())
      .def_static(
          "create",
          [](const std::filesystem::path& path, const Space& space, const Settings& settings, std::int64_t threads,
             bool trust_file_system, const Study* earlier) {
            const OptimizeSpec spec = spec_of(settings);
            return without_gil([&] {
              return Study::create(path, space, spec, engine_of(threads), trust_of(trust_file_system),
                                   earlier_of(earlier, space, spec));
            });
          },
          "path"_a, "space"_a, "settings"_a, "threads"_a = 1, "trust_file_system"_a = false, "earlier"_a = nb::none())
      .def_static(
          "open",
          [](const std::filesystem::path& path, bool read_only, std::int64_t threads, bool trust_file_system) {
            return without_gil([&] {
              return Study::open(path, read_only ? StudyAccess::read : StudyAccess::write, engine_of(threads),
                                 trust_of(trust_file_system));
            });
          },
          "path"_a, "read_only"_a = false, "threads"_a = 1, "trust_file_system"_a = false)
      .def_prop_ro("name", [](const Study& self) { return self.name(); })
      .def_prop_ro("space", &Study::space, nb::rv_policy::copy)
      .def_prop_ro("settings", &settings_of)
      .def_prop_ro("budget", [](const Study& self) { return without_gil([&] { return self.budget(); }); })
      .def_prop_ro("finished", [](const Study& self) { return without_gil([&] { return self.finished(); }); })
      .def("why_finished", &Study::why_finished, nb::call_guard<nb::gil_scoped_release>(), "Why no trial is left.")
      .def_prop_ro("status", &status_of)
      .def_prop_ro(
          "best",
          [](const Study& self) -> nb::object {
            const std::optional<Trial> best = without_gil([&] { return self.best(); });
            return best ? nb::object(trial_of(self.space(), *best)) : nb::object(nb::none());
          },
          nb::sig("def best(self) -> dict | None"))
      .def_prop_ro(
          "best_result",
          [](const Study& self) -> nb::object {
            const std::optional<Trial> best = without_gil([&] { return self.status().best_result; });
            return best ? nb::object(trial_of(self.space(), *best)) : nb::object(nb::none());
          },
          nb::sig("def best_result(self) -> dict | None"))
      .def(
          "trials",
          [](const Study& self, std::int64_t limit) {
            return trials_of(self, without_gil([&] { return self.trials(limit); }));
          },
          "limit"_a = 0, nb::sig("def trials(self, limit: int = 0) -> list[dict]"))
      .def("verify", &verified, "quick"_a = false, "progress"_a = nb::none())
      .def("surrogate", &surrogate, "points"_a, "progress"_a = nb::none(),
           nb::sig("def surrogate(self, points: list[dict], progress: object = None)"
                   " -> tuple[numpy.ndarray, numpy.ndarray] | None"));
  bind_answers(study);
  bind_results(study);
  bind_insight(study);
  bind_worker(study);
}

}  // namespace nomu::python
