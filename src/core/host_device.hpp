#pragma once
// Marks functions that CUDA kernels and host code share, so that each formula is written once.

#ifdef __CUDACC__
#define NOMU_HD __host__ __device__
#else
#define NOMU_HD
#endif
