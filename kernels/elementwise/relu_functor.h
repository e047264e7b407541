// The scalar formula of relu's gradient, shared by CPU and CUDA. Internal.
#pragma once

#include <ordo/engine/host_device.h>

namespace ordo::kernels {

struct ReluBackward {
  template <class T>
  ORDO_HD T operator()(T grad, T result) const {
    return result > T(0) ? grad : T(0);
  }
};

}  // namespace ordo::kernels
