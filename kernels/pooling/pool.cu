#include <algorithm>

#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/cuda/atomics.h>
#include <ordo/engine/cuda/cuda.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/ordering/short_sum.h>
#include <ordo/kernels/pooling/cells.h>
#include <ordo/kernels/pooling/pool.h>

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

/// f(volume, window) for the positions of all volumes, as many as there are elements. Where blocks are many, a thread
/// has one position of several volumes.
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

namespace {

template <class T>
__global__ void max_pool_backward_atomic_kernel(const T* grad, const int64_t* indices, accumulate_t<T>* cells,
                                                int64_t count, int64_t outputs, int64_t inputs) {
  for (int64_t i = ordo::cuda::thread_index(); i < count; i += ordo::cuda::thread_count())
    ordo::cuda::atomic_add(cells + quotient(i, outputs) * inputs + indices[i], accumulate_t<T>(grad[i]));
}

template <class T>
__global__ void avg_pool_backward_atomic_kernel(const T* grad, accumulate_t<T>* cells, int64_t count, Windows s) {
  using V = accumulate_t<T>;
  for (int64_t i = ordo::cuda::thread_index(); i < count; i += ordo::cuda::thread_count()) {
    const VolumeCell at(i, s.d.output, s.h.output, s.w.output);
    const V share = V(grad[i]) / V(s.divisor(s.row_divisor(at.d, at.h), at.w));
    V* to = cells + at.volume * s.inputs();
    const AxisCells d = s.d.cells(at.d), h = s.h.cells(at.h), w = s.w.cells(at.w);
    for (int64_t id = d.begin; id < d.end; id += d.step)
      for (int64_t ih = h.begin; ih < h.end; ih += h.step)
        for (int64_t iw = w.begin; iw < w.end; iw += w.step)
          ordo::cuda::atomic_add(to + s.input_row(id, ih) + iw, share);
  }
}

}  // namespace

void max_pool(const Tensor& input, const Tensor& values, const Tensor& indices, const Windows& s) {
  dispatch_floating("max_pool", input.dtype(), [&]<class T>() {
    int64_t* const places = indices.defined() ? indices.data<int64_t>() : nullptr;
    each_position(MaxPoolElement<T>{{s}, input.data<T>(), values.data<T>(), places}, values.numel(), input.device());
  });
}

void max_pool_backward(const Tensor& grad, const Tensor& indices, const Tensor& output, const Windows& s,
                       Algorithm algorithm) {
  const Device device = grad.device();
  const int64_t* const places = indices.data<int64_t>();
  dispatch_floating("max_pool_backward", grad.dtype(), [&]<class T>() {
    if (algorithm == Algorithm::atomic)
      return add_atomically<T>(output, [&](accumulate_t<T>* cells) {
        ordo::cuda::launch_over(max_pool_backward_atomic_kernel<T>, grad.numel(), ordo::cuda::current_stream(device),
                                grad.data<T>(), places, cells, grad.numel(), s.outputs(), s.inputs());
      });
    const auto run = [&]<template <class> class Sum>() {
      each_position(MaxPoolGradientElement<Sum, T>{{s}, grad.data<T>(), places, output.data<T>()}, output.numel(),
                    device);
    };
    s.overlap() <= kOrderedGroup ? run.template operator()<ShortSum>() : run.template operator()<OrderedSum>();
  });
}

void avg_pool(const Tensor& input, const Tensor& values, const Windows& s) {
  dispatch_floating("avg_pool", input.dtype(), [&]<class T>() {
    const auto run = [&]<template <class> class Sum>() {
      each_position(AveragePoolElement<Sum, T>{{s}, input.data<T>(), values.data<T>()}, values.numel(), input.device());
    };
    s.most_cells() <= kOrderedGroup ? run.template operator()<ShortSum>() : run.template operator()<OrderedSum>();
  });
}

void avg_pool_backward(const Tensor& grad, const Tensor& output, const Windows& s, Algorithm algorithm) {
  const Device device = grad.device();
  dispatch_floating("avg_pool_backward", grad.dtype(), [&]<class T>() {
    if (algorithm == Algorithm::atomic)
      return add_atomically<T>(output, [&](accumulate_t<T>* cells) {
        ordo::cuda::launch_over(avg_pool_backward_atomic_kernel<T>, grad.numel(), ordo::cuda::current_stream(device),
                                grad.data<T>(), cells, grad.numel(), s);
      });
    const auto run = [&]<template <class> class Sum>() {
      each_position(AveragePoolGradientElement<Sum, T>{{s}, grad.data<T>(), output.data<T>()}, output.numel(), device);
    };
    s.overlap() <= kOrderedGroup ? run.template operator()<ShortSum>() : run.template operator()<OrderedSum>();
  });
}

}  // namespace ordo::kernels::cuda
