// Pooling on CUDA: the positions of all volumes, and the cells that atomic gradients add into. Internal.
#pragma once

#include <algorithm>

#include <ordo/engine/cuda/cuda.h>
#include <ordo/engine/tensor/dtype.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/pooling/cells.h>

namespace ordo::kernels::cuda {

template <class F>
__global__ void __launch_bounds__(ordo::cuda::LaunchTuning::kMostThreads)
    pool_kernel(F f, int64_t positions, int64_t volumes) {
  ORDO_NO_UNROLL
  for (int64_t at = ordo::cuda::thread_index(); at < positions; at += ordo::cuda::thread_count()) {
    const PoolWindow window = f.window(at);
    ORDO_NO_UNROLL
    for (int64_t volume = int64_t(blockIdx.y) * blockDim.y + threadIdx.y; volume < volumes;
         volume += int64_t(gridDim.y) * blockDim.y)
      f(volume, window);
  }
}

/// f(volume, window) for the positions of all volumes, as many as there are elements. Where blocks are many, a thread has
/// one position of several volumes.
template <class F>
void each_position(const F& f, int64_t elements, Device device) {
  constexpr int64_t kVolumes = 8, kMany = 4096, kMostRows = 65535;
  if (elements == 0) return;
  const int64_t positions = f.positions(), volumes = elements / positions;
  const ordo::cuda::DeviceScope scope(device);
  const auto& tuning = ordo::cuda::launch_tuning();
  const int columns = int(std::min<int64_t>(positions, tuning.block)), rows = tuning.block / columns;
  dim3 grid = ordo::cuda::grid_for(positions, columns);
  const int64_t blocks = (volumes + rows - 1) / rows;
  const int64_t enough = std::max((blocks + kVolumes - 1) / kVolumes, (kMany + grid.x - 1) / grid.x);
  grid.y = unsigned(std::min({blocks, enough, kMostRows, std::max<int64_t>(1, tuning.most_blocks / grid.x)}));
  ordo::cuda::launch(pool_kernel<F>, grid, dim3(unsigned(columns), unsigned(rows)), 0,
                     ordo::cuda::current_stream(device), f, positions, volumes);
}

/// Calls add(cells) for the cells of `output`, zero at first: its own or, for half types, those of a float copy, which
/// is then rounded.
template <class T, class Add>
void add_atomically(const Tensor& output, const Add& add) {
  using V = accumulate_t<T>;
  const ordo::cuda::DeviceScope scope(output.device());
  if constexpr (std::is_same_v<T, V>) {
    add(fill_(output, 0).template data<V>());
  } else {
    const Tensor cells = full(output.sizes(), 0, dtype_of<V>, output.device());
    add(cells.template data<V>());
    copy_(output, cells);
  }
}

}  // namespace ordo::kernels::cuda
