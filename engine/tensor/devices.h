// ORDO_DEVICES(result, function, parameters...) declares what ORDO_ON_DEVICE (engine/calls/dispatch.h) calls:
// cpu::function and cuda::function, in the namespace where it stands.
#pragma once

#define ORDO_DEVICES(result, function, ...) \
  namespace cpu {                           \
  result function(__VA_ARGS__);             \
  }                                         \
  namespace cuda {                          \
  result function(__VA_ARGS__);             \
  }
