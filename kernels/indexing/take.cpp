#include <ordo/kernels/indexing/take.h>

#include <atomic>
#include <bit>
#include <cstring>
#include <vector>

#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/run/parallel.h>
#include <ordo/engine/tensor/at_least_1d.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/indexing/all_below.h>
#include <ordo/kernels/indexing/gather.h>
#include <ordo/kernels/scatter/scatter.h>

namespace ordo::kernels {
namespace {

ORDO_REGISTER_OP({.name = "index",
                  .family = "indexing",
                  .dtypes = kAllTypes,
                  .note = "a view for integers and slices; masks wait for the device"});
ORDO_REGISTER_OPS({"index_put", "put"},
                  {.family = "indexing", .dtypes = kAllTypes, .note = "the last item stays; accumulate: as index_add"});
ORDO_REGISTER_OPS({"take", "take_along_dim"}, {.family = "indexing", .dtypes = kAllTypes});
ORDO_REGISTER_OP({.name = "nonzero",
                  .family = "indexing",
                  .dtypes = kAllTypes,
                  .differentiable = false,
                  .note = "waits for the device",
                  .no_rows = "its size depends on the values"});
ORDO_REGISTER_OP({.name = "masked_select",
                  .family = "indexing",
                  .dtypes = kAllTypes,
                  .note = "waits for the device",
                  .no_rows = "its size depends on the values"});
ORDO_REGISTER_OP({.name = "masked_scatter",
                  .family = "indexing",
                  .dtypes = kAllTypes,
                  .note = "waits for the device",
                  .no_rows = "an element depends on how many true ones are before it"});
ORDO_REGISTER_OP({.name = "repeat_interleave",
                  .family = "indexing",
                  .dtypes = kAllTypes,
                  .note = "repeats in a tensor: waits for the device"});

}  // namespace

Tensor take(const Tensor& input, const Tensor& index) {
  const ordo::detail::OperationName name("take");
  check_index("take", input, index);
  const Tensor out = ordo::detail::result(index.sizes(), input.dtype(), input.device());
  if (out.numel() > 0) ORDO_ON_DEVICE(input.device(), take, contiguous(input), contiguous(index), out);
  return out;
}

/// Of the elements of a tensor of that many.
static Tensor flat_places(const char* op, const Tensor& index, int64_t numel) {
  return linear_index(op, {views::view(contiguous(index), {-1})}, {0}, {numel});
}

Tensor take_out_(const char* op, const Tensor& self, const Tensor& index) {
  if (index.numel() == 0) return ordo::detail::result(index.sizes(), self.dtype(), self.device());
  const Tensor places = flat_places(op, index, self.numel());
  return views::view(take_out_(IndexOf::elements, views::view(self, {-1}), 0, places, places.sizes()), index.sizes());
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
  const Tensor values = views::view(contiguous(source), {-1});
  const Tensor places = flat_places(op, index, flat.numel());
  if (accumulate)
    index_add_(flat, 0, places, values);
  else
    scatter_(op, IndexOf::elements, flat, 0, places, values);
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
  ORDO_ON_DEVICE(places.device(), coordinates, places, sizes, out);
  return out;
}

Tensor nonzero(const Tensor& t) {
  const ordo::detail::OperationName name("nonzero");
  return coordinates(nonzero_places("nonzero", t), t.sizes());
}

TensorList mask_coordinates(const Tensor& mask) {
  const Tensor m = views::at_least_1d(mask), all = nonzero(m);
  TensorList out;
  for (int d = 0; d < m.dim(); ++d) out.push_back(contiguous(views::select(all, 1, d)));
  return out;
}

/// Whether an index of int64 on the CPU needs no change.
static bool counts_from_start(const Tensor& index, int64_t size) {
  if (!index.is_cpu() || index.dtype() != int64 || !index.is_contiguous()) return false;
  const int64_t* const at = index.data<int64_t>();
  std::atomic<bool> all = true;
  parallel_for(0, index.numel(), 64 * 1024, [&](int64_t first, int64_t last) {
    if (!cpu::all_below(at + first, last - first, size)) all = false;
  });
  return all;
}

Tensor linear_index(const char* op, const TensorList& indices, const Dims& dims, const Dims& sizes) {
  Dims common;
  for (const Tensor& index : indices) common = broadcast_sizes(op, common, index.sizes());
  Tensor linear;
  for (int j = 0; j < int(indices.size()); ++j) {
    const Tensor& index = indices[size_t(j)];
    const Device device = index.device();
    if (indices.size() == 1 && counts_from_start(index, sizes[j])) return index;
    const IndexGuard guard(op, "index", dims[j], sizes[j], device);
    const Tensor wrapped = ordo::detail::result(index.sizes(), int64, device);
    ORDO_ON_DEVICE(device, wrap_index, contiguous(index), wrapped, sizes[j], guard);
    guard.finish();
    const Tensor next = views::expand(wrapped, common);
    if (j == 0) {
      linear = indices.size() == 1 ? wrapped : clone(next);
      continue;
    }
    ORDO_ON_DEVICE(device, combine_indices, linear, contiguous(next), sizes[j]);
  }
  return linear;
}

Tensor cpu::true_places(const Tensor& mask) {
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
    const int64_t* const end = out.data<int64_t>() + starts[size_t(piece) + 1];
    const int64_t last = begin(piece + 1);
    int64_t i = begin(piece);
    for (; i + kWord <= last; i += kWord) {
      uint64_t word;
      std::memcpy(&word, at + i, kWord);
      if (word != 0 && end - place >= kWord) {  // without branches: the next place overwrites what is none
        for (int64_t b = 0; b < kWord; ++b) *place = i + b, place += at[i + b];
        continue;
      }
      for (; word != 0; word &= word - 1) *place++ = i + std::countr_zero(word) / 8;  // a true byte is 1
    }
    for (; i < last; ++i)
      if (at[i]) *place++ = i;
  });
  return out;
}

}  // namespace ordo::kernels
