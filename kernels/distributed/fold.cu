#include <algorithm>

#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/cuda/cuda.h>
#include <ordo/kernels/distributed/fold.h>

namespace ordo::kernels::cuda {

/// Some neighbouring steps, as a kernel's argument.
struct FoldSteps {
  static constexpr int kMost = 128;
  int count = 0;
  uint16_t left[kMost], right[kMost];
};

/// A thread's element goes through all steps; `last` is where the last one's value goes.
template <distributed::ReduceOp kOp, class T>
__global__ void fold_kernel(T* rows, int64_t stride, FoldSteps steps, T* last, int64_t count) {
  ORDO_NO_UNROLL
  for (int64_t i = ordo::cuda::thread_index(); i < count; i += ordo::cuda::thread_count()) {
    ORDO_NO_UNROLL
    for (int s = 0; s < steps.count; ++s) {
      T* const left = rows + steps.left[s] * stride + i;
      T* const to = s + 1 < steps.count ? left : last + i;
      *to = combined<kOp>(*left, rows[steps.right[s] * stride + i]);
    }
  }
}

void fold(distributed::ReduceOp op, DType dtype, const std::vector<FoldStep>& steps, void* rows, int64_t stride,
          void* result, int64_t count, Device device) {
  const ordo::cuda::DeviceScope scope(device);
  const cudaStream_t stream = ordo::cuda::current_stream(device);
  dispatch_numeric("all_reduce", dtype, [&]<class T>() {
    T* const first = static_cast<T*>(rows);
    with_op(op, [&]<distributed::ReduceOp kOp>() {
      for (size_t begin = 0; begin < steps.size(); begin += FoldSteps::kMost) {
        const size_t end = std::min(steps.size(), begin + FoldSteps::kMost);
        FoldSteps some;
        for (size_t s = begin; s < end; ++s, ++some.count) {
          some.left[some.count] = uint16_t(steps[s].left);
          some.right[some.count] = uint16_t(steps[s].right);
        }
        T* const last = end == steps.size() ? static_cast<T*>(result) : first + int64_t(steps[end - 1].left) * stride;
        ordo::cuda::launch_over(fold_kernel<kOp, T>, count, stream, first, stride, some, last, count);
      }
    });
  });
}

}  // namespace ordo::kernels::cuda
