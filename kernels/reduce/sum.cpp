#include <ordo/kernels/reduce/sum.h>

#include <ordo/engine/dispatch.h>
#include <ordo/engine/op_registry.h>
#include <ordo/engine/tensor_impl.h>
#include <ordo/kernels/reduce/reduce_short_cpu.h>
#include <ordo/kernels/reduce/reducers.h>

namespace ordo::kernels {

ORDO_REGISTER_OP({.name = "sum", .family = "reduce", .dtypes = kAllTypes});
ORDO_REGISTER_OP({.name = "mean", .family = "reduce", .dtypes = kFloatingTypes});
ORDO_REGISTER_OP({.name = "nansum", .family = "reduce", .dtypes = kAllTypes});
ORDO_REGISTER_OP({.name = "nanmean", .family = "reduce", .dtypes = kFloatingTypes});
ORDO_REGISTER_OP({.name = "count_nonzero", .family = "reduce", .dtypes = kAllTypes, .differentiable = false});

Tensor sum(const Tensor& t, const Dims& dims, bool keepdim) {
  const ordo::detail::OperationName name("sum");
  ordo::detail::expect_defined("sum", t, "input");
  const unsigned mask = reduced_mask("sum", t.dim(), dims);
  Tensor out = ordo::detail::result(sizes_after(t.sizes(), mask, keepdim), is_floating(t.dtype()) ? t.dtype() : int64,
                                    t.device());
  ORDO_ON_DEVICE(t.device(), sum, t, out, reduce_shape(t, mask));
  return out;
}

Tensor nansum(const Tensor& t, const Dims& dims, bool keepdim) {
  const ordo::detail::OperationName name("nansum");
  ordo::detail::expect_defined("nansum", t, "input");
  const unsigned mask = reduced_mask("nansum", t.dim(), dims);
  if (!is_floating(t.dtype())) return sum(t, dims, keepdim);
  Tensor out = ordo::detail::result(sizes_after(t.sizes(), mask, keepdim), t.dtype(), t.device());
  ORDO_ON_DEVICE(t.device(), nansum, t, out, reduce_shape(t, mask));
  return out;
}

Tensor dot(const Tensor& a, const Tensor& b) {
  Tensor out = ordo::detail::result({}, a.dtype(), a.device());
  ORDO_ON_DEVICE(a.device(), dot, a, b, out);
  return out;
}

Tensor mean(const Tensor& t, const Dims& dims, bool keepdim) {
  const ordo::detail::OperationName name("mean");
  ordo::detail::expect_defined("mean", t, "input");
  ordo::detail::expect_floating("mean", t);
  const unsigned mask = reduced_mask("mean", t.dim(), dims);
  Tensor out = ordo::detail::result(sizes_after(t.sizes(), mask, keepdim), t.dtype(), t.device());
  ORDO_ON_DEVICE(t.device(), mean, t, out, reduce_shape(t, mask));
  return out;
}

namespace {

template <class R>
void add_up(const R& r, const ReduceShape& g) {
  cpu::is_short(g) ? cpu::reduce_short(r, g) : cpu::reduce(r, g);
}

}  // namespace

void cpu::sum(const Tensor& t, const Tensor& out, const ReduceShape& g) {
  dispatch_all("sum", t.dtype(), [&]<class T>() { add_up(SumReducer<T>(t.data<T>(), out.data<sum_t<T>>()), g); });
}

void cpu::nansum(const Tensor& t, const Tensor& out, const ReduceShape& g) {
  dispatch_floating("nansum", t.dtype(), [&]<class T>() { add_up(NanSumReducer<T>(t.data<T>(), out.data<T>()), g); });
}

void cpu::dot(const Tensor& a, const Tensor& b, const Tensor& out) {
  dispatch_floating("dot", a.dtype(), [&]<class T>() {
    reduce(DotReducer<T>(a.data<T>(), b.data<T>(), out.data<T>()), reduce_line(a.numel()));
  });
}

void cpu::mean(const Tensor& t, const Tensor& out, const ReduceShape& g) {
  dispatch_floating("mean", t.dtype(),
                    [&]<class T>() { add_up(MeanReducer<T>(t.data<T>(), out.data<T>(), g.length), g); });
}

}  // namespace ordo::kernels
