#include <ordo/engine/calls/check.h>
#include <ordo/engine/calls/checked.h>
#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/tensor/tensor_impl.h>

namespace ordo::views {

#define ORDO_REGISTER_VIEW(op) \
  ORDO_REGISTER_OP({.name = op, .family = "views", .dtypes = kAllTypes, .note = "no data is copied"})
ORDO_REGISTER_VIEW("view");
ORDO_REGISTER_VIEW("transpose");
ORDO_REGISTER_VIEW("permute");
ORDO_REGISTER_VIEW("slice");
ORDO_REGISTER_VIEW("select");
ORDO_REGISTER_VIEW("narrow");
ORDO_REGISTER_VIEW("expand");
ORDO_REGISTER_VIEW("squeeze");
ORDO_REGISTER_VIEW("unsqueeze");
ORDO_REGISTER_OP(
    {.name = "reshape", .family = "views", .dtypes = kAllTypes, .note = "copies when no view is possible"});
ORDO_REGISTER_OP(
    {.name = "flatten", .family = "views", .dtypes = kAllTypes, .note = "copies when no view is possible"});

Tensor as_strided(const Tensor& t, const Dims& sizes, const Dims& strides, int64_t offset) {
  return detail::make_tensor(t.impl()->storage, t.dtype(), sizes, strides, offset);
}

Tensor alias(const Tensor& t) {
  auto impl = std::make_shared<TensorImpl>(*t.impl());
  impl->autograd.reset();
  impl->base.reset();
  impl->followed = nullptr;
  impl->untracked = false;
  return Tensor(std::move(impl));
}

Dims infer_size(const char* op, const Dims& sizes, int64_t numel) {
  Dims out = sizes;
  int unknown = -1;
  for (int i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == -1) {
      ORDO_CHECK(unknown < 0, ShapeError, op, "only one size may be -1, given {}", sizes);
      unknown = i;
      out[i] = 1;
    } else {
      ORDO_CHECK(sizes[i] >= 0, ShapeError, op, "sizes must not be negative (one may be -1), given {}", sizes);
    }
  }
  int64_t known = out.product(op);
  if (unknown >= 0) {
    ORDO_CHECK(known > 0 && numel % known == 0, ShapeError, op, "{} elements do not fit the shape {}", numel, sizes);
    out[unknown] = numel / known;
    known = numel;
  }
  ORDO_CHECK(known == numel, ShapeError, op, "{} elements do not fit the shape {}", numel, sizes);
  return out;
}

Tensor try_view(const Tensor& t, const Dims& wanted) {
  const Dims sizes = infer_size("view", wanted, t.numel());
  const TensorImpl& impl = *t.impl();
  if (impl.contiguous || t.numel() == 0) return as_strided(t, sizes, contiguous_strides(sizes), impl.offset);
  // Walk both shapes from the innermost dimension: each run of old dimensions that lies evenly in memory must be
  // exactly covered by a run of new ones.
  Dims strides = Dims::filled(sizes.size(), 0);
  int to = sizes.size() - 1;
  int64_t old_count = 1, new_count = 1, step = t.dim() ? impl.strides.back() : 1;
  for (int from = t.dim() - 1; from >= 0; --from) {
    old_count *= impl.sizes[from];
    const bool run_ends = from == 0 || (impl.sizes[from - 1] != 1 && impl.strides[from - 1] != old_count * step);
    if (!run_ends) continue;
    while (to >= 0 && (new_count < old_count || sizes[to] == 1)) {
      strides[to] = new_count * step;
      new_count *= sizes[to--];
    }
    if (new_count != old_count) return {};
    if (from > 0) {
      step = impl.strides[from - 1];
      old_count = new_count = 1;
    }
  }
  return as_strided(t, sizes, strides, impl.offset);
}

Tensor view(const Tensor& t, const Dims& sizes) {
  const detail::OperationName name("view");
  Tensor out = try_view(t, sizes);
  ORDO_CHECK(out.defined(), ShapeError, "view",
             "a tensor of shape {} and strides {} cannot be viewed as {} without a copy; use reshape", t.sizes(),
             t.strides(), sizes);
  return out;
}

Tensor transpose(const Tensor& t, int64_t dim0, int64_t dim1) {
  const int a = wrap_dim("transpose", dim0, t.dim()), b = wrap_dim("transpose", dim1, t.dim());
  Dims sizes = t.sizes(), strides = t.strides();
  if (a != b) {
    std::swap(sizes[a], sizes[b]);
    std::swap(strides[a], strides[b]);
  }
  return as_strided(t, sizes, strides, t.storage_offset());
}

Tensor permute(const Tensor& t, const Dims& dims) {
  ORDO_CHECK(dims.size() == t.dim(), ShapeError, "permute", "{} names {} dimensions, the tensor of shape {} has {}",
             dims, dims.size(), t.sizes(), t.dim());
  Dims sizes, strides;
  unsigned seen = 0;
  for (int64_t d : dims) {
    const int i = wrap_dim("permute", d, t.dim());
    ORDO_CHECK(!(seen >> i & 1u), ValueError, "permute", "dimension {} appears twice in {}", d, dims);
    seen |= 1u << i;
    sizes.push_back(t.sizes()[i]);
    strides.push_back(t.strides()[i]);
  }
  return as_strided(t, sizes, strides, t.storage_offset());
}

static void expect_rank(const char* op, const Tensor& t) {
  ORDO_CHECK(t.dim() > 0, IndexError, op, "a 0-d tensor has no dimension to index");
}

Tensor slice(const Tensor& t, int64_t dim, int64_t start, int64_t end, int64_t step) {
  const detail::OperationName name("slice");
  expect_rank("slice", t);
  const int d = wrap_dim("slice", dim, t.dim());
  ORDO_CHECK(step > 0, ValueError, "slice", "the step must be positive, given {}", step);
  const int64_t n = t.sizes()[d];
  const auto clip = [n](int64_t i) { return std::min(std::max<int64_t>(i < 0 ? i + n : i, 0), n); };
  const int64_t first = clip(start), last = std::max(clip(end), first);
  Dims sizes = t.sizes(), strides = t.strides();
  sizes[d] = (last - first) / step + ((last - first) % step != 0);
  if (sizes[d] > 1) strides[d] = checked::mul("slice", strides[d], step);  // a single element has no next one
  return as_strided(t, sizes, strides, t.storage_offset() + (sizes[d] ? first * t.strides()[d] : 0));
}

Tensor select(const Tensor& t, int64_t dim, int64_t index) {
  expect_rank("select", t);
  const int d = wrap_dim("select", dim, t.dim());
  const int64_t n = t.sizes()[d];
  ORDO_CHECK(index >= -n && index < n, IndexError, "select", "index {} is out of range for dimension {} of size {}",
             index, d, n);
  Dims sizes = t.sizes(), strides = t.strides();
  sizes.erase(d);
  strides.erase(d);
  return as_strided(t, sizes, strides, t.storage_offset() + (index < 0 ? index + n : index) * t.strides()[d]);
}

Tensor narrow(const Tensor& t, int64_t dim, int64_t start, int64_t length) {
  const detail::OperationName name("narrow");
  expect_rank("narrow", t);
  const int d = wrap_dim("narrow", dim, t.dim());
  const int64_t n = t.sizes()[d], first = start < 0 ? start + n : start;
  ORDO_CHECK(length >= 0 && first >= 0 && first <= n && length <= n - first, IndexError, "narrow",
             "start {} and length {} leave dimension {} of size {}", start, length, d, n);
  Dims sizes = t.sizes();
  sizes[d] = length;
  return as_strided(t, sizes, t.strides(), t.storage_offset() + first * t.strides()[d]);
}

Tensor expand(const Tensor& t, const Dims& wanted) {
  const detail::OperationName name("expand");
  const int added = wanted.size() - t.dim();
  ORDO_CHECK(added >= 0, ShapeError, "expand", "shape {} has more dimensions than {}", t.sizes(), wanted);
  Dims sizes = wanted, strides = Dims::filled(wanted.size(), 0);
  for (int i = 0; i < sizes.size(); ++i) {
    const int from = i - added;
    const int64_t had = from < 0 ? 1 : t.sizes()[from];
    if (sizes[i] == -1 && from >= 0) sizes[i] = had;
    ORDO_CHECK(sizes[i] >= 0 && (had == sizes[i] || had == 1), ShapeError, "expand",
               "shape {} does not expand to {}: only dimensions of size 1 grow", t.sizes(), wanted);
    if (from >= 0 && had == sizes[i]) strides[i] = t.strides()[from];
  }
  (void)sizes.product("expand");
  return as_strided(t, sizes, strides, t.storage_offset());
}

Tensor squeeze(const Tensor& t, const Dims& dims) {
  unsigned chosen = 0;
  for (int64_t d : dims) {
    const int i = wrap_dim("squeeze", d, t.dim());
    ORDO_CHECK(!(chosen >> i & 1u), ValueError, "squeeze", "dimension {} appears twice in {}", d, dims);
    chosen |= 1u << i;
  }
  Dims sizes, strides;
  for (int i = 0; i < t.dim(); ++i)
    if (!(chosen >> i & 1u) || t.sizes()[i] != 1) {
      sizes.push_back(t.sizes()[i]);
      strides.push_back(t.strides()[i]);
    }
  return as_strided(t, sizes, strides, t.storage_offset());
}

Tensor squeeze(const Tensor& t) {
  Dims all;
  for (int i = 0; i < t.dim(); ++i) all.push_back(i);
  return squeeze(t, all);
}

Tensor unsqueeze(const Tensor& t, int64_t dim) {
  const detail::OperationName name("unsqueeze");
  const int d = wrap_dim("unsqueeze", dim, t.dim() + 1);
  Dims sizes = t.sizes(), strides = t.strides();
  const int64_t stride = d < t.dim() ? checked::mul("unsqueeze", sizes[d], strides[d]) : 1;
  sizes.insert(d, 1);
  strides.insert(d, stride);
  return as_strided(t, sizes, strides, t.storage_offset());
}

}  // namespace ordo::views
