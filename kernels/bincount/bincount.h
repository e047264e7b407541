// How often each value occurs, or the sum of the weights of its occurrences. Plain: no autograd.
#pragma once

#include <ordo/engine/op_registry.h>
#include <ordo/engine/tensor.h>

namespace ordo::kernels {

/// autograd/ops/index_add.h has the rules.
Tensor bincount(const Tensor& input, const Tensor& weights = {}, int64_t minlength = 0,
                Algorithm algorithm = Algorithm::automatic);

struct ValueRange {
  int64_t least, greatest;
};
/// `weights` is null for counting; all three contiguous.
struct BincountArgs {
  const void* input;
  DType input_dtype;
  int64_t count;
  const void* weights;
  void* output;
  DType output_dtype;
  int64_t bins;
  Device device;
};
namespace cpu {
ValueRange value_range(const BincountArgs& args);
void bincount(const BincountArgs& args, Algorithm algorithm);
/// By `exact`, without value_range() before: false when a value is not in [0, bins). Then nothing was written.
bool bincount_exact(const BincountArgs& args);
}  // namespace cpu
namespace cuda {
/// Waits for the device.
ValueRange value_range(const BincountArgs& args);
void bincount(const BincountArgs& args, Algorithm algorithm);
}  // namespace cuda

}  // namespace ordo::kernels
