// Functions shared by CPU loops and CUDA kernels are marked ORDO_HD.
#pragma once

#ifdef __CUDACC__
#define ORDO_HD __host__ __device__ __forceinline__
#else
#define ORDO_HD inline
#endif
