#pragma once
/// All methods behind one interface: a spec of any kind goes in, a fitted cohort comes out. Optimisation and the
/// paper's experiments see methods through this header, `request`, `preset` and `warm_start`.

#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "nomu/core/fields.hpp"
#include "nomu/core/progress.hpp"
#include "nomu/data/cohort.hpp"
#include "nomu/engine/engine.hpp"
#include "nomu/models/ann.hpp"
#include "nomu/models/deep_ensemble.hpp"
#include "nomu/models/directed.hpp"
#include "nomu/models/fitted.hpp"
#include "nomu/models/gaussian_process.hpp"
#include "nomu/models/hyper_deep_ensemble.hpp"
#include "nomu/models/laplace.hpp"
#include "nomu/models/mc_dropout.hpp"
#include "nomu/models/neural_linear.hpp"
#include "nomu/models/nomu.hpp"
#include "nomu/models/tube.hpp"

namespace nomu {

/// Adding a method takes one header, one source and one alternative here.
using MethodSpec = std::variant<NomuSpec, DirectedSpec, GpSpec, McDropoutSpec, DeepEnsembleSpec, HyperDeepEnsembleSpec,
                                TubeSpec, AnnSpec, LaplaceSpec, NeuralLinearSpec>;

/// "nomu": its name in files and on the command line.
[[nodiscard]] std::string method_name(const MethodSpec& spec);

/// "NOMU": its name in plots and tables.
[[nodiscard]] std::string method_title(const MethodSpec& spec);

/// The names of all methods.
[[nodiscard]] std::vector<std::string> method_names();

/// The default spec of a method by name; throws ConfigError that suggests the nearest name.
[[nodiscard]] MethodSpec method_named(std::string_view name);

/// Whether the method is fitted on the host, in double precision, whatever the engine: Gaussian processes.
[[nodiscard]] bool fits_on_host(const MethodSpec& spec);

/// Whether sigma is a raw output of a network that pins it to zero at the data, through a readout: NOMU.
[[nodiscard]] bool has_readout(const MethodSpec& spec);

/// The settings of the method that `spec` holds, bound for reading and writing by name.
[[nodiscard]] Fields fields_of(MethodSpec& spec);

/// The spec with all automatic choices made for n rows and d columns, by the method's `resolved` if it has one. A model
/// stores the result, so later versions may choose differently.
[[nodiscard]] MethodSpec resolved_for(const MethodSpec& spec, std::size_t rows, std::size_t cols);

/// Fits all members in lockstep; what the spec leaves open is chosen for the member with the most rows. Data must be
/// scaled to about [-1,1], or to mean 0 and standard deviation 1. The engine must outlive the result. Throws
/// ConfigError for impossible settings, DataError if known noise or given points are missing, DeviceError if memory
/// runs out, Cancelled on request.
[[nodiscard]] std::unique_ptr<FittedCohort> fit(const MethodSpec& spec, const Cohort& cohort, Engine& engine,
                                                const Progress& progress = {});

/// The fitted cohort that `state` was taken from. Throws DataError if the state does not belong to this spec.
[[nodiscard]] std::unique_ptr<FittedCohort> restore(const MethodSpec& spec, const FittedState& state,
                                                    std::vector<FitReport> reports, Engine& engine);

}  // namespace nomu
