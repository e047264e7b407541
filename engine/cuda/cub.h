// CUB's device-wide functions: CUB itself, or stand-ins in the emulated build. Never used here, because their
// floating-point results depend on timing: DeviceReduce::ReduceByKey, and DeviceScan on floats.
#pragma once

#include <ordo/engine/cuda/cuda.h>

#if ORDO_EMULATED
#include <ordo/simulators/emulator/cub.h>
#else
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#endif
