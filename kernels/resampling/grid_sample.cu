#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/memory/memory.h>
#include <ordo/kernels/accumulate/keyed.h>
#include <ordo/kernels/resampling/grid_sample.h>
#include <ordo/kernels/reduce/each_cuda.cuh>

namespace ordo::kernels::cuda {

void grid_sample(const Tensor& input, const Tensor& grid, const Tensor& output, const GridShape& s) {
  dispatch_floating("grid_sample", input.dtype(), [&]<class T>() {
    each(s.samples * s.positions, GridSampleElement<T>{s, input.data<T>(), grid.data<T>(), output.data<T>()},
         input.device());
  });
}

void grid_sample_backward_input(const Tensor& rows, const Tensor& grid, const Tensor& output, const GridShape& s,
                                Algorithm algorithm) {
  const Device device = rows.device();
  const ordo::cuda::DeviceScope scope(device);
  const int64_t places = s.samples * s.positions, items = places * s.corners();
  dispatch_floating("grid_sample_backward", rows.dtype(), [&]<class T>() {
    const Scratch<int64_t> cells(items, device);
    const Scratch<accumulate_t<T>> weights(items, device);
    each(places, GridItemsElement<T>{s, grid.data<T>(), cells.data(), weights.data()}, device);
    add_weighted_rows(items, cells.data(), weights.data(), nullptr, s.corners(), rows, output, algorithm);
  });
}

void grid_sample_backward_grid(const Tensor& grad, const Tensor& input, const Tensor& grid, const Tensor& output,
                               const GridShape& s) {
  dispatch_floating("grid_sample_backward", grad.dtype(), [&]<class T>() {
    each(s.samples * s.positions,
         GridGradientElement<T>{s, grad.data<T>(), input.data<T>(), grid.data<T>(), output.data<T>()}, grad.device());
  });
}

}  // namespace ordo::kernels::cuda
