// The engine's stable radix sort on the CPU, for other families.
#pragma once

#include <ordo/kernels/accumulate/shared/sort_cpu.h>
