#include <ordo/autograd/ops/shape/diagonal.h>

#include <algorithm>

#include <ordo/autograd/ops/operation.h>
#include <ordo/autograd/view_history.h>
#include <ordo/engine/calls/checked.h>
#include <ordo/kernels/copy/copy.h>

namespace ordo {

ORDO_REGISTER_OP({.name = "diagonal", .family = "views", .dtypes = kAllTypes, .note = "no data is copied"});
ORDO_REGISTER_OP({.name = "diag_embed", .family = "copy", .dtypes = kAllTypes});

namespace {

struct Pair {
  int first, second;
};
Pair dims_of(const char* op, int64_t dim1, int64_t dim2, int rank) {
  const Pair p{wrap_dim(op, dim1, rank), wrap_dim(op, dim2, rank)};
  ORDO_CHECK(p.first != p.second, ValueError, op, "needs two dimensions, but {} and {} are one", dim1, dim2);
  return p;
}

Tensor diagonal_view(const char* op, const Tensor& t, int64_t offset, Pair p) {
  Dims sizes = t.sizes(), strides = t.strides();
  const int64_t rows = sizes[p.first], columns = sizes[p.second], down = strides[p.first], right = strides[p.second];
  const int64_t length =
      std::max<int64_t>(0, offset >= 0 ? std::min(rows, columns - offset) : std::min(rows + offset, columns));
  for (int d : {std::max(p.first, p.second), std::min(p.first, p.second)}) {
    sizes.erase(d);
    strides.erase(d);
  }
  sizes.push_back(length);
  strides.push_back(length > 1 ? checked::add(op, down, right) : 1);  // a single element has no next one
  const int64_t skipped = length == 0 ? 0 : offset >= 0 ? offset * right : -offset * down;
  return views::as_strided(t, sizes, strides, t.storage_offset() + skipped);
}

/// Zeros of `sizes` with t on a diagonal.
Tensor around_diagonal(const Tensor& t, const Dims& sizes, int64_t offset, Pair p) {
  const Tensor out = kernels::full(sizes, 0, t.dtype(), t.device());
  kernels::copy_(diagonal_view("diagonal", out, offset, p), t);
  return out;
}

}  // namespace

Tensor diagonal(const Tensor& input, int64_t offset, int64_t dim1, int64_t dim2) {
  const OpCall call("diagonal", input, offset, dim1, dim2);
  detail::expect_defined("diagonal", input, "input");
  const Pair p = dims_of("diagonal", dim1, dim2, input.dim());
  return record_view(call, diagonal_view("diagonal", input, offset, p), input,
                     [sizes = input.sizes(), offset, p](const Tensor& grad) {
                       return diagonal_backward(grad, sizes, offset, p.first, p.second);
                     });
}

Tensor diagonal_backward(const Tensor& grad, const Dims& sizes, int64_t offset, int64_t dim1, int64_t dim2) {
  const OpCall call("diagonal_backward", grad, sizes, offset, dim1, dim2);
  detail::expect_defined("diagonal_backward", grad, "grad");
  const Pair p = dims_of("diagonal_backward", dim1, dim2, sizes.size());
  return record(call, around_diagonal(grad, sizes, offset, p), {grad},
                [offset, p](const Tensor& g) { return diagonal(g, offset, p.first, p.second); });
}

Tensor diag_embed(const Tensor& input, int64_t offset, int64_t dim1, int64_t dim2) {
  const OpCall call("diag_embed", input, offset, dim1, dim2);
  detail::expect_defined("diag_embed", input, "input");
  ORDO_CHECK(input.dim() > 0, ShapeError, "diag_embed", "a 0-d tensor has no dimension to lie on a diagonal");
  const Pair p = dims_of("diag_embed", dim1, dim2, input.dim() + 1);
  const int64_t far = offset >= 0 ? offset : checked::add("diag_embed", -(offset + 1), 1);
  const int64_t side = checked::add("diag_embed", input.sizes().back(), far);
  Dims sizes(input.sizes().begin(), input.dim() - 1);
  sizes.insert(std::min(p.first, p.second), side);
  sizes.insert(std::max(p.first, p.second), side);
  return record(call, around_diagonal(input, sizes, offset, p), {input},
                [offset, p](const Tensor& g) { return diagonal(g, offset, p.first, p.second); });
}

Tensor diag(const Tensor& input, int64_t diagonal) {
  const OpCall call("diag", input, diagonal);
  detail::expect_defined("diag", input, "input");
  ORDO_CHECK(input.dim() == 1 || input.dim() == 2, ShapeError, "diag",
             "takes a vector or a matrix, not a tensor of shape {}", input.sizes());
  return call.done(input.dim() == 1 ? diag_embed(input, diagonal) : ordo::diagonal(input, diagonal).clone());
}

Tensor trace(const Tensor& input) {
  const OpCall call("trace", input);
  detail::expect_defined("trace", input, "input");
  ORDO_CHECK(input.dim() == 2, ShapeError, "trace", "takes a matrix, not a tensor of shape {}", input.sizes());
  return call.done(sum(diagonal(input)));
}

Tensor tril(const Tensor& input, int64_t diagonal) {
  const OpCall call("tril", input, diagonal);
  return record(call, kernels::tril(input, diagonal), {input},
                [diagonal](const Tensor& grad) { return tril(grad, diagonal); });
}

Tensor triu(const Tensor& input, int64_t diagonal) {
  const OpCall call("triu", input, diagonal);
  return record(call, kernels::triu(input, diagonal), {input},
                [diagonal](const Tensor& grad) { return triu(grad, diagonal); });
}

}  // namespace ordo
