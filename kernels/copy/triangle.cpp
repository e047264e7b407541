#include <ordo/kernels/copy/triangle.h>

#include <algorithm>
#include <cstring>

#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/run/parallel.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>

namespace ordo::kernels {

ORDO_REGISTER_OPS({"tril", "triu"}, {.family = "copy", .dtypes = kAllTypes});

namespace cpu {
void triangle(const Tensor& in, const Tensor& out, int64_t start, bool lower) {
  const int64_t rows = in.size(-2), columns = in.size(-1), size = int64_t(in.element_size()), end = columns * size;
  const char* const all = static_cast<const char*>(in.data());
  char* const result = static_cast<char*>(out.data());
  parallel_for(0, in.numel() / columns, std::max<int64_t>(1, 32768 / columns), [&](int64_t first, int64_t last) {
    for (int64_t row = first; row < last; ++row) {
      const int64_t cut = std::clamp<int64_t>(row % rows + start, 0, columns) * size;
      char* const to = result + row * end;
      const char* const from = all + row * end;
      const int64_t kept = lower ? 0 : cut, zero = lower ? cut : 0;
      std::memcpy(to + kept, from + kept, size_t(lower ? cut : end - cut));
      std::memset(to + zero, 0, size_t(lower ? end - cut : cut));
    }
  });
}
}  // namespace cpu

static Tensor triangle(const char* op, const Tensor& t, int64_t diagonal, bool lower) {
  const ordo::detail::OperationName name(op);
  detail::expect_defined(op, t, "input");
  ORDO_CHECK(t.dim() >= 2, ShapeError, op, "takes matrices, not a tensor of shape {}", t.sizes());
  const Tensor from = contiguous(t);
  Tensor result = detail::result_like(from);
  if (result.numel() == 0) return result;
  const int64_t start = std::clamp(diagonal, -t.size(-2) - 1, t.size(-1) + 1) + (lower ? 1 : 0);
  ORDO_ON_DEVICE(t.device(), triangle, from, result, start, lower);
  return result;
}

Tensor tril(const Tensor& t, int64_t diagonal) { return triangle("tril", t, diagonal, true); }
Tensor triu(const Tensor& t, int64_t diagonal) { return triangle("triu", t, diagonal, false); }

}  // namespace ordo::kernels
