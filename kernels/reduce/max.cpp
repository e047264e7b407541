#include <ordo/kernels/reduce/max.h>

#include <ordo/engine/dispatch.h>
#include <ordo/engine/op_registry.h>
#include <ordo/engine/tensor_impl.h>
#include <ordo/kernels/reduce/reduce_shape.h>

namespace ordo::kernels {
namespace {

ORDO_REGISTER_OP({.name = "max", .family = "reduce", .dtypes = kAllTypes});
ORDO_REGISTER_OP({.name = "min", .family = "reduce", .dtypes = kAllTypes});
ORDO_REGISTER_OP({.name = "amax", .family = "reduce", .dtypes = kAllTypes});
ORDO_REGISTER_OP({.name = "amin", .family = "reduce", .dtypes = kAllTypes});
ORDO_REGISTER_OP({.name = "argmax", .family = "reduce", .dtypes = kAllTypes, .differentiable = false});
ORDO_REGISTER_OP({.name = "argmin", .family = "reduce", .dtypes = kAllTypes, .differentiable = false});

void expect_values(const char* op, const ReduceShape& g, const Dims& sizes) {
  ORDO_CHECK(g.length > 0 || g.outputs == 0, ValueError, op, "has no result over no values: the input's shape is {}",
             sizes);
}

Tensor extreme_value(const char* op, bool max, const Tensor& t, const Dims& dims, bool keepdim) {
  const ordo::detail::OperationName name(op);
  ordo::detail::expect_defined(op, t, "input");
  const unsigned mask = reduced_mask(op, t.dim(), dims);
  const ReduceShape g = reduce_shape(t, mask);
  expect_values(op, g, t.sizes());
  Tensor out = ordo::detail::result(sizes_after(t.sizes(), mask, keepdim), t.dtype(), t.device());
  ORDO_ON_DEVICE(t.device(), extremum, max, t, out, g);
  return out;
}

std::pair<Tensor, Tensor> extreme_index(const char* op, bool max, bool with_values, const Tensor& t, const Dims& dims,
                                        bool keepdim) {
  const ordo::detail::OperationName name(op);
  ordo::detail::expect_defined(op, t, "input");
  const unsigned mask = reduced_mask(op, t.dim(), dims);
  const ReduceShape g = reduce_shape(t, mask);
  expect_values(op, g, t.sizes());
  const Dims sizes = sizes_after(t.sizes(), mask, keepdim);
  std::pair<Tensor, Tensor> out;
  if (with_values) out.first = ordo::detail::result(sizes, t.dtype(), t.device());
  out.second = ordo::detail::result(sizes, int64, t.device());
  ORDO_ON_DEVICE(t.device(), arg_extremum, max, t, with_values ? &out.first : nullptr, out.second, g);
  return out;
}

}  // namespace

Tensor amax(const Tensor& t, const Dims& dims, bool keepdim) { return extreme_value("amax", true, t, dims, keepdim); }
Tensor amin(const Tensor& t, const Dims& dims, bool keepdim) { return extreme_value("amin", false, t, dims, keepdim); }

std::pair<Tensor, Tensor> max(const Tensor& t, int64_t dim, bool keepdim) {
  return extreme_index("max", true, true, t, {dim}, keepdim);
}
std::pair<Tensor, Tensor> min(const Tensor& t, int64_t dim, bool keepdim) {
  return extreme_index("min", false, true, t, {dim}, keepdim);
}

Tensor argmax(const Tensor& t, std::optional<int64_t> dim, bool keepdim) {
  return extreme_index("argmax", true, false, t, dim ? Dims{*dim} : Dims{}, keepdim).second;
}
Tensor argmin(const Tensor& t, std::optional<int64_t> dim, bool keepdim) {
  return extreme_index("argmin", false, false, t, dim ? Dims{*dim} : Dims{}, keepdim).second;
}

}  // namespace ordo::kernels
