#include <ordo/kernels/scatter/scatter.h>

#include <utility>

#include <ordo/engine/at_least_1d.h>
#include <ordo/engine/dispatch.h>
#include <ordo/engine/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/index_add/index_add.h>
#include <ordo/kernels/scatter_add/scatter_add.h>

namespace ordo::kernels {

ORDO_REGISTER_OP({.name = "scatter", .family = "scatter", .dtypes = kAllTypes, .note = "the last item stays"});
ORDO_REGISTER_OP({.name = "index_copy", .family = "scatter", .dtypes = kAllTypes, .note = "the last slice stays"});
ORDO_REGISTER_OP({.name = "index_fill", .family = "scatter", .dtypes = kAllTypes});
ORDO_REGISTER_OP({.name = "scatter_reduce",
                  .family = "scatter",
                  .dtypes = kNumericTypes,
                  .algorithms = {{Algorithm::atomic, Determinism::not_guaranteed},
                                 {Algorithm::sorted, Determinism::device_to_device},
                                 {Algorithm::exact, Determinism::device_to_device, kExactTypes}},
                  .note = "sum and mean: as scatter_add"});
ORDO_REGISTER_OP({.name = "index_reduce",
                  .family = "scatter",
                  .dtypes = kNumericTypes,
                  .algorithms = {{Algorithm::atomic, Determinism::not_guaranteed},
                                 {Algorithm::sorted, Determinism::device_to_device},
                                 {Algorithm::exact, Determinism::device_to_device, kExactTypes}},
                  .note = "mean: as index_add"});

ScatterMode scatter_mode(const char* op, std::string_view reduce) {
  constexpr std::string_view kNames[] = {"sum", "prod", "mean", "amax", "amin"};
  for (int i = 0; i < 5; ++i)
    if (reduce == kNames[i]) return ScatterMode(i);
  ordo::detail::fail<ValueError>(op, "reduce must be sum, prod, mean, amax or amin, not \"{}\"", reduce);
}

namespace {

int64_t product(const Dims& sizes, int first, int last) {
  int64_t p = 1;
  for (int d = first; d < last; ++d) p *= sizes[d];
  return p;
}

void check_arguments(const char* op, IndexOf kind, const Tensor& self, int64_t dim, const Tensor& index,
                     const Tensor& src) {
  if (kind == IndexOf::elements)
    expect_scatter_arguments(op, self, dim, index, src);
  else
    expect_slice_arguments(op, self, dim, index, src);
}

/// The memory of `target`, which is contiguous, as the output of items whose values are those of `src`.
class Items {
 public:
  Items(const char* op, IndexOf kind, const Tensor& target, int dim, const Tensor& index, const Tensor& src)
      : guard_(op, "index", dim, target.size(dim), target.device()) {
    const Dims& sizes = src.sizes();
    ScatterShape& s = args_.shape;
    s.outer = product(sizes, 0, dim), s.inner = product(sizes, dim + 1, sizes.size());
    s.items = sizes[dim], s.destinations = target.size(dim);
    s.rows = kind == IndexOf::slices || is_expanded(index, dim);
    if (kind == IndexOf::elements && s.rows)
      index_ = contiguous(views::as_strided(index, {s.items}, {index.strides()[dim]}, index.storage_offset()));
    else
      index_ = contiguous(index);
    args_.index = index_view(index_, s.destinations, guard_, kind == IndexOf::elements && s.rows ? s.inner : 1);
    args_.dtype = target.dtype(), args_.device = target.device();
    args_.output = target.data();
    set_source(src);
  }

  /// On the CPU throws for an index out of range.
  void validate(const Tensor& target) {
    validate_on_cpu(args_.index, index_.numel(), guard_, target, Algorithm::sorted);
  }
  void finish() { guard_.finish(); }
  const ScatterArgs& args() const { return args_; }

  void set_source(const Tensor& src) {
    const ScatterShape& s = args_.shape;
    source_ = views::try_view(src, {s.outer, s.items, s.inner});
    if (!source_.defined()) source_ = views::view(contiguous(src), {s.outer, s.items, s.inner});
    args_.source = source_.data();
    set_strides(source_.stride(0), source_.stride(1), source_.stride(2));
  }
  /// The same number for all.
  void set_number(Scalar value) {
    source_ = full({}, value, args_.dtype, args_.device);
    args_.source = source_.data();
    set_strides(0, 0, 0);
  }
  void set_output(const Tensor& output) {
    args_.output = output.data();
    args_.dtype = output.dtype();
  }

 private:
  void set_strides(int64_t outer, int64_t item, int64_t inner) {
    args_.shape.outer_stride = outer, args_.shape.item_stride = item, args_.shape.inner_stride = inner;
  }

  IndexGuard guard_;
  Tensor index_, source_;
  ScatterArgs args_{};
};

/// Calls f(target, dim, index, src): at least 1-d, src and index of one size in each dimension (slices: along dim), and
/// target contiguous, of the same sizes but along dim.
template <class F>
void on_target(const char* op, IndexOf kind, const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
               const F& f) {
  if (index.numel() == 0) return;
  const int d = wrap_dim(op, dim, self.dim());
  const Tensor i = views::at_least_1d(index), all = views::at_least_1d(self);
  const bool elements = kind == IndexOf::elements;
  const Tensor values = elements ? leading(views::at_least_1d(src), i.sizes(), -1) : views::at_least_1d(src);
  const Tensor target = elements ? leading(all, i.sizes(), d) : all;
  if (target.is_contiguous()) return f(target, d, i, values);
  const Tensor copy = clone(target);
  f(copy, d, i, values);
  copy_(target, copy);
}

void write(const Items& items) {
  if (items.args().shape.elements() == 0) return;
  ORDO_ON_DEVICE(items.args().device, scatter_write, items.args());
}

DType computed_in(ScatterMode mode, DType t) {
  if (is_floating(t)) return t == float64 ? float64 : float32;
  return mode == ScatterMode::prod ? int64 : t;
}

Tensor safe(const Tensor& t, const Tensor& self) { return t.impl()->storage == self.impl()->storage ? clone(t) : t; }

}  // namespace

void scatter_(const char* op, IndexOf kind, const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
  const ordo::detail::OperationName name(op);
  check_arguments(op, kind, self, dim, index, src);
  expect_writable(op, self);
  on_target(op, kind, self, dim, safe(index, self), safe(src, self),
            [&](const Tensor& target, int d, const Tensor& i, const Tensor& values) {
              Items items(op, kind, target, d, i, values);
              items.validate(target);
              write(items);
              items.finish();
            });
}

void scatter_(const char* op, IndexOf kind, const Tensor& self, int64_t dim, const Tensor& index, Scalar value) {
  const ordo::detail::OperationName name(op);
  ordo::detail::expect_defined(op, self, "input");
  ordo::detail::expect_defined(op, index, "index");
  ORDO_CHECK(is_floating(self.dtype()) || !value.is_floating(), DTypeError, op, "{} does not fit a tensor of {}",
             value.to_double(), self.dtype());
  Dims sizes = index.sizes();
  if (kind == IndexOf::slices) {
    ORDO_CHECK(index.dim() <= 1, ShapeError, op, "index must have at most 1 dimension, not sizes {}", index.sizes());
    sizes = self.sizes();
    if (sizes.empty()) sizes.push_back(1);
    sizes[wrap_dim(op, dim, self.dim())] = index.numel();
  }
  scatter_(op, kind, self, dim, index, views::expand(full({}, value, self.dtype(), self.device()), sizes));
}

namespace {

/// Adds src to the target: scatter_add_ or index_add_.
void add_to(IndexOf kind, const Tensor& target, int d, const Tensor& index, const Tensor& src, Algorithm algorithm) {
  if (kind == IndexOf::elements)
    scatter_add_(target, d, index, src, algorithm);
  else
    index_add_(target, d, index, src, 1, algorithm);
}

void reduce(const char* op, IndexOf kind, const Tensor& target, int d, const Tensor& index, const Tensor& src,
            ScatterMode mode, bool include_self, Algorithm algorithm) {
  const bool extremum = mode == ScatterMode::amax || mode == ScatterMode::amin;
  const DType dtype = extremum || mode == ScatterMode::sum ? target.dtype() : computed_in(mode, target.dtype());
  if (mode == ScatterMode::mean && algorithm != Algorithm::exact && target.is_cpu()) {
    Items items(op, kind, target, d, index, src);
    items.validate(target);
    if (cpu::scatter_means(items.args(), include_self)) return;
  }
  const Tensor work = cast(target, dtype), values = cast(src, dtype);
  Items items(op, kind, work, d, index, values);
  const bool adds_first = include_self && (mode == ScatterMode::sum || mode == ScatterMode::mean);
  if (!adds_first || work.numel() == 0) items.validate(work);  // to add looks at the index, too
  if (!include_self) {                                         // the old content gives way to what changes nothing
    if (!extremum) items.set_number(mode == ScatterMode::prod ? 1 : 0);
    write(items);
    items.set_source(values);
  }
  if (mode == ScatterMode::prod && items.args().shape.inner > 1 && items.args().shape.inner_stride != 1)
    items.set_source(contiguous(values));
  const ScatterArgs& args = items.args();
  if (work.numel() > 0 && extremum) {
    ORDO_ON_DEVICE(args.device, scatter_extremum, args, mode == ScatterMode::amax);
  } else if (work.numel() > 0 && mode == ScatterMode::prod) {
    ORDO_ON_DEVICE(args.device, scatter_product, args);
    copy_(target, work);
  } else if (work.numel() > 0) {
    add_to(kind, work, d, index, values, algorithm);
    if (mode == ScatterMode::mean) {
      const Tensor counts = full({args.shape.slots()}, 0, int64, args.device);
      ORDO_ON_DEVICE(args.device, scatter_count, args, counts.data<int64_t>());
      items.set_output(target);
      ORDO_ON_DEVICE(args.device, scatter_mean, args, work.data(), counts.data<int64_t>(), include_self);
    }
  }
  items.finish();
}

}  // namespace

void scatter_reduce_(const char* op, IndexOf kind, const Tensor& self, int64_t dim, const Tensor& index,
                     const Tensor& src, ScatterMode mode, bool include_self, Algorithm algorithm) {
  const ordo::detail::OperationName name(op);
  check_arguments(op, kind, self, dim, index, src);
  ordo::detail::expect_not_bool(op, self.dtype());
  expect_writable(op, self);
  const int d = wrap_dim(op, dim, self.dim());
  const int64_t destinations = views::at_least_1d(self).size(d);
  const int64_t entries = kind == IndexOf::elements ? index.numel() : src.numel(),
                items = index.numel() == 0 ? 0 : views::at_least_1d(src).size(d);
  const int64_t along = index.numel() == 0 ? 1 : kind == IndexOf::elements ? views::at_least_1d(index).size(d) : items;
  const bool adds = mode == ScatterMode::sum || mode == ScatterMode::mean;
  if (adds || algorithm != Algorithm::automatic) {
    algorithm = choose_accumulate(op, algorithm, adds ? computed_in(mode, self.dtype()) : self.dtype(),
                                  {along, destinations, along ? entries / along : 0});
  }
  on_target(op, kind, self, dim, safe(index, self), safe(src, self),
            [&](const Tensor& target, int at, const Tensor& i, const Tensor& values) {
              reduce(op, kind, target, at, i, values, mode, include_self, algorithm);
            });
}

}  // namespace ordo::kernels
