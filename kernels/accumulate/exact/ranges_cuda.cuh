// Values brought together by ranges of elements, for the algorithm `exact`. Internal to exact_cuda.cuh.
#pragma once

#include <cstdint>
#include <memory>

#include <ordo/engine/cuda/cuda.h>
#include <ordo/engine/memory.h>
#include <ordo/kernels/accumulate/exact/exact_plan.h>

namespace ordo::kernels::cuda {

/// Values and the elements of the output that they go to. Trivially copyable; RangeBuilder owns the memory.
struct RangeEntries {
  uint32_t* elements;
  float* values;

  __device__ int64_t range(int64_t i) const { return int64_t(elements[i] >> kRangeBits); }
  /// The first entry in (i, last) of another range than entry i's, or last. Entries are sorted.
  __device__ int64_t range_end(int64_t i, int64_t last) const {
    const int64_t own = range(i);
    int64_t first = i + 1;
    while (first < last) {
      const int64_t middle = first + (last - first) / 2;
      if (range(middle) == own)
        first = middle + 1;
      else
        last = middle;
    }
    return last;
  }
};

class RangeBuilder {
 public:
  RangeBuilder(int64_t count, Device device);
  RangeEntries entries() const { return {elements_->data(), values_->data()}; }
  /// By ranges of the elements [0, elements). In ranges.cu, because CUB takes long to compile.
  void sort(int64_t elements, cudaStream_t stream);

 private:
  int64_t count_;
  Device device_;
  std::unique_ptr<Scratch<uint32_t>> elements_;
  std::unique_ptr<Scratch<float>> values_;
};

}  // namespace ordo::kernels::cuda
