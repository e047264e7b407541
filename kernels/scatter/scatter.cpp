#include <ordo/kernels/scatter/scatter.h>

#include <algorithm>

#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/calls/dispatch_word.h>
#include <ordo/engine/calls/enumerator.h>
#include <ordo/engine/memory/memory.h>
#include <ordo/engine/run/parallel.h>
#include <ordo/engine/tensor/at_least_1d.h>
#include <ordo/engine/tensor/fits.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>

namespace ordo::kernels {

ORDO_REGISTER_OP({.name = "scatter", .family = "scatter", .dtypes = kAllTypes, .note = "the last item stays"});
ORDO_REGISTER_OP({.name = "index_copy", .family = "scatter", .dtypes = kAllTypes, .note = "the last slice stays"});
ORDO_REGISTER_OP({.name = "index_fill", .family = "scatter", .dtypes = kAllTypes});
ORDO_REGISTER_OP({.name = "index_add",
                  .family = "index_add",
                  .dtypes = kNumericTypes,
                  .algorithms = accumulate_levels(kExactTypes)});
ORDO_REGISTER_OP({.name = "scatter_add",
                  .family = "scatter_add",
                  .dtypes = kNumericTypes,
                  .algorithms = accumulate_levels(kExactTypes)});

ORDO_REGISTER_OP({.name = "scatter_reduce",
                  .family = "scatter",
                  .dtypes = kNumericTypes,
                  .algorithms = accumulate_levels(kExactTypes),
                  .note = "sum and mean: as scatter_add"});
ORDO_REGISTER_OP({.name = "index_reduce",
                  .family = "scatter",
                  .dtypes = kNumericTypes,
                  .algorithms = accumulate_levels(kExactTypes),
                  .note = "mean: as index_add"});

namespace {

/// `t` with those sizes up to which it is looked at: all dimensions but `dim` (-1: none) become as long as `sizes`.
Tensor leading(Tensor t, const Dims& sizes, int dim) {
  for (int d = 0; d < t.dim(); ++d)
    if (d != dim && t.sizes()[d] != sizes[d]) t = views::narrow(t, d, 0, sizes[d]);
  return t;
}

/// The sizes of an index, or of a source, of elements.
void check_elements(const char* op, const Tensor& self, int d, const Tensor& index, const Tensor& src) {
  if (index.numel() == 0) return;
  const Tensor s = views::at_least_1d(self), i = views::at_least_1d(index), v = views::at_least_1d(src);
  ORDO_CHECK(i.dim() == s.dim() && v.dim() == s.dim(), ShapeError, op,
             "index {} and src {} must have as many dimensions as input {}", index.sizes(), src.sizes(), self.sizes());
  for (int k = 0; k < s.dim(); ++k) {
    ORDO_CHECK(i.sizes()[k] <= v.sizes()[k], ShapeError, op,
               "index has sizes {}, larger than those of src, {}, at dimension {}", index.sizes(), src.sizes(), k);
    ORDO_CHECK(k == d || i.sizes()[k] <= s.sizes()[k], ShapeError, op,
               "index has sizes {}, larger than those of input, {}, at dimension {}, which is not the one scattered "
               "over ({})",
               index.sizes(), self.sizes(), k, d);
  }
}

void check_slices(const char* op, const Tensor& self, int d, const Tensor& index, const Tensor& source) {
  ORDO_CHECK(index.dim() <= 1, ShapeError, op, "index must have at most 1 dimension, not sizes {}", index.sizes());
  Dims expected = views::at_least_1d(self).sizes();
  expected[d] = index.numel();
  ORDO_CHECK(views::at_least_1d(source).sizes() == expected, ShapeError, op,
             "source has sizes {}; it must have those of input, {}, with {} (one slice per index) at dimension {}",
             source.sizes(), self.sizes(), index.numel(), d);
}

void check_arguments(const char* op, IndexOf kind, const Tensor& self, int64_t dim, const Tensor& index,
                     const Tensor& src) {
  ordo::detail::expect_defined(op, self, "input");
  ordo::detail::expect_defined(op, index, "index");
  ordo::detail::expect_defined(op, src, kind == IndexOf::elements ? "src" : "source");
  ordo::detail::expect_same_device(op, self, index);
  ordo::detail::expect_same_device(op, self, src);
  ordo::detail::expect_same_dtype(op, self, src);
  ordo::detail::expect_index_dtype(op, index);
  (kind == IndexOf::elements ? check_elements : check_slices)(op, self, wrap_dim(op, dim, self.dim()), index, src);
}

/// Of an index that has been checked. It does not depend on strides: whether or not an index of elements is expanded.
AccumulateSize size_of(IndexOf kind, const Tensor& self, int64_t dim, const Tensor& index) {
  const int d = wrap_dim("scatter", dim, self.dim());
  const int64_t items = kind == IndexOf::slices ? index.numel() : views::at_least_1d(index).size(d);
  return {items, views::at_least_1d(self).size(d), self.dim() <= 1};
}

/// Whether all slices of `index` along dimension d are one and the same: an index of slices in disguise.
bool is_expanded(const Tensor& index, int d) {
  for (int k = 0; k < index.dim(); ++k)
    if (k != d && index.sizes()[k] > 1 && index.strides()[k] != 0) return false;
  return true;
}

/// The memory of `target`, which is contiguous, as the output of items whose values are those of `src`.
class Items {
 public:
  Items(const char* op, IndexOf kind, const Tensor& target, int dim, const Tensor& index, const Tensor& src)
      : guard_(op, "index", dim, target.size(dim), target.device()) {
    const Dims& sizes = src.sizes();
    const bool of_elements = kind == IndexOf::elements;
    KeyedShape& s = items_.shape;
    s.outer = Dims(sizes.begin(), dim).product();
    s.inner = Dims(sizes.begin() + dim + 1, sizes.size() - dim - 1).product();
    s.items = sizes[dim], s.destinations = target.size(dim);
    s.rows = !of_elements || is_expanded(index, dim);
    if (of_elements && s.rows)
      index_ = contiguous(views::as_strided(index, {s.items}, {index.strides()[dim]}, index.storage_offset()));
    else
      index_ = contiguous(of_elements && target.is_cpu() ? cast(index, int64) : index);
    items_.index = index_view(index_, s.destinations, guard_, of_elements && s.rows ? s.inner : 1);
    items_.device = target.device();
    set_output(target);
    set_source(src);
  }

  /// On the CPU throws for an index out of range, unless adding by this algorithm will find out.
  void validate(Algorithm algorithm = Algorithm::sorted) {
    validate_on_cpu(items_.index, index_.numel(), guard_, output_, algorithm);
  }
  void finish() { guard_.finish(); }
  const KeyedItems& get() const { return items_; }

  void set_source(const Tensor& src) {
    const KeyedShape& s = items_.shape;
    Tensor seen = views::try_view(src, {s.outer, s.items, s.inner});
    if (!seen.defined()) seen = views::view(contiguous(src), {s.outer, s.items, s.inner});
    set_source(seen, seen.stride(0), seen.stride(1), seen.stride(2));
  }
  /// One number as the source of all items.
  void set_number(Scalar value) { set_source(full({}, value, items_.dtype, items_.device), 0, 0, 0); }
  void set_output(const Tensor& output) {
    output_ = output;
    items_.output = output.data();
    items_.dtype = output.dtype();
  }

  void add(Algorithm algorithm, Scalar alpha = 1, const IndexOrder* order = nullptr) {
    items_.alpha = alpha, items_.order = order;
    lay_source_out();
    if (algorithm == Algorithm::exact)  // looks at all keys before it writes
      add_by_key(items_, algorithm);
    else
      by_tiles([algorithm](const KeyedItems& items) { add_by_key(items, algorithm); });
  }
  void extremum(bool max) {
    by_tiles([max](const KeyedItems& items) { ORDO_ON_DEVICE(items.device, scatter_extremum, items, max); });
  }
  /// The items of each slot.
  Tensor count() {
    const Tensor counts = full({items_.shape.slots()}, 0, int64, items_.device);
    set_output(counts);
    set_number(1);
    by_tiles([](const KeyedItems& items) {
      ORDO_ON_DEVICE(items.device, scatter_count, items, static_cast<int64_t*>(items.output));
    });
    return counts;
  }
  void multiply() {
    lay_source_out();
    by_tiles([](const KeyedItems& items) { multiply_by_key(items); });
  }

 private:
  /// Calls combine(items): on the CPU for tiles of a line, if they are full enough. A line without columns is a tile;
  /// else so many neighbouring columns are that their places stay in the cache, where copies of them are combined.
  template <class F>
  void by_tiles(const F& combine) const {
    constexpr int64_t kGrain = 16 * 1024, kCells = 8 * 1024, kMostCells = 32 * kCells, kLine = 16, kLong = 64;
    constexpr int64_t kFilled = 4;
    const KeyedShape& s = items_.shape;
    const int64_t width = std::min(s.inner, std::max(kLine, kCells / std::max<int64_t>(1, s.destinations)));
    const int64_t tiles = width == 0 ? 0 : (s.inner + width - 1) / width;
    if (!items_.device.is_cpu() || s.rows || s.items * width < kLong || s.destinations > kFilled * s.items ||
        (s.inner > 1 && s.destinations * width > kMostCells) || s.outer * tiles < pieces_for(s.elements(), kGrain))
      return combine(items_);
    dispatch_word(size_of(items_.dtype), [&]<class Word>() {
      parallel_for(0, s.outer * tiles, std::max<int64_t>(1, kGrain / (s.items * width)), [&](int64_t t, int64_t last) {
        const int64_t copied = s.inner > 1 ? width : 0;
        Scratch<int32_t> keys(s.items * copied, Device());
        Scratch<Word> values(s.items * copied, Device()), places(s.destinations * copied, Device());
        for (; t < last; ++t) {
          const int64_t o = t / tiles, column = t % tiles * width, columns = std::min(width, s.inner - column);
          const int64_t* const index = static_cast<const int64_t*>(items_.index.data) + o * s.items * s.inner + column;
          const Word* const from =
              static_cast<const Word*>(items_.source) + o * s.outer_stride + column * s.inner_stride;
          Word* const to = static_cast<Word*>(items_.output) + o * s.destinations * s.inner + column;
          KeyedItems tile = items_;
          tile.shape = keyed_rows(s.destinations * columns, 1, s.items * columns);
          tile.known = true, tile.index.size = tile.shape.destinations;
          if (s.inner == 1) {
            tile.shape.item_stride = s.item_stride;
            tile.index.data = index, tile.source = from, tile.output = to;
            combine(tile);
            continue;
          }
          tile.index.data = keys.data(), tile.index.wide = false;
          tile.source = values.data(), tile.output = places.data();
          copy_items(s, columns, index, from, keys.data(), values.data());
          for (int64_t d = 0; d < s.destinations; ++d) std::copy_n(to + d * s.inner, columns, places + d * columns);
          combine(tile);
          for (int64_t d = 0; d < s.destinations; ++d) std::copy_n(places + d * columns, columns, to + d * s.inner);
        }
      });
    });
  }
  /// The keys and values of some columns, one item after the other.
  template <class Word>
  static void copy_items(const KeyedShape& s, int64_t columns, const int64_t* index, const Word* from, int32_t* keys,
                         Word* values) {
    constexpr int64_t kAhead = 8, kBytes = 64;  // such rows lie too far apart to be fetched without being asked for
    for (int64_t i = 0; i < s.items; ++i, index += s.inner, from += s.item_stride) {
      for (int64_t j = 0; j < columns; j += kBytes / 8) __builtin_prefetch(index + kAhead * s.inner + j);
      for (int64_t j = 0; j < columns; j += kBytes / int64_t(sizeof(Word)))
        __builtin_prefetch(from + kAhead * s.item_stride + j * s.inner_stride);
      for (int64_t j = 0; j < columns; ++j) *keys++ = int32_t(index[j] * columns + j);
      if (s.inner_stride == 1)
        values = std::copy_n(from, columns, values);
      else
        for (int64_t j = 0; j < columns; ++j) *values++ = from[j * s.inner_stride];
    }
  }
  void set_source(const Tensor& source, int64_t outer, int64_t item, int64_t inner) {
    source_ = source;
    items_.source = source.data();
    items_.shape.outer_stride = outer, items_.shape.item_stride = item, items_.shape.inner_stride = inner;
  }
  /// As sums and products take it.
  void lay_source_out() {
    const KeyedShape& s = items_.shape;
    if (!s.rows || (s.inner > 1 && s.inner_stride != 1)) set_source(contiguous(source_));
  }

  IndexGuard guard_;
  Tensor index_, source_, output_;
  KeyedItems items_{};
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
  if (items.get().shape.elements() == 0) return;
  ORDO_ON_DEVICE(items.get().device, scatter_write, items.get());
}

DType computed_in(Reduce mode, DType t) {
  if (is_floating(t)) return t == float64 ? float64 : float32;
  return mode == Reduce::prod ? int64 : t;
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
              items.validate();
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

Tensor take_out_(IndexOf kind, const Tensor& self, int64_t dim, const Tensor& index, const Dims& sizes) {
  if (index.numel() == 0) return full(sizes, 0, self.dtype(), self.device());
  const Tensor taken = ordo::detail::result(sizes, self.dtype(), self.device());
  on_target("scatter", kind, self, dim, index, taken,
            [&](const Tensor& target, int d, const Tensor& i, const Tensor& values) {
              const Items items("scatter", kind, target, d, i, values);
              if (items.get().shape.elements() > 0)
                ORDO_ON_DEVICE(self.device(), scatter_take_out, items.get(), taken.data());
            });
  return taken;
}

void add_(const char* op, IndexOf kind, const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
          Scalar alpha, Algorithm algorithm, const IndexPlan* plan) {
  const ordo::detail::OperationName name(op);
  check_arguments(op, kind, self, dim, index, src);
  ordo::detail::expect_not_bool(op, self.dtype());
  if (is_integral(self.dtype())) {
    ORDO_CHECK(!alpha.is_floating(), ValueError, op, "alpha = {} must be an integer for {} tensors", alpha.to_double(),
               self.dtype());
    ordo::detail::expect_fits(op, alpha, self.dtype());
  }
  expect_writable(op, self);
  const AccumulateSize size = size_of(kind, self, dim, index);
  ORDO_CHECK(!plan || plan->size() == size.destinations, ShapeError, op,
             "the plan is for a dimension of size {}, but dimension {} has {}", plan->size(), dim, size.destinations);
  algorithm = plan ? Algorithm::sorted : choose_accumulate(op, algorithm, self.dtype(), size);
  on_target(op, kind, self, dim, safe(index, self), safe(src, self),
            [&](const Tensor& target, int d, const Tensor& i, const Tensor& values) {
              Items items(op, kind, target, d, i, values);
              if (!plan) items.validate(algorithm);
              items.add(algorithm, alpha, plan ? &plan->order() : nullptr);
              items.finish();
            });
}

static Tensor sum(const char* op, IndexOf of, const Tensor& input, int64_t dim, const Tensor& index,
                  const Tensor& source, Scalar alpha, Algorithm algorithm, const IndexPlan* plan = nullptr) {
  const ordo::detail::OperationName name(op);
  ordo::detail::expect_defined(op, input, "input");
  const Tensor result = clone(input);
  add_(op, of, result, dim, index, source, alpha, algorithm, plan);
  return result;
}

void index_add_(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source, Scalar alpha,
                Algorithm algorithm) {
  add_("index_add", IndexOf::slices, self, dim, index, source, alpha, algorithm);
}
Tensor index_add(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& source, Scalar alpha,
                 Algorithm algorithm) {
  return sum("index_add", IndexOf::slices, input, dim, index, source, alpha, algorithm);
}
Tensor index_add(const Tensor& input, int64_t dim, const IndexPlan& plan, const Tensor& source, Scalar alpha) {
  return sum("index_add", IndexOf::slices, input, dim, plan.index(), source, alpha, Algorithm::sorted, &plan);
}

void scatter_add_(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, Algorithm algorithm) {
  add_("scatter_add", IndexOf::elements, self, dim, index, src, 1, algorithm);
}
Tensor scatter_add(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& src, Algorithm algorithm) {
  return sum("scatter_add", IndexOf::elements, input, dim, index, src, 1, algorithm);
}

void scatter_reduce_(const char* op, IndexOf kind, const Tensor& self, int64_t dim, const Tensor& index,
                     const Tensor& src, Reduce mode, bool include_self, Algorithm algorithm) {
  const ordo::detail::OperationName name(op);
  ordo::detail::expect_enumerator(op, mode, Reduce::amin, "a way to reduce");
  check_arguments(op, kind, self, dim, index, src);
  ordo::detail::expect_not_bool(op, self.dtype());
  expect_writable(op, self);
  const bool adds = mode == Reduce::sum || mode == Reduce::mean;
  if (adds || algorithm != Algorithm::automatic)
    algorithm = choose_accumulate(op, algorithm, adds ? computed_in(mode, self.dtype()) : self.dtype(),
                                  size_of(kind, self, dim, index));
  const bool extremum = mode == Reduce::amax || mode == Reduce::amin;
  const DType dtype = extremum || mode == Reduce::sum ? self.dtype() : computed_in(mode, self.dtype());
  on_target(op, kind, self, dim, safe(index, self), safe(src, self),
            [&](const Tensor& target, int d, const Tensor& i, const Tensor& given) {
              const Tensor work = cast(target, dtype), values = cast(given, dtype);
              Items items(op, kind, work, d, i, values);
              items.validate(include_self && adds ? algorithm : Algorithm::sorted);
              if (!include_self) {  // the old content gives way to what changes nothing
                if (!extremum) items.set_number(mode == Reduce::prod ? 1 : 0);
                write(items);
                items.set_source(values);
              }
              const KeyedItems& all = items.get();
              if (work.numel() > 0 && extremum) {
                items.extremum(mode == Reduce::amax);
              } else if (work.numel() > 0 && mode == Reduce::prod) {
                items.multiply();
                copy_(target, work);
              } else if (work.numel() > 0) {
                items.add(algorithm);
                items.finish();
                if (mode == Reduce::mean) {
                  const Tensor counts = items.count();
                  items.set_output(target);
                  ORDO_ON_DEVICE(all.device, scatter_mean, all, work.data(), counts.data<int64_t>(), include_self);
                }
              }
              items.finish();
            });
}

}  // namespace ordo::kernels
