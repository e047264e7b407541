// CUDA on the CPU: kernels compile as host C++ and run under a seeded thread schedule. Stands in for cuda_runtime.h.
#pragma once

#include <ordo/engine/cuda/emulator/atomics.h>
#include <ordo/engine/cuda/emulator/intrinsics.h>
#include <ordo/engine/cuda/emulator/language.h>
#include <ordo/engine/cuda/emulator/runtime.h>
#include <ordo/engine/cuda/emulator/scheduler.h>
