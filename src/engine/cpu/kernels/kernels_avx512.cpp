// The kernels for "avx512"; the build gives this file its compiler flags.

#define NOMU_ISA avx512
#define NOMU_ISA_NAME "avx512"
#define Eigen Eigen_avx512  // NOLINT(readability-identifier-naming): Eigen's own namespace, renamed

#include "engine/cpu/kernels/kernels.inl"
