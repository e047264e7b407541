#include <ordo/autograd/ops/shape/shapes.h>

#include <algorithm>

#include <ordo/autograd/ops/operation.h>
#include <ordo/autograd/view_history.h>
#include <ordo/engine/calls/checked.h>
#include <ordo/engine/calls/enumerator.h>
#include <ordo/kernels/indexing/cat.h>

namespace ordo {

ORDO_REGISTER_OPS({"movedim", "meshgrid"}, {.family = "views", .dtypes = kAllTypes, .note = "no data is copied"});
ORDO_REGISTER_OP({.name = "as_strided",
                  .family = "views",
                  .dtypes = kAllTypes,
                  .note = "no data is copied",
                  .no_rows = "strides step over the whole memory"});

Tensor movedim(const Tensor& input, const Dims& source, const Dims& destination) {
  const OpCall call("movedim", input, source, destination);
  detail::expect_defined("movedim", input, "input");
  ORDO_CHECK(source.size() == destination.size(), ValueError, "movedim", "moves {} to {}, which are not as many",
             source, destination);
  Dims order = Dims::filled(input.dim(), -1);  // from where each dimension comes
  unsigned moved = 0;
  for (int i = 0; i < source.size(); ++i) {
    ORDO_CHECK(input.dim() > 0, IndexError, "movedim", "a 0-d tensor has no dimension to move");
    const int from = wrap_dim("movedim", source[i], input.dim()), to = wrap_dim("movedim", destination[i], input.dim());
    ORDO_CHECK(!(moved >> from & 1u) && order[to] < 0, ValueError, "movedim",
               "moves {} to {}, where a dimension appears twice", source, destination);
    moved |= 1u << from;
    order[to] = from;
  }
  int next = 0;
  for (int64_t& from : order) {
    if (from >= 0) continue;
    while (moved >> next & 1u) ++next;
    from = next++;
  }
  return call.done(input.permute(order));
}

Tensor swapaxes(const Tensor& input, int64_t axis0, int64_t axis1) {
  const OpCall call("swapaxes", input, axis0, axis1);
  detail::expect_defined("swapaxes", input, "input");
  return call.done(input.transpose(axis0, axis1));
}

Tensor unflatten(const Tensor& input, int64_t dim, const Dims& sizes) {
  const OpCall call("unflatten", input, dim, sizes);
  detail::expect_defined("unflatten", input, "input");
  ORDO_CHECK(input.dim() > 0, IndexError, "unflatten", "a 0-d tensor has no dimension to unflatten");
  ORDO_CHECK(!sizes.empty(), ValueError, "unflatten", "needs at least one size");
  const int d = wrap_dim("unflatten", dim, input.dim());
  const Dims parts = views::infer_size("unflatten", sizes, input.sizes()[d]);
  Dims all(input.sizes().begin(), d);
  for (int64_t n : parts) all.push_back(n);
  for (int i = d + 1; i < input.dim(); ++i) all.push_back(input.sizes()[i]);
  return call.done(input.view(all));
}

Tensor broadcast_to(const Tensor& input, const Dims& sizes) {
  const OpCall call("broadcast_to", input, sizes);
  detail::expect_defined("broadcast_to", input, "input");
  return call.done(input.expand(sizes));
}

Tensor expand_as(const Tensor& input, const Tensor& other) {
  const OpCall call("expand_as", input, other);
  detail::expect_defined("expand_as", input, "input", other, "other");
  return call.done(input.expand(other.sizes()));
}

TensorList broadcast_tensors(const TensorList& tensors) {
  const OpCall call("broadcast_tensors", tensors);
  Dims sizes;
  for (const Tensor& t : tensors) {
    detail::expect_defined("broadcast_tensors", t, "tensors");
    sizes = broadcast_sizes("broadcast_tensors", sizes, t.sizes());
  }
  TensorList views;
  for (const Tensor& t : tensors) views.push_back(t.expand(sizes));
  return call.done(std::move(views));
}

Tensor as_strided(const Tensor& input, const Dims& sizes, const Dims& strides, std::optional<int64_t> storage_offset) {
  const OpCall call("as_strided", input, sizes, strides, storage_offset);
  const char* const op = call.name();
  detail::expect_defined(op, input, "input");
  const int64_t offset = storage_offset.value_or(input.storage_offset());
  ORDO_CHECK(sizes.size() == strides.size(), ValueError, op, "sizes {} and strides {} are not equally many", sizes,
             strides);
  ORDO_CHECK(offset >= 0, ValueError, op, "storage_offset = {} must not be negative", offset);
  for (int64_t size : sizes) ORDO_CHECK(size >= 0, ShapeError, op, "sizes {} hold a negative number", sizes);
  Tensor view = views::as_strided(input, sizes, strides, offset);  // checks the number of elements
  const bool none = view.numel() == 0;
  int64_t last = offset;
  for (int d = 0; d < sizes.size(); ++d) {
    ORDO_CHECK(strides[d] >= 0, ValueError, op, "strides {} must not be negative; use flip", strides);
    if (!none) last = checked::add(op, last, checked::mul(op, sizes[d] - 1, strides[d]));
  }
  const auto room = int64_t(input.impl()->storage->bytes() / input.element_size());
  ORDO_CHECK(none || last < room, ValueError, op, "element {} of the storage is asked for, which has {}", last, room);
  if (none) view = views::as_strided(input, sizes, strides, input.storage_offset());
  if (!recorded(input)) return record_view(call, std::move(view), input, [](const Tensor&) { return Tensor(); });
  const int64_t first = view.storage_offset() - input.storage_offset(), n = input.numel();
  ORDO_CHECK(input.is_contiguous() && (none || (first >= 0 && last - input.storage_offset() < n)), AutogradError, op,
             "is differentiable where the input is contiguous and the view lies within it; call contiguous() first, or "
             "detach()");
  return record_view(call, std::move(view), input, [=, from = input.sizes()](const Tensor& grad) {
    const Tensor all = arange(0, n, 1, {.dtype = int64, .device = grad.device()});
    const Tensor places = views::as_strided(all, sizes, strides, first).reshape({-1});
    return index_add(zeros({n}, grad.options()), 0, places, grad.reshape({-1})).reshape(from);
  });
}

TensorList meshgrid(const TensorList& tensors, MeshgridIndexing indexing) {
  const OpCall call("meshgrid", tensors, indexing);
  ORDO_CHECK(!tensors.empty(), ValueError, "meshgrid", "needs at least one tensor");
  detail::expect_enumerator("meshgrid", indexing, MeshgridIndexing::xy, "a MeshgridIndexing");
  const bool exchanged = indexing == MeshgridIndexing::xy && tensors.size() > 1;
  Dims sizes;
  for (const Tensor& t : tensors) {
    detail::expect_alike("meshgrid", tensors[0], t, "tensors");
    ORDO_CHECK(t.dim() <= 1, ShapeError, "meshgrid", "takes tensors of at most one dimension, not of shape {}",
               t.sizes());
    sizes.push_back(t.numel());
  }
  if (exchanged) std::swap(sizes[0], sizes[1]);
  TensorList grids;
  for (int k = 0; k < sizes.size(); ++k) {
    Dims own = Dims::filled(sizes.size(), 1);
    const int at = exchanged && k < 2 ? 1 - k : k;
    own[at] = sizes[at];
    grids.push_back(tensors[size_t(k)].view(own).expand(sizes));
  }
  return call.done(std::move(grids));
}

Tensor cartesian_prod(const TensorList& tensors) {
  const OpCall call("cartesian_prod", tensors);
  ORDO_CHECK(!tensors.empty(), ValueError, "cartesian_prod", "needs at least one tensor");
  for (const Tensor& t : tensors) {
    detail::expect_defined("cartesian_prod", t, "tensors");
    ORDO_CHECK(t.dim() == 1, ShapeError, "cartesian_prod", "takes 1-d tensors, not of shape {}", t.sizes());
  }
  if (tensors.size() == 1) return call.done(tensors[0]);
  const Tensor all = stack(meshgrid(tensors), -1);
  return call.done(all.view({all.numel() / int64_t(tensors.size()), int64_t(tensors.size())}));
}

ORDO_REGISTER_OPS({"flip", "roll", "pixel_shuffle", "pixel_unshuffle"}, {.family = "copy", .dtypes = kAllTypes});

/// A copy of `from`, whose strides may walk backwards, in the order in which `like` lies in memory if it is contiguous
/// but for the order of its dimensions.
static Tensor copied_as(const Tensor& like, const Tensor& from) {
  Dims order, back = Dims::filled(like.dim(), 0);
  for (int d = 0; d < like.dim(); ++d) order.push_back(d);
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return like.strides()[int(a)] > like.strides()[int(b)]; });
  if (!views::permute(like, order).is_contiguous()) return kernels::clone(from);
  for (int i = 0; i < order.size(); ++i) back[int(order[i])] = i;
  return views::permute(kernels::clone(views::permute(from, order)), back);
}

/// A copy through strides that walk backwards.
static Tensor flipped(const Tensor& t, const Dims& dims) {
  const detail::OperationName name("flip");
  Dims strides = t.strides();
  int64_t offset = t.storage_offset();
  unsigned seen = 0;
  for (int64_t dim : dims) {
    const int d = wrap_dim("flip", dim, t.dim());
    ORDO_CHECK(!(seen >> d & 1u), ValueError, "flip", "dimension {} appears twice in {}", dim, dims);
    seen |= 1u << d;
    if (t.dim() == 0 || t.numel() == 0) continue;
    offset += (t.sizes()[d] - 1) * strides[d];
    strides[d] = -strides[d];
  }
  return copied_as(t, views::as_strided(t, t.sizes(), strides, offset));
}

static Tensor rolled(const Tensor& t, int64_t shift, int dim) {
  const int64_t n = t.sizes()[dim];
  const int64_t by = n == 0 ? 0 : (shift % n + n) % n;
  if (by == 0) return t;
  return kernels::cat({views::narrow(t, dim, n - by, by), views::narrow(t, dim, 0, n - by)}, dim);
}

/// A multiple of the size, for which there is no negative, is no shift.
static Dims backwards(const Dims& shifts, const Dims& sizes) {
  Dims back = shifts;
  for (int i = 0; i < back.size(); ++i) back[i] = sizes[i] == 0 ? 0 : -(shifts[i] % sizes[i]);
  return back;
}

Tensor flip(const Tensor& input, const Dims& dims) {
  const OpCall call("flip", input, dims);
  detail::expect_defined("flip", input, "input");
  return record(call, flipped(input, dims), {input}, [dims](const Tensor& grad) { return flip(grad, dims); });
}

Tensor roll(const Tensor& input, const Dims& shifts, const Dims& dims) {
  const OpCall call("roll", input, shifts, dims);
  detail::expect_defined("roll", input, "input");
  ORDO_CHECK(shifts.size() == dims.size() || (shifts.size() == 1 && dims.empty()), ValueError, "roll",
             "needs a shift for each dimension: shifts are {}, dims {}", shifts, dims);
  Dims sizes;
  Tensor r = input;
  if (dims.empty() && shifts.size() == 1) {
    sizes.push_back(input.numel());
    r = views::view(rolled(views::view(kernels::contiguous(input), {input.numel()}), shifts[0], 0), input.sizes());
  } else {
    for (int i = 0; i < dims.size(); ++i) {
      ORDO_CHECK(input.dim() > 0, IndexError, "roll", "a 0-d tensor has no dimension to roll");
      const int d = wrap_dim("roll", dims[i], input.dim());
      sizes.push_back(input.sizes()[d]);
      r = rolled(r, shifts[i], d);
    }
  }
  if (r.impl()->storage == input.impl()->storage) r = kernels::clone(r);
  return record(call, std::move(r), {input},
                [back = backwards(shifts, sizes), dims](const Tensor& grad) { return roll(grad, back, dims); });
}

Tensor rot90(const Tensor& input, int64_t k, const Dims& dims) {
  const OpCall call("rot90", input, k, dims);
  detail::expect_defined("rot90", input, "input");
  ORDO_CHECK(dims.size() == 2 && wrap_dim("rot90", dims[0], input.dim()) != wrap_dim("rot90", dims[1], input.dim()),
             ValueError, "rot90", "turns from one dimension to another; dims are {}", dims);
  const int64_t turns = (k % 4 + 4) % 4;
  if (turns == 0) return call.done(input.clone());
  if (turns == 2) return call.done(flip(input, dims));
  return call.done(flip(input, turns == 1 ? dims[1] : dims[0]).transpose(dims[0], dims[1]));
}

constexpr int64_t kMostFactor = int64_t(1) << 31;

static void check(const char* op, const Tensor& input, int64_t factor) {
  detail::expect_defined(op, input, "input");
  ORDO_CHECK(input.dim() >= 3, ShapeError, op, "takes an input of shape [..., C, H, W], not {}", input.sizes());
  ORDO_CHECK(factor >= 1 && factor < kMostFactor, ValueError, op,
             "takes a factor of at least 1 (and below 2^31), not {}", factor);
}

/// The product of all sizes before the last three.
static int64_t images(const Tensor& t) { return Dims(t.sizes().begin(), t.dim() - 3).product(); }

static Dims with_last(const Tensor& t, int64_t channels, int64_t height, int64_t width) {
  Dims sizes = t.sizes();
  const int64_t last[3] = {channels, height, width};
  for (int k = 0; k < 3; ++k) sizes[t.dim() - 3 + k] = last[k];
  return sizes;
}

Tensor pixel_shuffle(const Tensor& input, int64_t upscale_factor) {
  const OpCall call("pixel_shuffle", input, upscale_factor);
  const int64_t r = upscale_factor;
  const char* const op = call.name();
  check(op, input, r);
  const int64_t channels = input.size(-3), height = input.size(-2), width = input.size(-1);
  ORDO_CHECK(channels % (r * r) == 0, ShapeError, op, "takes a multiple of {} channels, but the input has shape {}",
             r * r, input.sizes());
  const int64_t blocks = channels / (r * r), all = images(input) * blocks;
  const Dims sizes = with_last(input, blocks, height * r, width * r);
  (void)sizes.product(op);
  return call.done(input.reshape({all, r, r, height, width}).permute({0, 3, 1, 4, 2}).clone().view(sizes));
}

Tensor pixel_unshuffle(const Tensor& input, int64_t downscale_factor) {
  const OpCall call("pixel_unshuffle", input, downscale_factor);
  const int64_t r = downscale_factor;
  const char* const op = call.name();
  check(op, input, r);
  const int64_t channels = input.size(-3), height = input.size(-2), width = input.size(-1);
  ORDO_CHECK(height % r == 0 && width % r == 0, ShapeError, op,
             "takes a height and a width that are multiples of {}, but the input has shape {}", r, input.sizes());
  const Dims split{images(input) * channels, height / r, r, width / r, r};
  (void)split.product(op);
  ORDO_CHECK(channels <= INT64_MAX / (r * r), ShapeError, op, "{} channels of {} pixels are more than can be counted",
             channels, r * r);
  const Dims sizes = with_last(input, channels * r * r, height / r, width / r);
  (void)sizes.product(op);
  return call.done(input.reshape(split).permute({0, 2, 4, 1, 3}).clone().view(sizes));
}

}  // namespace ordo
