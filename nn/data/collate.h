// From samples to a batch.
#pragma once

#include <functional>
#include <vector>

#include <ordo/nn/data/dataset.h>

namespace ordo::data {

/// A batch's tensors, of its samples in their order.
using Collate = std::function<TensorList(const std::vector<Sample>&)>;

/// Tensor k is [samples, ...]: the samples' tensors k, one after another. ValueError for samples of different numbers
/// of tensors, ShapeError, DTypeError or DeviceError for tensors that differ from those of the first sample.
TensorList stack_samples(const std::vector<Sample>& samples);

/// Rows of a contiguous tensor, copied.
Tensor take_rows(const Tensor& t, const int64_t* rows, int64_t count);

}  // namespace ordo::data
