// Replaces gemm_onednn.cpp in a build without oneDNN, which multiplies with Eigen.

#include "engine/cpu/kernels/gemm.hpp"

namespace nomu::engine::cpu {

const GemmProvider* onednn_provider() { return nullptr; }

SingleThreaded::SingleThreaded() = default;
SingleThreaded::~SingleThreaded() = default;

}  // namespace nomu::engine::cpu
