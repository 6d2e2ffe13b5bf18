// Stands in for gemm_onednn.cpp in a build without oneDNN: Eigen multiplies then.

#include "engine/cpu/kernels/gemm.hpp"

namespace nomu::engine::cpu {

const GemmProvider* onednn_provider() { return nullptr; }

SingleThreaded::SingleThreaded() = default;
SingleThreaded::~SingleThreaded() = default;

}  // namespace nomu::engine::cpu
