// ORDO_NO_UNROLL before a loop: nvcc is not to write copies of its body, where they cost more than they save.
#pragma once

#ifdef __CUDA_ARCH__
#define ORDO_NO_UNROLL _Pragma("unroll 1")
#else
#define ORDO_NO_UNROLL
#endif
