// Implementations of ordering rule 1 on CUDA that rule1_test.cpp cannot reach through an operation.
#include <gtest/gtest.h>

#include <ordo/engine/cuda/cuda.h>
#include <ordo/engine/tensor/tensor.h>
#include <ordo/kernels/accumulate/accumulate_cuda.cuh>
#include "tests/kernels/ordering/rule1_implementations.h"

namespace ordo::test::rule1_cuda_test {
namespace {

struct OneRun {
  using value_type = float;
  int64_t count;
  const float* values;
  int64_t columns;
  ORDO_HD int64_t destination(int64_t) const { return 0; }
  ORDO_HD float value(int64_t item, int64_t) const { return values[item]; }
};

/// With 64-bit numbers of items, which no test has enough items to need.
std::vector<float> wide_index(const std::vector<float>& v, int64_t columns) {
  if (!cuda::is_available()) return {};
  const Tensor values = from_vector(v, {int64_t(v.size())}).to("cuda"), output = zeros({columns}, {float32, "cuda"});
  const OneRun items{int64_t(v.size()), values.data<float>(), columns};
  const cudaStream_t stream = cuda::current_stream("cuda");
  kernels::cuda::accumulate_sorted<int64_t>(items, output.data<float>(), {1, 1, columns}, "cuda", stream);
  return output.to_vector<float>();
}

const Rule1Registration kWide{
    {"sorted_cuda_wide_index", 300000, [](const std::vector<float>& v) { return wide_index(v, 1); }},
    {"sorted_cuda_wide_index_columns", 5000, [](const std::vector<float>& v) { return wide_index(v, 9); }},
};

}  // namespace
}  // namespace ordo::test::rule1_cuda_test
