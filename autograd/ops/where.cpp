#include <ordo/autograd/ops/where.h>

#include <ordo/autograd/ops/operation.h>
#include <ordo/kernels/elementwise/where.h>

namespace ordo {

using detail::InputShape;
using detail::recorded;

Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b) {
  const OpCall call("where", condition, a, b);
  Tensor r = kernels::where(condition, a, b);
  if (!recorded(a, b)) return call.done(std::move(r));
  return record(call, std::move(r), {a, b},
                [c = Saved(condition), x = InputShape(a), y = InputShape(b)](const Tensor& grad) -> TensorList {
                  return {x.wanted ? x.fit(where(c.get(), grad, 0)) : Tensor(),
                          y.wanted ? y.fit(where(c.get(), 0, grad)) : Tensor()};
                });
}

Tensor where(const Tensor& condition, const Tensor& a, Scalar b) {
  const OpCall call("where", condition, a, b);
  Tensor r = kernels::where(condition, a, b);
  if (!recorded(a)) return call.done(std::move(r));
  return record(call, std::move(r), {a}, [c = Saved(condition), x = InputShape(a)](const Tensor& grad) -> TensorList {
    return {x.fit(where(c.get(), grad, 0))};
  });
}

Tensor where(const Tensor& condition, Scalar a, const Tensor& b) {
  const OpCall call("where", condition, a, b);
  Tensor r = kernels::where(condition, a, b);
  if (!recorded(b)) return call.done(std::move(r));
  return record(call, std::move(r), {b}, [c = Saved(condition), y = InputShape(b)](const Tensor& grad) -> TensorList {
    return {y.fit(where(c.get(), 0, grad))};
  });
}

Tensor masked_fill(const Tensor& t, const Tensor& mask, Scalar value) {
  const OpCall call("masked_fill", t, mask, value);
  detail::expect_defined("masked_fill", t, "input");
  Tensor r = kernels::clone(t);
  kernels::masked_fill_(r, mask, value);
  if (!recorded(t)) return call.done(std::move(r));
  return record(call, std::move(r), {t},
                [mask = Saved(mask)](const Tensor& grad) -> TensorList { return {where(mask.get(), 0, grad)}; });
}

Tensor& Tensor::masked_fill_(const Tensor& mask, Scalar value) {
  const OpCall call("masked_fill_", *this, mask, value);
  detail::expect_defined("masked_fill_", *this, "self");
  const InPlaceChange change(call, *this);
  if (!recorded(*this)) {
    kernels::masked_fill_(*this, mask, value);
    return *this;
  }
  const Tensor before = history_of(*this);
  kernels::masked_fill_(*this, mask, value);
  record_in_place(call, *this, before, {}, [mask = Saved(mask)](const Tensor& grad) -> TensorList {
    return {ordo::where(mask.get(), 0, grad)};
  });
  return *this;
}

}  // namespace ordo
