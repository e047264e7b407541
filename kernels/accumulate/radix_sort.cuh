// The engine's stable radix sort on CUDA, for other families. Takes long to compile.
#pragma once

#include <ordo/kernels/accumulate/shared/radix_sort_cuda.cuh>
