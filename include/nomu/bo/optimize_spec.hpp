#pragma once
/// The settings of an optimisation: the goal, which model learns the function, and how the next point is chosen.

#include <cstdint>
#include <string>

#include "nomu/bo/acquisition.hpp"
#include "nomu/bo/direct.hpp"
#include "nomu/bo/space.hpp"
#include "nomu/core/fields.hpp"
#include "nomu/engine/engine.hpp"
#include "nomu/models/method.hpp"

namespace nomu {

enum class Direction { minimize, maximize };

/// Everything that decides which points are proposed. docs/optimisation.md explains the defaults.
struct OptimizeSpec {
  Direction direction = Direction::minimize;
  std::string method = "auto";         ///< "auto", a method of models/method, or "random"
  std::string preset = "interactive";  ///< a preset of the method; for methods without "interactive" that is "auto"
  std::string settings = {};           ///< settings of the method: "train.epochs=500; ensemble=2"
  std::int64_t seed = 1;
  std::int64_t budget = 0;   ///< total number of trials; 0: no limit. The distances of `dynamic` shrink towards its end
  std::int64_t initial = 0;  ///< trials before the first model; 0: twice the number of variables, at least 8 and, for
                             ///< method auto, at most 10; 3 with results of an earlier study
  DesignKind design = DesignKind::sobol;             ///< how the initial trials are placed
  SobolNumbers generator = SobolNumbers::published;  ///< direction numbers of `DesignKind::sobol`
  AcquisitionKind acquisition = AcquisitionKind::upper_bound;
  double mean_width = 0.5;  ///< mean width of the bounds after the initial trials, for targets in [-1,1]; determines c
  DynamicC dynamic = {};
  bool noisy = false;           ///< repeated evaluations of a point may differ, so points may be proposed again
  double lease = 3600.0;        ///< seconds a worker has for a trial before it is handed out again
  std::int64_t fit_rows = 500;  ///< largest number of results a model is fitted to
  std::int64_t warm_epochs =
      0;                        ///< epochs of a model that continues an earlier one (one-stage NOMU); 0: never continue
  std::int64_t warm_every = 8;  ///< results between two models that are trained from scratch
  DirectSpec direct{.evaluations = 2000};
  std::int64_t local_starts = 8;  ///< number of DIRECT's best points that are refined by gradient steps
  std::int64_t rules = 6;  ///< version of the rules of method auto; a study keeps the version it was created with
};

[[nodiscard]] Fields fields_of(OptimizeSpec& spec);

/// Who proposes the points of a study: the process of method "auto", a method of models/method, or chance.
enum class Proposer { automatic, method, random };
[[nodiscard]] Proposer proposer_of(const OptimizeSpec& spec);

/// The engine for the models of a study: one thread, because what is optimised needs the other cores, and small
/// networks gain little from them.
[[nodiscard]] EngineOptions study_engine_options();

/// The spec of the model for a space with this many inputs: the preset, then the settings. Throws ConfigError.
[[nodiscard]] MethodSpec method_of(const OptimizeSpec& spec, std::size_t inputs);

}  // namespace nomu
