#include <ordo/kernels/indexing/gather.h>

#include <ordo/engine/calls/checked.h>
#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/calls/dispatch_word.h>
#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/indexing/all_below.h>
#include <ordo/kernels/reduce/axis_shape.h>
#include <ordo/kernels/reduce/each_cpu.h>
#include <ordo/kernels/reduce/reduce.h>

namespace ordo::kernels {
namespace {

ORDO_REGISTER_OPS({"gather", "index_select"}, {.family = "indexing", .dtypes = kAllTypes});
ORDO_REGISTER_OP({.name = "one_hot", .family = "indexing", .dtypes = {int32, int64}, .differentiable = false});

}  // namespace

void check_index(const char* op, const Tensor& input, const Tensor& index) {
  ordo::detail::expect_defined(op, input, "input");
  ordo::detail::expect_defined(op, index, "index");
  ordo::detail::expect_index_dtype(op, index);
  ordo::detail::expect_same_device(op, input, index);
}

Tensor gather(const Tensor& input, int64_t dim, const Tensor& index) {
  const ordo::detail::OperationName name("gather");
  check_index("gather", input, index);
  GatherShape s;
  s.dim = wrap_dim("gather", dim, input.dim());
  s.rank = index.dim();
  if (index.numel() > 0 || index.dim() == input.dim()) {
    ORDO_CHECK(index.dim() == input.dim(), ShapeError, "gather",
               "index must have as many dimensions as input, but their shapes are {} and {}", index.sizes(),
               input.sizes());
    for (int d = 0; d < index.dim(); ++d)
      ORDO_CHECK(d == s.dim || index.sizes()[d] <= input.sizes()[d], ShapeError, "gather",
                 "index of shape {} is larger than input of shape {} in dimension {}", index.sizes(), input.sizes(), d);
  }
  Tensor out = ordo::detail::result(index.sizes(), input.dtype(), input.device());
  if (out.numel() == 0) return out;
  for (int d = 0; d < s.rank; ++d) {
    s.sizes[d] = index.sizes()[d];
    s.strides[d] = input.strides()[d];
  }
  if (input.dim() > 0) s.bound = input.sizes()[s.dim];
  ORDO_ON_DEVICE(input.device(), gather, input, contiguous(index), out, s);
  return out;
}

Tensor index_select(const Tensor& input, int64_t dim, const Tensor& index) {
  const ordo::detail::OperationName name("index_select");
  check_index("index_select", input, index);
  ORDO_CHECK(index.dim() <= 1, ShapeError, "index_select", "index must be 0-d or 1-d, but has shape {}", index.sizes());
  SelectShape s;
  s.dim = wrap_dim("index_select", dim, input.dim());
  Dims sizes = input.sizes();
  s.count = index.numel();
  if (input.dim() == 0) {
    ORDO_CHECK(s.count == 1, ShapeError, "index_select", "takes one index for a 0-d input, but got {}", s.count);
  } else {
    const AxisShape seen = axis_shape(sizes, s.dim);
    s.outer = seen.outer, s.bound = seen.length, s.inner = seen.inner;
    sizes[s.dim] = s.count;
  }
  Tensor out = ordo::detail::result(sizes, input.dtype(), input.device());
  ORDO_ON_DEVICE(input.device(), index_select, contiguous(input), contiguous(index), out, s);
  return out;
}

Tensor one_hot(const Tensor& target, int64_t num_classes) {
  const ordo::detail::OperationName name("one_hot");
  check_index("one_hot", target, target);
  ORDO_CHECK(num_classes == -1 || num_classes > 0, ValueError, "one_hot",
             "num_classes must be positive, or -1 to be found, but is {}", num_classes);
  if (num_classes == -1) {
    ORDO_CHECK(target.numel() > 0, ValueError, "one_hot", "cannot find num_classes from no targets: give it");
    const Tensor smallest = amin(target);
    ORDO_CHECK(smallest.item<int64_t>() >= 0, IndexError, "one_hot", "targets must not be negative, but one is {}",
               smallest.item<int64_t>());
    num_classes = checked::add("one_hot", amax(target).item<int64_t>(), 1);
  }
  Dims sizes = target.sizes();
  sizes.push_back(num_classes);
  Tensor out = ordo::detail::result(sizes, int64, target.device());
  ORDO_ON_DEVICE(target.device(), one_hot, contiguous(target), out, num_classes);
  return out;
}

namespace cpu {

void gather(const Tensor& input, const Tensor& index, const Tensor& out, const GatherShape& s) {
  const IndexGuard guard("gather", "index", s.dim, s.bound, input.device());
  const IndexCheck check = guard.check();
  // By rows of neighbours: one division a row instead of one an element.
  const int last = s.rank - 1;
  const int64_t row_size = s.rank == 0 ? 1 : s.sizes[last];
  dispatch_word(input.element_size(), [&]<class Word>() {
    const Word* const x = static_cast<const Word*>(input.data());
    Word* const to = static_cast<Word*>(out.data());
    dispatch_index("gather", index.dtype(), [&]<class I>() {
      const I* const at = index.data<I>();
      parallel_for(0, out.numel() / row_size, row_grain(row_size), [&](int64_t begin, int64_t end) {
        const int64_t n = row_size, stride = s.rank == 0 ? 0 : s.strides[s.dim];
        const int64_t step = s.rank == 0 || s.dim == last ? 0 : s.strides[last];
        for (int64_t row = begin; row < end; ++row) {
          int64_t base = 0, rest = row, first = row * n;
          for (int d = last - 1; d >= 0; --d) {
            const int64_t q = rest / s.sizes[d];
            if (d != s.dim) base += (rest - q * s.sizes[d]) * s.strides[d];
            rest = q;
          }
          if (step == 0 && stride == 1 && all_below(at + first, n, s.bound)) {
            const Word* const line = x + base;
            for (int64_t j = 0; j < n; ++j) to[first + j] = line[at[first + j]];
            continue;
          }
          for (int64_t j = 0; j < n; ++j) {
            const int64_t i = first + j, picked = int64_t(at[i]);
            to[i] = check.ok(i, picked, s.bound) ? x[base + j * step + picked * stride] : Word(0);
          }
        }
      });
    });
  });
  guard.finish();
}

void index_select(const Tensor& input, const Tensor& index, const Tensor& out, const SelectShape& s) {
  const IndexGuard guard("index_select", s.argument, s.dim, s.bound, input.device());
  const IndexCheck check = guard.check();
  const size_t row = size_t(s.inner) * input.element_size();
  const char* x = static_cast<const char*>(input.data());
  char* y = static_cast<char*>(out.data());
  constexpr int64_t kAtOnce = 1024;  // indices that are looked at before they are used
  // Short rows, of a number of bytes that the compiler knows, are a few instructions.
  const auto copy_rows = [&]<class I>(const I* at, int64_t first, int64_t last, auto bytes) {
    int64_t outer = first / s.count, k = first % s.count;
    for (int64_t i = first, n; i < last; i += n, k += n) {
      if (k == s.count) k = 0, ++outer;
      n = std::min({last - i, s.count - k, kAtOnce});
      const char* const from = x + outer * s.bound * row;
      char* const to = y + i * row;
      if (bytes > 0 && s.skip < 0 && all_below(at + k, n, s.bound)) {
        for (int64_t j = 0; j < n; ++j) std::memcpy(to + j * row, from + int64_t(at[k + j]) * row, bytes);
        continue;
      }
      for (int64_t j = 0; j < n; ++j) {
        const int64_t picked = int64_t(at[k + j]);
        if (!check.ok(k + j, picked, s.bound) || bytes == 0) continue;
        if (picked != s.skip)
          std::memcpy(to + j * row, from + picked * row, bytes);
        else
          std::memset(to + j * row, 0, bytes);  // all bits 0 are 0
      }
    }
  };
  dispatch_index("index_select", index.dtype(), [&]<class I>() {
    const I* at = index.data<I>();
    parallel_for(0, s.outer * s.count, std::max<int64_t>(1, 65536 / std::max<int64_t>(1, row)),
                 [&](int64_t first, int64_t last) {
                   if (row == 4) return copy_rows(at, first, last, std::integral_constant<size_t, 4>());
                   if (row == 8) return copy_rows(at, first, last, std::integral_constant<size_t, 8>());
                   if (row == 16) return copy_rows(at, first, last, std::integral_constant<size_t, 16>());
                   if (row == 32) return copy_rows(at, first, last, std::integral_constant<size_t, 32>());
                   if (row == 64) return copy_rows(at, first, last, std::integral_constant<size_t, 64>());
                   copy_rows(at, first, last, row);
                 });
  });
  guard.finish();
}

}  // namespace cpu

}  // namespace ordo::kernels
