// Compiled by check_ptx.py --self-test: a sum by an atomic under a name that promises order, beside one that says so.
__global__ void ordered_sum_kernel(const float* values, int n, float* sum) {
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) atomicAdd(sum, values[i]);
}

__global__ void atomic_sum_kernel(const float* values, int n, float* sum) {
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) atomicAdd(sum, values[i]);
}
