#include <ordo/autograd/ops/shape/cat.h>

#include <ordo/autograd/ops/operation.h>
#include <ordo/autograd/view_history.h>
#include <ordo/engine/calls/checked.h>
#include <ordo/kernels/indexing/cat.h>

namespace ordo {

Tensor cat(const TensorList& tensors, int64_t dim) {
  const OpCall call("cat", tensors, dim);
  const std::vector<std::reference_wrapper<const Tensor>> inputs(tensors.begin(), tensors.end());
  Tensor out = kernels::cat(tensors, dim);
  if (!detail::any_requires_grad(inputs)) return call.done(std::move(out));

  const int at = kernels::cat_dim(tensors, dim);
  const std::vector<detail::InputShape> parts(tensors.begin(), tensors.end());
  return record(call, std::move(out), inputs, BackwardFunction([parts, at](const Tensor& grad) {
                  TensorList grads;
                  int64_t start = 0;
                  for (const detail::InputShape& p : parts) {
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

/// Each with at least `rank` dimensions: a vector is [n], [1, n] or [1, n, 1].
static TensorList at_least(const char* op, const TensorList& tensors, int rank) {
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

ORDO_REGISTER_OP({.name = "block_diag", .family = "indexing", .dtypes = kAllTypes});
Tensor block_diag(const TensorList& tensors) {
  const OpCall call("block_diag", tensors);
  ORDO_CHECK(!tensors.empty(), ValueError, "block_diag", "needs at least one tensor");
  int64_t columns = 0, left = 0;
  TensorList blocks, rows;
  for (const Tensor& t : tensors) {
    detail::expect_defined("block_diag", t, "tensors");
    detail::expect_same_device("block_diag", tensors[0], t);
    ORDO_CHECK(t.dim() <= 2, ShapeError, "block_diag", "takes matrices, vectors and 0-d tensors, not shape {}",
               t.sizes());
    blocks.push_back(t.dim() == 2 ? t : t.reshape({1, t.numel()}));
    columns += blocks.back().size(1);
  }
  for (const Tensor& t : blocks) {
    const auto gap = [&](int64_t n) { return zeros({t.size(0), n}, t.options()); };
    rows.push_back(cat({gap(left), t, gap(columns - left - t.size(1))}, 1));
    left += t.size(1);
  }
  return call.done(cat(rows, 0));
}

ORDO_REGISTER_OPS({"unbind", "split", "chunk"}, {.family = "views", .dtypes = kAllTypes, .note = "no data is copied"});

static int dim_of(const char* op, const Tensor& t, int64_t dim) {
  detail::expect_defined(op, t, "input");
  ORDO_CHECK(t.dim() > 0, IndexError, op, "a 0-d tensor has no dimension to cut");
  return wrap_dim(op, dim, t.dim());
}

/// Records `parts` as views of `t` that together show all of it, side by side along `dim`.
static TensorList record_parts(const OpCall& call, const Tensor& t, TensorList parts, int dim, bool keep_dim) {
  for (Tensor& part : parts) mark_view(part, t);
  std::vector<Dims> sizes;
  for (const Tensor& part : parts) sizes.push_back(part.sizes());
  return record(call, std::move(parts), {t}, [sizes = std::move(sizes), dim, keep_dim](TensorList grads) {
    TensorOptions options;
    for (const Tensor& g : grads)
      if (g.defined()) options = g.options();
    for (size_t i = 0; i < grads.size(); ++i)
      if (!grads[i].defined()) grads[i] = zeros(sizes[i], options);
    return keep_dim ? cat(grads, dim) : stack(grads, dim);
  });
}

static TensorList split_at(const OpCall& call, const Tensor& t, const std::vector<int64_t>& sizes, int dim) {
  TensorList parts;
  int64_t start = 0;
  for (int64_t size : sizes) {
    parts.push_back(views::narrow(t, dim, start, size));
    start += size;
  }
  return record_parts(call, t, std::move(parts), dim, true);
}

static std::vector<int64_t> equal_parts(int64_t n, int64_t size) {
  std::vector<int64_t> sizes;
  checked::expect_room<Tensor>("split", n / size);  // for the parts
  for (int64_t left = n; left > 0; left -= size) sizes.push_back(std::min(left, size));
  if (sizes.empty()) sizes.push_back(0);
  return sizes;
}

TensorList unbind(const Tensor& input, int64_t dim) {
  const OpCall call("unbind", input, dim);
  const int d = dim_of("unbind", input, dim);
  TensorList parts;
  checked::expect_room<Tensor>("unbind", input.sizes()[d]);
  for (int64_t i = 0; i < input.sizes()[d]; ++i) parts.push_back(views::select(input, d, i));
  return record_parts(call, input, std::move(parts), d, false);
}

TensorList split(const Tensor& input, int64_t split_size, int64_t dim) {
  const OpCall call("split", input, split_size, dim);
  const int d = dim_of("split", input, dim);
  const int64_t n = input.sizes()[d];
  ORDO_CHECK(split_size > 0 || (split_size == 0 && n == 0), ValueError, "split",
             "needs parts of at least one element of dimension {} of size {}, not {}", d, n, split_size);
  return split_at(call, input, equal_parts(n, std::max<int64_t>(split_size, 1)), d);
}

TensorList split(const Tensor& input, const std::vector<int64_t>& split_sizes, int64_t dim) {
  const OpCall call("split", input, split_sizes, dim);
  const int d = dim_of("split", input, dim);
  int64_t left = input.sizes()[d];
  for (int64_t size : split_sizes) {
    ORDO_CHECK(size >= 0, ValueError, "split", "sizes must not be negative, but one is {}", size);
    ORDO_CHECK(size <= left, ShapeError, "split", "the sizes add up to more than dimension {} of size {}", d,
               input.sizes()[d]);
    left -= size;
  }
  ORDO_CHECK(left == 0, ShapeError, "split", "the sizes leave {} of dimension {} of size {}", left, d,
             input.sizes()[d]);
  return split_at(call, input, split_sizes, d);
}

TensorList chunk(const Tensor& input, int64_t chunks, int64_t dim) {
  const OpCall call("chunk", input, chunks, dim);
  ORDO_CHECK(chunks > 0, ValueError, "chunk", "needs at least one chunk, not {}", chunks);
  const int64_t n = input.sizes()[dim_of("chunk", input, dim)];
  if (n == 0) {  // parts of size 0 never add up to more
    checked::expect_room<Tensor>("chunk", chunks);
    return call.done(split(input, std::vector<int64_t>(size_t(chunks), 0), dim));
  }
  return call.done(split(input, std::max<int64_t>(1, n / chunks + (n % chunks != 0)), dim));
}

TensorList tensor_split(const Tensor& input, int64_t sections, int64_t dim) {
  const OpCall call("tensor_split", input, sections, dim);
  const int d = dim_of("tensor_split", input, dim);
  ORDO_CHECK(sections > 0, ValueError, "tensor_split", "needs at least one section, not {}", sections);
  checked::expect_room<Tensor>("tensor_split", sections);
  const int64_t n = input.sizes()[d];
  std::vector<int64_t> sizes;
  for (int64_t i = 0; i < sections; ++i) sizes.push_back(n / sections + (i < n % sections));
  return call.done(split(input, sizes, d));
}

TensorList tensor_split(const Tensor& input, const std::vector<int64_t>& indices, int64_t dim) {
  const OpCall call("tensor_split", input, dim);
  const int d = dim_of("tensor_split", input, dim);
  TensorList parts;
  int64_t start = 0;
  for (int64_t end : indices) {
    parts.push_back(input.slice(d, start, end));
    start = end;
  }
  parts.push_back(input.slice(d, start, input.sizes()[d]));
  return call.done(std::move(parts));
}

}  // namespace ordo
