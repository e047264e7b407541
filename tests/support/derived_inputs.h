// Other inputs made of a sample's, whatever the operation: other layouts of the same values, and other indices.
#pragma once

#include "tests/support/op_samples.h"

namespace ordo::test {

/// A copy that is laid out with gaps, from an offset on and transposed.
Tensor strided_copy(const Tensor& t);
/// The first slice along a dimension (negative: from the end), expanded over it. Other values; stride 0.
Tensor expanded(const Tensor& t, int dim);
/// A copy that is contiguous, in memory of its own.
Tensor packed(const Tensor& t);

bool is_index(const Tensor& t);  ///< int32 or int64
/// Of what is_index(), the same values in the other dtype.
Tensor other_width(const Tensor& t);
/// All indices the largest one of `t`: one run holds everything.
Tensor one_run(const Tensor& t);
/// All indices even, so that every other run is empty.
Tensor empty_runs(const Tensor& t);

/// f of every input that is defined.
TensorList each(const TensorList& inputs, const std::function<Tensor(const Tensor&)>& f);

}  // namespace ordo::test
