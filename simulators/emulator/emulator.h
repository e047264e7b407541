// CUDA on the CPU: kernels compile as host C++ and run under a seeded thread schedule. Stands in for cuda_runtime.h.
#pragma once

#include <ordo/simulators/emulator/atomics.h>
#include <ordo/simulators/emulator/intrinsics.h>
#include <ordo/simulators/emulator/language.h>
#include <ordo/simulators/emulator/runtime.h>
#include <ordo/simulators/emulator/scheduler.h>
