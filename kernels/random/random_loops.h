// The loops of random.cpp per device. Internal.
#pragma once

#include <ordo/engine/devices.h>
#include <ordo/engine/generator.h>
#include <ordo/engine/tensor_impl.h>

namespace ordo::kernels {

enum class Draw : unsigned char { uniform, normal, integers, bernoulli, bernoulli_each, dropout };

/// Fills `out`, contiguous, with `numel` elements of dtype; x is the input of those that have one.
struct DrawArgs {
  Draw kind;
  int64_t numel = 0;
  void* out = nullptr;
  const void* x = nullptr;
  DType dtype = float32;
  Device device = {};
  GeneratorState state = {};
  double p = 0, q = 0;  // low and high, mean and std, or a probability
  int64_t low = 0;      // of integers
  uint64_t range = 0;
};

/// Ranges up to this are drawn with 32 bits, which favours no value by more than 2^-12.
inline constexpr uint64_t kSmallRange = uint64_t(1) << 20;

ORDO_DEVICES(void, draw, const DrawArgs&)

}  // namespace ordo::kernels
