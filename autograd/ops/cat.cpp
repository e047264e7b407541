#include <ordo/autograd/ops/cat.h>

#include <ordo/autograd/ops/operation.h>
#include <ordo/kernels/indexing/cat.h>

namespace ordo {

Tensor cat(const TensorList& tensors, int64_t dim) {
  const OpCall call("cat", tensors, dim);
  const std::vector<std::reference_wrapper<const Tensor>> inputs(tensors.begin(), tensors.end());
  Tensor out = kernels::cat(tensors, dim);
  if (!detail::any_requires_grad(inputs)) return call.done(std::move(out));

  struct Part {
    Dims sizes;
    DType dtype;
    bool wanted;
  };
  const int at = kernels::cat_dim(tensors, dim);
  std::vector<Part> parts;
  for (const Tensor& t : tensors) parts.push_back({t.sizes(), t.dtype(), t.requires_grad()});
  return record(call, std::move(out), inputs, BackwardFunction([parts, at](const Tensor& grad) {
                  TensorList grads;
                  int64_t start = 0;
                  for (const Part& p : parts) {
                    const bool filler = p.sizes == Dims({0}) && grad.dim() != 1;
                    const int64_t length = filler ? 0 : p.sizes[at];
                    grads.push_back(!p.wanted
                                        ? Tensor()
                                        : grad.narrow(filler ? 0 : at, start, length).reshape(p.sizes).to(p.dtype));
                    start += length;
                  }
                  return grads;
                }));
}

Tensor stack(const TensorList& tensors, int64_t dim) {
  const OpCall call("stack", tensors, dim);
  ORDO_CHECK(!tensors.empty(), ValueError, "stack", "needs at least one tensor");
  detail::expect_defined("stack", tensors[0], "tensors");
  const int at = wrap_dim("stack", dim, tensors[0].dim() + 1);
  TensorList parts;
  parts.reserve(tensors.size());
  for (const Tensor& t : tensors) {
    detail::expect_defined("stack", t, "tensors");
    ORDO_CHECK(t.sizes() == tensors[0].sizes(), ShapeError, "stack", "tensors must have one shape, but {} and {} came",
               tensors[0].sizes(), t.sizes());
    parts.push_back(t.unsqueeze(at));
  }
  return call.done(cat(parts, at));
}

namespace {

/// Each with at least `rank` dimensions: a vector is [n], [1, n] or [1, n, 1].
TensorList at_least(const char* op, const TensorList& tensors, int rank) {
  ORDO_CHECK(!tensors.empty(), ValueError, op, "needs at least one tensor");
  TensorList all;
  for (const Tensor& t : tensors) {
    detail::expect_defined(op, t, "tensors");
    Tensor more = t.dim() == 0 ? t.view(1) : t;
    if (rank >= 2 && more.dim() == 1) more = more.unsqueeze(0);
    if (rank >= 3 && more.dim() == 2) more = more.unsqueeze(2);
    all.push_back(std::move(more));
  }
  return all;
}

}  // namespace

Tensor hstack(const TensorList& tensors) {
  const OpCall call("hstack", tensors);
  const TensorList all = at_least("hstack", tensors, 1);
  return call.done(cat(all, all[0].dim() == 1 ? 0 : 1));
}

Tensor vstack(const TensorList& tensors) {
  const OpCall call("vstack", tensors);
  return call.done(cat(at_least("vstack", tensors, 2), 0));
}

Tensor dstack(const TensorList& tensors) {
  const OpCall call("dstack", tensors);
  return call.done(cat(at_least("dstack", tensors, 3), 2));
}

}  // namespace ordo
