// The kernels for "avx2"; the build gives this file its compiler flags.

#define NOMU_ISA avx2
#define NOMU_ISA_NAME "avx2"
#define Eigen Eigen_avx2  // NOLINT(readability-identifier-naming): Eigen's own namespace, renamed

#include "engine/cpu/kernels/kernels.inl"
