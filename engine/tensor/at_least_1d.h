#pragma once

#include <ordo/engine/tensor/tensor_impl.h>

namespace ordo::views {

/// A tensor without dimensions as one of [1]; any other as it is.
inline Tensor at_least_1d(const Tensor& t) { return t.dim() == 0 ? view(t, {1}) : t; }

}  // namespace ordo::views
