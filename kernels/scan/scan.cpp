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
  return t.is_cuda() && t.numel() > 0 && s.inner > 1 && s.outer * s.inner < 4096 && s.length >= 256;
}

/// Values and, of extreme ones, their indices.
std::pair<Tensor, Tensor> scan(const char* op, ScanKind kind, const Tensor& t, int64_t dim, bool reverse = false) {
  const ordo::detail::OperationName name(op);
  ordo::detail::expect_defined(op, t, "input");
  if (kind == ScanKind::log_sum_exp) ordo::detail::expect_floating(op, t);
  const int at = wrap_dim(op, dim, t.dim());
  const bool extreme = is_extreme(kind), wider = extreme ? t.dtype() == boolean : is_integral(t.dtype());
  const Tensor source = contiguous(wider ? cast(t, extreme ? uint8 : int64) : t);
  const ScanShape s{axis_shape(source.sizes(), at), reverse};
  Tensor out, indices;
  if (few_long_columns(source, s)) {
    const auto [lines, places] = scan(op, kind, views::transpose(source, at, -1), -1, reverse);
    out = contiguous(views::transpose(lines, at, -1));
    if (extreme) indices = contiguous(views::transpose(places, at, -1));
  } else {
    out = ordo::detail::result_like(source);
    if (extreme) indices = ordo::detail::result(source.sizes(), int64, source.device());
    if (source.numel() > 0) ORDO_ON_DEVICE(t.device(), scan, kind, s, source, out, indices);
  }
  return {extreme ? cast(out, t.dtype()) : out, indices};
}

}  // namespace

Tensor cumsum(const Tensor& t, int64_t dim, bool reverse) {
  return scan("cumsum", ScanKind::sum, t, dim, reverse).first;
}
Tensor cumprod(const Tensor& t, int64_t dim) { return scan("cumprod", ScanKind::product, t, dim).first; }
Tensor logcumsumexp(const Tensor& t, int64_t dim, bool reverse) {
  return scan("logcumsumexp", ScanKind::log_sum_exp, t, dim, reverse).first;
}
std::pair<Tensor, Tensor> cummax(const Tensor& t, int64_t dim) { return scan("cummax", ScanKind::max, t, dim); }
std::pair<Tensor, Tensor> cummin(const Tensor& t, int64_t dim) { return scan("cummin", ScanKind::min, t, dim); }

}  // namespace ordo::kernels
