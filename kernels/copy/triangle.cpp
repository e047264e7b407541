#include <ordo/kernels/copy/triangle.h>

#include <algorithm>
#include <cstring>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/run/parallel.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>

namespace ordo::kernels {

ORDO_REGISTER_OP({.name = "tril", .family = "copy", .dtypes = kAllTypes});
ORDO_REGISTER_OP({.name = "triu", .family = "copy", .dtypes = kAllTypes});

namespace cpu {
void triangle(const TriangleArgs& a) {
  const auto size = int64_t(a.element_size);
  const int64_t grain = std::max<int64_t>(1, 32768 / std::max<int64_t>(1, a.columns));
  parallel_for(0, a.matrices * a.rows, grain, [&](int64_t first, int64_t last) {
    for (int64_t row = first; row < last; ++row) {
      const int64_t cut = std::clamp<int64_t>(row % a.rows + a.start, 0, a.columns) * size, end = a.columns * size;
      char* out = static_cast<char*>(a.out) + row * end;
      const char* in = static_cast<const char*>(a.in) + row * end;
      const int64_t kept = a.lower ? 0 : cut, zero = a.lower ? cut : 0;
      std::memcpy(out + kept, in + kept, size_t(a.lower ? cut : end - cut));
      std::memset(out + zero, 0, size_t(a.lower ? end - cut : cut));
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
  const int64_t rows = t.sizes()[t.dim() - 2], columns = t.sizes()[t.dim() - 1];
  const int64_t start = std::clamp(diagonal, -rows - 1, columns + 1) + (lower ? 1 : 0);
  const TriangleArgs args{result.data(),    from.data(), t.numel() / (rows * columns), rows, columns, start, lower,
                          t.element_size(), t.device()};
  ORDO_ON_DEVICE(args.device, triangle, args);
  return result;
}

Tensor tril(const Tensor& t, int64_t diagonal) { return triangle("tril", t, diagonal, true); }
Tensor triu(const Tensor& t, int64_t diagonal) { return triangle("triu", t, diagonal, false); }

}  // namespace ordo::kernels
