#pragma once
// What every engine checks before it starts: that given parameters fit the networks, and that there is enough memory.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "engine/layout.hpp"
#include "engine/session.hpp"
#include "nomu/engine/engine.hpp"

namespace nomu::engine {

/// Memory that this process can still allocate: free physical memory or what its control group allows, whichever is
/// less.
[[nodiscard]] std::size_t available_memory();

/// Throws a DeviceError that names both figures if `bytes` exceed the available memory.
void require_memory(std::size_t bytes, std::size_t members, std::string_view engine);

/// The same if `room` bytes are known to be free.
void require_room(std::size_t bytes, std::size_t room, std::size_t members, std::string_view engine);

/// "1.5 GB"
[[nodiscard]] std::string bytes_text(std::size_t bytes);

/// Threads to use: all processors that this process may use, or fewer if the options say so. Throws ConfigError.
[[nodiscard]] std::size_t thread_count(const EngineOptions& options, std::string_view engine);

/// The processor's model name.
[[nodiscard]] std::string processor_name();

void check_start(const TrainPlan& plan, const Layout& layout);
void check_state(const TrainState& state, std::size_t members, std::size_t parameters);

/// For engines without convolutions: throws a ConfigError that says which engine has them.
void refuse_convolutions(const Networks& networks, std::string_view engine);

/// Layout of `networks`, after checking that parameters [M][1][P] and rows x [1 or M][q][d], or of as many members as
/// divide M if `shared_rows`, fit it.
[[nodiscard]] Layout checked_layout(const Networks& networks, const Tensor<float>& parameters, const Tensor<float>& x,
                                    bool shared_rows = false);

/// Checks the rows only.
void check_rows(const Networks& networks, std::size_t members, const Tensor<float>& x);

/// A member's initial parameters: given in the plan, or drawn from its seed.
[[nodiscard]] std::vector<float> start_parameters(const TrainPlan& plan, const Layout& layout, std::size_t member);

}  // namespace nomu::engine
