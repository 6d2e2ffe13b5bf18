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

/// Memory this process can still take: the least of free physical memory and the limit of its control group.
[[nodiscard]] std::size_t available_memory();

/// Throws DeviceError naming both figures where `bytes` are more than there are.
void require_memory(std::size_t bytes, std::size_t members, std::string_view engine);

/// The same where it is known that `room` bytes are free.
void require_room(std::size_t bytes, std::size_t room, std::size_t members, std::string_view engine);

/// "1.5 GB"
[[nodiscard]] std::string bytes_text(std::size_t bytes);

/// Threads the options ask for; 0: all cores this process may use. Throws ConfigError.
[[nodiscard]] std::size_t thread_count(const EngineOptions& options, std::string_view engine);

/// The processor's own name for itself.
[[nodiscard]] std::string processor_name();

void check_start(const TrainPlan& plan, const Layout& layout);
void check_state(const TrainState& state, std::size_t members, std::size_t parameters);

/// For engines without convolutions: throws ConfigError that says where they run.
void refuse_convolutions(const Networks& networks, std::string_view engine);

/// Layout of `networks`, after checking that parameters [M][1][P] and rows x [1 or M][q][d] fit it.
[[nodiscard]] Layout checked_layout(const Networks& networks, const Tensor<float>& parameters, const Tensor<float>& x);

/// Its second half alone.
void check_rows(const Networks& networks, std::size_t members, const Tensor<float>& x);

/// A member's first parameters: given in the plan, or drawn from its seed.
[[nodiscard]] std::vector<float> start_parameters(const TrainPlan& plan, const Layout& layout, std::size_t member);

}  // namespace nomu::engine
