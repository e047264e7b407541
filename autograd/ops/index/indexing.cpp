#include <ordo/autograd/ops/index/indexing.h>

#include <algorithm>

#include <ordo/autograd/ops/operation.h>
#include <ordo/engine/run/graph.h>
#include <ordo/kernels/elementwise/where.h>
#include <ordo/kernels/indexing/take.h>
#include <ordo/kernels/scatter/scatter.h>

namespace ordo {

using indexing::EllipsisType;
using indexing::Slice;
using indexing::TensorIndex;
using IndexList = std::vector<TensorIndex>;

namespace indexing {
/// For the door: tensors as inputs, the rest as text.
static void report(detail::OpArguments& arguments, const IndexList& indices) {
  for (const TensorIndex& entry : indices) {
    if (const Tensor* t = std::get_if<Tensor>(&entry.value()))
      arguments.add(*t);
    else if (const int64_t* i = std::get_if<int64_t>(&entry.value()))
      arguments.add(*i);
    else if (const Slice* slice = std::get_if<Slice>(&entry.value()))
      arguments.add(Dims{slice->start, slice->stop, slice->step});
    else
      arguments.add(std::holds_alternative<EllipsisType>(entry.value()) ? "..." : "None");
  }
}
}  // namespace indexing

TensorIndex::TensorIndex(const char* dots) : value_(EllipsisType()) {
  ORDO_CHECK(std::string_view(dots) == "...", ValueError, "index", "the only text in an index is \"...\", not \"{}\"",
             dots);
}
TensorIndex::TensorIndex(std::nullopt_t) : value_(std::monostate()) {}
TensorIndex::TensorIndex(EllipsisType ellipsis) : value_(ellipsis) {}
TensorIndex::TensorIndex(Integer index) : value_(index.value) {}
TensorIndex::TensorIndex(Slice slice) : value_(slice) {}
TensorIndex::TensorIndex(Tensor tensor) : value_(std::move(tensor)) {}
TensorIndex::TensorIndex(const TensorIndex&) = default;
TensorIndex::TensorIndex(TensorIndex&&) noexcept = default;
TensorIndex& TensorIndex::operator=(const TensorIndex&) = default;
TensorIndex::~TensorIndex() = default;

namespace {

/// An index where it is read. A graph would not see what the program's own becomes.
Tensor on_device(const Tensor& index, Device device) {
  if (index.device() != device) detail::expect_no_capture("an index of the host");
  return index.to(device);
}

/// An index tensor, or a coordinate of a mask, for dimension `dim` of a view.
struct PickedDim {
  int64_t dim;
  Tensor index;
};
/// What is left to do when integers, slices, None and Ellipsis have been applied.
struct Resolved {
  Tensor view;
  std::vector<PickedDim> picked;  // ascending dimensions
  bool unique = false;            // no two items have one place: a single mask

  bool neighbours() const { return picked.back().dim - picked.front().dim == int64_t(picked.size()) - 1; }
  /// The dimensions of the view, the picked ones first.
  Dims picked_first() const {
    Dims order;
    for (const PickedDim& p : picked) order.push_back(p.dim);
    for (int d = 0; d < view.dim(); ++d)
      if (std::find(order.begin(), order.end(), d) == order.end()) order.push_back(d);
    return order;
  }
  /// Where the items' dimensions stand in the result.
  int place() const { return neighbours() ? int(picked.front().dim) : 0; }
  Tensor linear(const char* op) const {
    TensorList indices;
    Dims dims, sizes;
    for (const PickedDim& p : picked) {
      indices.push_back(p.index);
      dims.push_back(p.dim);
      sizes.push_back(view.sizes()[int(p.dim)]);
    }
    return kernels::linear_index(op, indices, dims, sizes);
  }
};

/// How many dimensions of the tensor an entry stands for.
int consumed(const char* op, const TensorIndex& entry) {
  if (std::holds_alternative<int64_t>(entry.value()) || std::holds_alternative<Slice>(entry.value())) return 1;
  const Tensor* t = std::get_if<Tensor>(&entry.value());
  if (!t) return 0;
  detail::expect_defined(op, *t, "an index tensor");
  if (t->dtype() == boolean) return t->dim();
  detail::expect_index_dtype(op, *t);
  return 1;
}

/// The dimensions that an Ellipsis stands for. Checks the list as a whole.
int64_t free_dimensions(const char* op, const Tensor& x, const IndexList& indices) {
  int64_t used = 0, ellipses = 0;
  for (const TensorIndex& entry : indices) {
    used += consumed(op, entry);
    ellipses += std::holds_alternative<EllipsisType>(entry.value());
  }
  ORDO_CHECK(ellipses <= 1, ValueError, op, "takes one Ellipsis at most, not {}", ellipses);
  ORDO_CHECK(used <= x.dim(), IndexError, op, "the index stands for {} dimensions; the tensor of shape {} has {}", used,
             x.sizes(), x.dim());
  return x.dim() - used;
}

void expect_fits(const char* op, const Tensor& mask, int64_t dim, const Tensor& x) {
  for (int d = 0; d < mask.dim(); ++d)
    ORDO_CHECK(x.sizes()[int(dim) + d] == mask.sizes()[d], ShapeError, op,
               "a mask of shape {} at dimension {} does not fit the tensor of shape {}", mask.sizes(), dim, x.sizes());
}

void add_mask(const char* op, Resolved& r, int64_t dim, const Tensor& mask) {
  if (mask.dim() == 0) r.view = r.view.unsqueeze(dim);
  const int dims = std::max(1, mask.dim());
  if (mask.dim() > 0) expect_fits(op, mask, dim, r.view);
  const TensorList coordinates = kernels::mask_coordinates(mask);
  for (int d = 0; d < dims; ++d) r.picked.push_back({dim + d, on_device(coordinates[size_t(d)], r.view.device())});
}

Tensor taken(const char* op, const Tensor& x, int64_t dim, int64_t index) {
  const int64_t n = x.sizes()[int(dim)];
  ORDO_CHECK(index >= -n && index < n, IndexError, op, "index {} is out of range for dimension {} of size {}", index,
             dim, n);
  return x.select(dim, index);
}

Resolved resolve(const char* op, const Tensor& x, const IndexList& indices) {
  detail::expect_defined(op, x, "self");
  const int64_t free = free_dimensions(op, x, indices);
  Resolved r{x, {}};
  int64_t dim = 0;
  for (const TensorIndex& entry : indices) {
    if (const int64_t* i = std::get_if<int64_t>(&entry.value())) {
      r.view = taken(op, r.view, dim, *i);
    } else if (const Slice* s = std::get_if<Slice>(&entry.value())) {
      ORDO_CHECK(s->step > 0, ValueError, op, "the step of a Slice must be positive, given {}", s->step);
      r.view = r.view.slice(dim++, s->start, s->stop, s->step);
    } else if (std::holds_alternative<EllipsisType>(entry.value())) {
      dim += free;
    } else if (std::holds_alternative<std::monostate>(entry.value())) {
      r.view = r.view.unsqueeze(dim++);
    } else {
      const Tensor& t = std::get<Tensor>(entry.value());
      if (t.dim() == 0 && t.dtype() != boolean) {
        r.view = taken(op, r.view, dim, t.item<int64_t>());
      } else if (t.dtype() == boolean) {
        r.unique = r.picked.empty();
        add_mask(op, r, dim, t);
        dim += std::max(1, t.dim());
      } else {
        r.unique = false;
        r.picked.push_back({dim++, on_device(t, r.view.device())});
      }
    }
  }
  return r;
}

/// `sizes` with `items` in place of `count` dimensions from `at` on.
Dims replaced(const Dims& sizes, int at, int count, const Dims& items) {
  Dims out;
  for (int d = 0; d < at; ++d) out.push_back(sizes[d]);
  for (int64_t n : items) out.push_back(n);
  for (int d = at + count; d < sizes.size(); ++d) out.push_back(sizes[d]);
  return out;
}

Tensor pick(const Resolved& r, const Tensor& linear) {
  const int count = int(r.picked.size()), at = r.place();
  const Tensor x = r.neighbours() ? r.view : r.view.permute(r.picked_first());
  Dims cells{1};
  for (int d = at; d < at + count; ++d) cells[0] *= x.sizes()[d];
  const Tensor rows = index_select(x.reshape(replaced(x.sizes(), at, count, cells)), at, linear.reshape({-1}));
  return rows.reshape(replaced(x.sizes(), at, count, linear.sizes()));
}

Tensor expanded(const char* op, const Tensor& value, const Dims& sizes) {
  ORDO_CHECK(broadcast_sizes(op, value.sizes(), sizes) == sizes, ShapeError, op,
             "a value of shape {} does not broadcast to the shape {} of what the index stands for", value.sizes(),
             sizes);
  return views::expand(value, sizes);
}

/// The value, broadcast to the shape of the picked elements, as [item, dimensions that were not picked...].
Tensor by_items(const char* op, const Resolved& r, const Tensor& value, const Tensor& linear) {
  const int count = int(r.picked.size()), at = r.place(), items = linear.dim();
  const Dims kept = replaced(views::permute(r.view, r.picked_first()).sizes(), 0, count, {});
  const Tensor wide = expanded(op, value, replaced(kept, at, 0, linear.sizes()));
  Dims order;
  for (int d = at; d < at + items; ++d) order.push_back(d);
  for (int d = 0; d < wide.dim(); ++d)
    if (d < at || d >= at + items) order.push_back(d);
  const Tensor first = views::permute(wide, order);
  const Dims flat = replaced(first.sizes(), 0, items, {linear.numel()});
  const Tensor view = views::try_view(first, flat);
  return view.defined() ? view : views::view(kernels::contiguous(first), flat);
}

/// The value in the dtype of `x`, in memory of its own.
Tensor fitting(const char* op, const Tensor& x, const Tensor& value) {
  detail::expect_defined(op, value, "value");
  detail::expect_same_device(op, x, value);
  ORDO_CHECK(is_floating(x.dtype()) || !is_floating(value.dtype()), DTypeError, op,
             "a {} value does not fit a tensor of {}; convert it with to()", value.dtype(), x.dtype());
  const Tensor same = kernels::cast(value, x.dtype());
  return same.impl()->storage == x.impl()->storage ? kernels::clone(same) : same;
}

/// A single mask and a number: masked_fill_, which waits for nothing.
bool fill_masked(const char* op, const Tensor& x, const IndexList& indices, Scalar number) {
  const Tensor* mask = indices.size() == 1 ? std::get_if<Tensor>(&indices[0].value()) : nullptr;
  if (!mask || !mask->defined() || mask->dtype() != boolean) return false;
  free_dimensions(op, x, indices);
  kernels::expect_writable(op, x);
  expect_fits(op, *mask, 0, x);
  Dims sizes = mask->sizes();
  while (sizes.size() < x.dim()) sizes.push_back(1);
  kernels::masked_fill_(x, on_device(*mask, x.device()).reshape(sizes), number);
  return true;
}

/// Writes or adds the value where the index points. Without autograd.
void put_at(const char* op, const Tensor& x, const IndexList& indices, const Tensor& given, bool accumulate) {
  NoGrad guard;
  const Tensor value = fitting(op, x, given);
  kernels::expect_writable(op, x);
  const Resolved r = resolve(op, views::alias(x), indices);
  if (r.picked.empty()) {
    const Tensor wide = expanded(op, value, r.view.sizes());
    kernels::copy_(r.view, accumulate ? r.view + wide : wide);
    return;
  }
  const int count = int(r.picked.size());
  const Tensor linear = r.linear(op), values = by_items(op, r, value, linear),
               to = views::permute(r.view, r.picked_first());
  Dims cells{1};
  for (int d = 0; d < count; ++d) cells[0] *= to.sizes()[d];
  const Tensor rows = views::view(kernels::contiguous(to), replaced(to.sizes(), 0, count, cells)),
               places = views::view(linear, {linear.numel()});
  if (accumulate)
    kernels::index_add_(rows, 0, places, values);
  else
    kernels::scatter_(op, kernels::IndexOf::slices, rows, 0, places, values);
  if (!to.is_contiguous()) kernels::copy_(to, views::view(rows, to.sizes()));
}

/// Which picked elements stayed when they were written, broadcast over the dimensions that were not picked.
Tensor stayed(const Resolved& r) {
  const Tensor linear = r.linear("index_put");
  int64_t cells = 1;
  for (const PickedDim& p : r.picked) cells *= r.view.sizes()[int(p.dim)];
  const Tensor items = arange(0, linear.numel(), 1, TensorOptions{int64, linear.device()});
  const Tensor places = linear.reshape({-1}), last = kernels::full({cells}, -1, int64, linear.device());
  kernels::scatter_("index_put", kernels::IndexOf::elements, last, 0, places, items);
  Dims sizes = linear.sizes();
  for (int d = r.place(); d < r.view.dim() - int(r.picked.size()); ++d) sizes.push_back(1);
  return (index_select(last, 0, places) == items).reshape(sizes);
}

auto index_put_backward(const IndexList& indices, const Tensor& value, bool accumulate) {
  std::vector<Saved> saved;  // notices when an index is changed before it is used again
  for (const TensorIndex& entry : indices)
    if (const Tensor* t = std::get_if<Tensor>(&entry.value())) saved.emplace_back(*t);
  return [indices, saved, accumulate, sizes = value.sizes(), dtype = value.dtype()](const Tensor& grad) -> TensorList {
    for (const Saved& s : saved) s.get();
    TensorList out(2);
    if (needs(0)) out[0] = accumulate ? grad : grad.index_put(indices, zeros({}, grad.options()));
    if (needs(1)) {
      const Resolved r = resolve("index_put", grad, indices);
      Tensor picked = r.picked.empty() ? r.view : pick(r, r.linear("index_put"));
      if (!accumulate && !r.picked.empty() && !r.unique) picked = where(stayed(r), picked, 0);
      out[1] = sum_to(picked, sizes).to(dtype);
    }
    return out;
  };
}

}  // namespace

Tensor Tensor::index(const IndexList& indices) const {
  const OpCall call("index", *this, indices);
  const Resolved r = resolve("index", *this, indices);
  return call.done(r.picked.empty() ? r.view : pick(r, r.linear("index")));
}

Tensor Tensor::index_put(const IndexList& indices, const Tensor& value, bool accumulate) const {
  const char* op = "index_put";
  const OpCall call(op, *this, indices, value, accumulate);
  detail::expect_defined(op, *this, "self");
  Tensor out = kernels::clone(*this);
  put_at(op, out, indices, value, accumulate);
  return record(call, std::move(out), {*this, value}, index_put_backward(indices, value, accumulate));
}

Tensor& Tensor::index_put_(const IndexList& indices, const Tensor& value, bool accumulate) {
  const char* op = "index_put_";
  const OpCall call(op, *this, indices, value, accumulate);
  detail::expect_defined(op, *this, "self");
  detail::expect_defined(op, value, "value");
  return detail::change_in_place(
      call, *this, value, [&] { put_at(op, *this, indices, value, accumulate); },
      [&](const Tensor&) { return index_put_backward(indices, value, accumulate); });
}

Tensor& Tensor::index_put_(const IndexList& indices, Scalar value, bool accumulate) {
  const char* op = "index_put_";
  const OpCall call(op, *this, indices, value, accumulate);
  detail::expect_defined(op, *this, "self");
  ORDO_CHECK(is_floating(dtype()) || !value.is_floating(), DTypeError, op, "the value {} does not fit a tensor of {}",
             value.to_double(), dtype());
  const Tensor number = scalar_tensor(value, TensorOptions{dtype(), device()});
  const auto write = [&] {
    if (accumulate || !fill_masked(op, *this, indices, value)) put_at(op, *this, indices, number, accumulate);
  };
  return detail::change_in_place(call, *this, number, write,
                                 [&](const Tensor&) { return index_put_backward(indices, number, accumulate); });
}

Indexed Tensor::operator[](const TensorIndex& index) const { return {*this, {index}}; }
Indexed Tensor::operator[](std::initializer_list<TensorIndex> indices) const { return {*this, indices}; }

}  // namespace ordo
