// What the gradients of scatter, index_copy and their reductions have in common. Internal.
#pragma once

#include <ordo/autograd/tape.h>
#include <ordo/kernels/scatter/scatter.h>

namespace ordo::detail {

/// An index that says where the elements, or the slices, of a source of that shape go.
class ScatterIndex {
 public:
  ScatterIndex(kernels::IndexOf kind, const Tensor& input, int64_t dim, const Tensor& index, const Dims& source)
      : kind_(kind), dim_(dim), index_(index), input_(input.sizes()), source_(source) {}

  bool slices() const { return kind_ == kernels::IndexOf::slices; }
  const Dims& source_sizes() const { return source_; }
  const Dims& input_sizes() const { return input_; }
  /// Of a tensor of the input's shape, what is at the index: of the source's shape.
  Tensor pick(const Tensor& t) const;
  /// With that number where the index points.
  Tensor fill(const Tensor& t, Scalar value) const;
  /// With the source there, of several items for one place the last.
  Tensor write(const Tensor& t, const Tensor& source) const;
  /// With the source added there.
  Tensor add(const Tensor& t, const Tensor& source) const;
  Tensor reduce(const Tensor& t, const Tensor& source, Reduce reduce, bool include_self) const;
  /// Where the index points, bool.
  Tensor touched(Device device) const;
  /// The gradients of what is written to, and of the source, given that of the result.
  TensorList take_out(const Tensor& grad) const;

 private:
  kernels::IndexOf kind_;
  int64_t dim_;
  Saved index_;
  Dims input_, source_;
};

/// The elements of src that index speaks of. Differentiable.
Tensor scattered_part(const Tensor& index, const Tensor& src);

}  // namespace ordo::detail
