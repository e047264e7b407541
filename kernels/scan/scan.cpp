#include <ordo/kernels/scan/scan.h>

#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>

namespace ordo::kernels {
namespace {

ORDO_REGISTER_OPS({"cumsum", "cumprod", "cummax", "cummin"}, {.family = "scan", .dtypes = kAllTypes});
ORDO_REGISTER_OP({.name = "logcumsumexp", .family = "scan", .dtypes = kFloatingTypes});

/// On CUDA a thread walks down each column. Where there are few, their lines are laid along memory, where a block of
/// threads shares them.
bool few_long_columns(const Tensor& t, const ScanShape& s) {
  return t.is_cuda() && s.inner > 1 && s.outer * s.inner < 4096 && s.length >= 256;
}

Tensor scan(const char* op, ScanKind kind, const Tensor& t, int64_t dim, bool reverse) {
  const ordo::detail::OperationName name(op);
  ordo::detail::expect_defined(op, t, "input");
  if (kind == ScanKind::log_sum_exp) ordo::detail::expect_floating(op, t);
  const int at = wrap_dim(op, dim, t.dim());
  const Tensor source = contiguous(is_integral(t.dtype()) ? cast(t, int64) : t);
  const ScanShape s{axis_shape(source.sizes(), at), reverse};
  if (source.numel() == 0) return ordo::detail::result_like(source);
  if (few_long_columns(source, s))
    return contiguous(views::transpose(scan(op, kind, views::transpose(source, at, -1), -1, reverse), at, -1));
  Tensor out = ordo::detail::result_like(source);
  ORDO_ON_DEVICE(t.device(), scan, kind, s, source, out);
  return out;
}

std::pair<Tensor, Tensor> scan_extremum(const char* op, bool max, const Tensor& t, int64_t dim) {
  const ordo::detail::OperationName name(op);
  ordo::detail::expect_defined(op, t, "input");
  const int at = wrap_dim(op, dim, t.dim());
  if (t.dtype() == boolean) {  // its kernels are those of uint8
    const auto [values, indices] = scan_extremum(op, max, cast(t, uint8), dim);
    return {cast(values, boolean), indices};
  }
  const Tensor source = contiguous(t);
  const ScanShape s{axis_shape(source.sizes(), at)};
  if (source.numel() > 0 && few_long_columns(source, s)) {
    const auto [values, indices] = scan_extremum(op, max, views::transpose(source, at, -1), -1);
    return {contiguous(views::transpose(values, at, -1)), contiguous(views::transpose(indices, at, -1))};
  }
  std::pair<Tensor, Tensor> out = {ordo::detail::result_like(source),
                                   ordo::detail::result(source.sizes(), int64, source.device())};
  if (source.numel() > 0) ORDO_ON_DEVICE(t.device(), scan_extremum, max, s, source, out.first, out.second);
  return out;
}

}  // namespace

Tensor cumsum(const Tensor& t, int64_t dim, bool reverse) { return scan("cumsum", ScanKind::sum, t, dim, reverse); }
Tensor cumprod(const Tensor& t, int64_t dim) { return scan("cumprod", ScanKind::product, t, dim, false); }
Tensor logcumsumexp(const Tensor& t, int64_t dim, bool reverse) {
  return scan("logcumsumexp", ScanKind::log_sum_exp, t, dim, reverse);
}
std::pair<Tensor, Tensor> cummax(const Tensor& t, int64_t dim) { return scan_extremum("cummax", true, t, dim); }
std::pair<Tensor, Tensor> cummin(const Tensor& t, int64_t dim) { return scan_extremum("cummin", false, t, dim); }

}  // namespace ordo::kernels
