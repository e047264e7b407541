// Kernels for check_launch.py --self-test: two that fit, one with a large stack, one whose shared memory nobody states.
extern __shared__ unsigned char ordo_dynamic_shared[];

__global__ void fits(float* p) { p[threadIdx.x] += 1; }

__global__ void __launch_bounds__(1024) bounded(float* p) { p[threadIdx.x] += 2; }

__global__ void spills(float* p, const int* index) {
  float values[100];
  for (int i = 0; i < 100; ++i) values[index[i]] = p[i];
  p[threadIdx.x] = values[threadIdx.x % 100];
}

__global__ void shares(float* p) {
  float* const own = reinterpret_cast<float*>(ordo_dynamic_shared);
  own[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = own[0];
}
