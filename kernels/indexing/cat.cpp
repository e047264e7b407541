#include <ordo/kernels/indexing/cat.h>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/calls/checked.h>
#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>

namespace ordo::kernels {
namespace {

ORDO_REGISTER_OPS({"cat", "stack"}, {.family = "indexing", .dtypes = kAllTypes});

bool fits_everywhere(const Tensor& t) { return t.dim() == 1 && t.numel() == 0; }

/// The first tensor that determines the shape.
const Tensor& model(const TensorList& tensors) {
  for (const Tensor& t : tensors)
    if (!fits_everywhere(t)) return t;
  return tensors[0];
}

}  // namespace

int cat_dim(const TensorList& tensors, int64_t dim) {
  ORDO_CHECK(!tensors.empty(), ValueError, "cat", "needs at least one tensor");
  for (const Tensor& t : tensors) ordo::detail::expect_defined("cat", t, "tensors");
  const Tensor& like = model(tensors);
  ORDO_CHECK(like.dim() > 0, ShapeError, "cat", "0-d tensors cannot be joined; stack gives them a dimension");
  return wrap_dim("cat", dim, like.dim());
}

Tensor cat(const TensorList& tensors, int64_t dim) {
  const ordo::detail::OperationName name("cat");
  const int at = cat_dim(tensors, dim);
  const Tensor& like = model(tensors);
  Dims sizes = like.sizes();
  sizes[at] = 0;
  DType dtype = tensors[0].dtype();
  for (size_t i = 0; i < tensors.size(); ++i) {
    const Tensor& t = tensors[i];
    ordo::detail::expect_same_device("cat", like, t);
    dtype = promote(dtype, t.dtype());
    if (fits_everywhere(t)) continue;
    ORDO_CHECK(t.dim() == like.dim(), ShapeError, "cat", "tensor {} has shape {} but another {}", i, t.sizes(),
               like.sizes());
    for (int d = 0; d < t.dim(); ++d)
      ORDO_CHECK(d == at || t.sizes()[d] == sizes[d], ShapeError, "cat",
                 "sizes must agree except in dimension {}, but tensor {} has shape {} and another {}", at, i, t.sizes(),
                 like.sizes());
    sizes[at] = checked::add("cat", sizes[at], t.sizes()[at]);
  }
  Tensor out = ordo::detail::result(sizes, dtype, like.device());
  int64_t start = 0;
  for (const Tensor& t : tensors) {
    if (fits_everywhere(t)) continue;
    const int64_t length = t.sizes()[at];
    if (length > 0) copy_(views::narrow(out, at, start, length), t);
    start += length;
  }
  return out;
}

}  // namespace ordo::kernels
