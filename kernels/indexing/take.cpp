#include <ordo/kernels/indexing/take.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include <ordo/engine/check.h>
#include <ordo/engine/dispatch.h>
#include <ordo/engine/dispatch_word.h>
#include <ordo/engine/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/index_add/index_add.h>
#include <ordo/kernels/indexing/index_put.h>
#include <ordo/kernels/reduce/each_cpu.h>
#include <ordo/kernels/reduce/reducers.h>
#include <ordo/kernels/scatter/scatter.h>

namespace ordo::kernels {
namespace {

ORDO_REGISTER_OP({.name = "take", .family = "indexing", .dtypes = kAllTypes});
ORDO_REGISTER_OP({.name = "put",
                  .family = "indexing",
                  .dtypes = kAllTypes,
                  .note = "the last item stays; accumulate: as index_add"});
ORDO_REGISTER_OP({.name = "take_along_dim", .family = "indexing", .dtypes = kAllTypes});
ORDO_REGISTER_OP({.name = "nonzero",
                  .family = "indexing",
                  .dtypes = kAllTypes,
                  .differentiable = false,
                  .note = "waits for the device"});
ORDO_REGISTER_OP({.name = "masked_select", .family = "indexing", .dtypes = kAllTypes, .note = "waits for the device"});
ORDO_REGISTER_OP({.name = "masked_scatter", .family = "indexing", .dtypes = kAllTypes, .note = "waits for the device"});
ORDO_REGISTER_OP({.name = "repeat_interleave",
                  .family = "indexing",
                  .dtypes = kAllTypes,
                  .note = "repeats in a tensor: waits for the device"});

void check_index(const char* op, const Tensor& input, const Tensor& index) {
  ordo::detail::expect_defined(op, input, "input");
  ordo::detail::expect_defined(op, index, "index");
  ordo::detail::expect_index_dtype(op, index);
  ordo::detail::expect_same_device(op, input, index);
}

}  // namespace

Tensor take(const Tensor& input, const Tensor& index) {
  const ordo::detail::OperationName name("take");
  check_index("take", input, index);
  Tensor out = ordo::detail::result(index.sizes(), input.dtype(), input.device());
  if (out.numel() > 0) ORDO_ON_DEVICE(input.device(), take, contiguous(input), contiguous(index), out);
  return out;
}

void put_(const char* op, const Tensor& self, const Tensor& index, const Tensor& source, bool accumulate) {
  const ordo::detail::OperationName name(op);
  check_index(op, self, index);
  ordo::detail::expect_defined(op, source, "source");
  ordo::detail::expect_same_device(op, self, source);
  ordo::detail::expect_same_dtype(op, self, source);
  ORDO_CHECK(source.numel() == index.numel(), ShapeError, op,
             "source must have as many elements as index, but their shapes are {} and {}", source.sizes(),
             index.sizes());
  expect_writable(op, self);
  if (index.numel() == 0) return;
  const Tensor flat = views::view(contiguous(self), {-1});
  Tensor values = views::view(contiguous(source), {-1});
  if (values.impl()->storage == flat.impl()->storage) values = clone(values);
  Tensor line = views::view(contiguous(index), {-1});
  if (line.impl()->storage == flat.impl()->storage) line = clone(line);
  if (!accumulate && self.is_cpu()) {
    cpu::put(op, flat, line, values);
  } else {
    const bool counted = self.is_cpu() && cpu::all_inside(line, flat.numel());  // from the start, not from the end
    const Tensor places = counted ? line : linear_index(op, {line}, {0}, {flat.numel()});
    if (accumulate)
      index_add_(flat, 0, places, values);
    else
      scatter_(op, IndexOf::elements, flat, 0, places, values);
  }
  if (!self.is_contiguous()) copy_(self, views::view(flat, self.sizes()));
}

Tensor nonzero_places(const char* op, const Tensor& t) {
  const ordo::detail::OperationName name(op);
  ordo::detail::expect_defined(op, t, "input");
  const Tensor mask = contiguous(cast(t, boolean));
  if (mask.numel() == 0) return ordo::detail::result({0}, int64, t.device());
  return ORDO_ON_DEVICE(t.device(), true_places, mask);
}

Tensor coordinates(const Tensor& places, const Dims& sizes) {
  const int64_t count = places.numel();
  if (sizes.size() == 1) return views::view(places, {count, 1});
  const Tensor out = ordo::detail::result({count, sizes.size()}, int64, places.device());
  if (out.numel() == 0) return out;
  CoordinatesOfPlace f{places.data<int64_t>(), out.data<int64_t>(), sizes.size(), {}};
  for (int d = 0; d < sizes.size(); ++d) f.sizes[d] = sizes[d];
  ORDO_ON_DEVICE(places.device(), coordinates, f, count, places.device());
  return out;
}

Tensor nonzero(const Tensor& t) {
  const ordo::detail::OperationName name("nonzero");
  return coordinates(nonzero_places("nonzero", t), t.sizes());
}

namespace cpu {

void take(const Tensor& input, const Tensor& index, const Tensor& out) {
  const IndexGuard guard("take", "index", 0, input.numel(), input.device());
  dispatch_word(input.element_size(), [&]<class Word>() {
    each(out.numel(), TakeElement<Word>{index_view(index, input.numel(), guard), static_cast<const Word*>(input.data()),
                                        static_cast<Word*>(out.data())});
  });
  guard.finish();
}

void coordinates(const CoordinatesOfPlace& f, int64_t count, Device) { each(count, f); }

Tensor true_places(const Tensor& mask) {
  constexpr int64_t kWord = sizeof(uint64_t);
  const int64_t n = mask.numel();
  const uint8_t* const at = static_cast<const uint8_t*>(mask.data());
  const int pieces = pieces_for(n, 64 * 1024);
  const auto begin = [&](int64_t piece) { return piece == pieces ? n : n / kWord * piece / pieces * kWord; };
  std::vector<int64_t> starts(size_t(pieces) + 1, 0);
  for_pieces(pieces, [&](int piece) {
    int64_t count = 0;
    for (int64_t i = begin(piece); i < begin(piece + 1); ++i) count += at[i];
    starts[size_t(piece) + 1] = count;
  });
  for (int piece = 0; piece < pieces; ++piece) starts[size_t(piece) + 1] += starts[size_t(piece)];
  const Tensor out = ordo::detail::result({starts.back()}, int64, mask.device());
  for_pieces(pieces, [&](int piece) {
    int64_t* place = out.data<int64_t>() + starts[size_t(piece)];
    const int64_t last = begin(piece + 1);
    int64_t i = begin(piece);
    for (; i + kWord <= last; i += kWord) {
      uint64_t word;
      std::memcpy(&word, at + i, kWord);
      for (; word != 0; word &= word - 1) *place++ = i + std::countr_zero(word) / 8;  // a true byte is 1
    }
    for (; i < last; ++i)
      if (at[i]) *place++ = i;
  });
  return out;
}

static Tensor firsts_of_runs(const Tensor& line) {
  const int64_t n = line.numel();
  const int pieces = pieces_for(n, 64 * 1024);
  const auto begin = [&](int64_t piece) { return n * piece / pieces; };
  std::vector<int64_t> starts(size_t(pieces) + 1, 0);
  Tensor out;
  dispatch_all("unique_consecutive", line.dtype(), [&]<class T>() {
    const T* const x = line.data<T>();
    const auto differs = [x](int64_t i) { return compare_t<T>(x[i]) != compare_t<T>(x[i - 1]); };
    for_pieces(pieces, [&](int piece) {
      int64_t count = piece == 0;
      for (int64_t i = std::max<int64_t>(1, begin(piece)); i < begin(piece + 1); ++i) count += differs(i);
      starts[size_t(piece) + 1] = count;
    });
    for (int piece = 0; piece < pieces; ++piece) starts[size_t(piece) + 1] += starts[size_t(piece)];
    out = ordo::detail::result({starts.back()}, line.dtype(), line.device());
    for_pieces(pieces, [&](int piece) {
      int64_t i = begin(piece);
      const int64_t last = begin(piece + 1);
      while (i > 0 && i < last && !differs(i)) ++i;
      if (i == last) return;
      T* to = out.data<T>() + starts[size_t(piece)];
      T first = *to = x[i];
      for (++i; i < last; ++i) {  // without a branch: a run's first one is written again for each of its elements
        const bool begins = differs(i);
        first = begins ? x[i] : first;
        to += begins;
        *to = first;
      }
    });
  });
  return out;
}

}  // namespace cpu

Tensor firsts_of_runs(const Tensor& line) { return line.is_cpu() ? cpu::firsts_of_runs(line) : Tensor(); }

}  // namespace ordo::kernels
