// The kernels for "baseline"; the build gives this file its compiler flags.

#define NOMU_ISA baseline
#define NOMU_ISA_NAME "baseline"
#define Eigen Eigen_baseline  // NOLINT(readability-identifier-naming): Eigen's own namespace, renamed

#include "engine/cpu/kernels/kernels.inl"
