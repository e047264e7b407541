// The cells that atomic pooling gradients add into, on CUDA. Internal.
#pragma once

#include <ordo/engine/cuda/cuda.h>
#include <ordo/engine/tensor/dtype.h>
#include <ordo/kernels/copy/copy.h>

namespace ordo::kernels::cuda {

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
