#pragma once
// Prediction on the GPU: all members side by side, many rows at a time.

#include <cstdint>
#include <map>
#include <memory>
#include <span>

#include "engine/backend.hpp"
#include "engine/cuda/kernels/kernels.hpp"
#include "engine/layout.hpp"
#include "engine/session.hpp"

namespace nomu::engine::cuda {

/// What the device offers.
struct Hardware {
  std::uint32_t processors = 1;
  std::size_t shared_bytes = 0;  ///< that a block may use in addition to what its kernel declares
};

/// Parameters that are on the device: member i's are values[i], each [parameters].
struct PredictRequest {
  const Networks& networks;
  const Layout& layout;
  Precision precision;
  Hardware hardware;
  const float* weights;                    ///< [buffers][M][parameters]
  std::span<const std::uint32_t> buffers;  ///< [M]
  std::uint32_t first_member;              ///< of these members among the per-member settings of the networks
  DropoutPass dropout;
  std::span<const std::uint64_t> seeds;  ///< [M]; may be empty without dropout
};

/// Tables and workspace of a prediction; later ones of the same networks and members may reuse it.
class PredictRoom;

/// Rooms by their number of rows. A search asks for few rows and for many in turn, and making a room takes longer than
/// a prediction.
using PredictRooms = std::map<std::uint32_t, std::shared_ptr<PredictRoom>>;

/// Writes outputs [M][q][K] of x [1 or M][q][d]; both tensors' members from `first_member` on belong to the request.
/// Rooms for as many rows are created where they are missing; they may be shared by requests that differ only in rows,
/// dropout and seeds.
void predict(const PredictRequest& request, const Tensor<float>& x, Tensor<float>& out, PredictRooms& rooms);

/// The same without keeping anything.
void predict(const PredictRequest& request, const Tensor<float>& x, Tensor<float>& out);

/// Parameters [M][1][P] that stay on the device; the caller has checked sizes.
[[nodiscard]] std::unique_ptr<Predictor> keep_on_device(const Networks& networks, const Tensor<float>& parameters,
                                                        Precision precision, const Hardware& hardware);

}  // namespace nomu::engine::cuda
