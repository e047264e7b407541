// Differences of neighbours.
#pragma once

#include <ordo/engine/tensor.h>

namespace ordo {

/// out[i] = input[i + 1] - input[i] along `dim`, n times over. As torch.diff.
///
/// `prepend` and `append`, where given, are joined to input along `dim` first (cat). Of bools, whether they differ.
/// n = 0 gives a copy; with n or fewer values nothing is left. All dtypes; input has a dimension at least (ShapeError);
/// n is not negative (ValueError).
Tensor diff(const Tensor& input, int64_t n = 1, int64_t dim = -1, const Tensor& prepend = {},
            const Tensor& append = {});

}  // namespace ordo
