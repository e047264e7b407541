// The loops of random.cpp per device. Internal.
#pragma once

#include <ordo/engine/generator.h>
#include <ordo/engine/tensor_impl.h>

namespace ordo::kernels {

/// Fills `out`, contiguous, with `numel` elements of dtype; x is the input of those that have one.
struct DrawArgs {
  int64_t numel;
  void* out;
  const void* x = nullptr;
  DType dtype;
  Device device;
  GeneratorState state;
  double p = 0, q = 0;  // low and high, mean and std, or a probability
  int64_t low = 0;      // of integers
  uint64_t range = 0;
};

/// Ranges up to this are drawn with 32 bits, which favours no value by more than 2^-12.
inline constexpr uint64_t kSmallRange = uint64_t(1) << 20;

namespace cpu {
void draw_uniform(const DrawArgs&);
void draw_normal(const DrawArgs&);
void draw_integers(const DrawArgs&);
void draw_bernoulli(const DrawArgs&);
void draw_bernoulli_each(const DrawArgs&);
void draw_dropout(const DrawArgs&);
}  // namespace cpu
namespace cuda {
void draw_uniform(const DrawArgs&);
void draw_normal(const DrawArgs&);
void draw_integers(const DrawArgs&);
void draw_bernoulli(const DrawArgs&);
void draw_bernoulli_each(const DrawArgs&);
void draw_dropout(const DrawArgs&);
}  // namespace cuda

}  // namespace ordo::kernels
