#include <ordo/autograd/ops/math/where.h>

#include <ordo/autograd/ops/operation.h>
#include <ordo/kernels/elementwise/where.h>

namespace ordo {

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
  return record(call, std::move(r), {a}, [c = Saved(condition), x = InputShape(a)](const Tensor& grad) {
    return x.fit(where(c.get(), grad, 0));
  });
}

Tensor where(const Tensor& condition, Scalar a, const Tensor& b) {
  const OpCall call("where", condition, a, b);
  Tensor r = kernels::where(condition, a, b);
  if (!recorded(b)) return call.done(std::move(r));
  return record(call, std::move(r), {b}, [c = Saved(condition), y = InputShape(b)](const Tensor& grad) {
    return y.fit(where(c.get(), 0, grad));
  });
}

Tensor masked_fill(const Tensor& input, const Tensor& mask, Scalar value) {
  const OpCall call("masked_fill", input, mask, value);
  detail::expect_defined("masked_fill", input, "input");
  Tensor r = kernels::clone(input);
  kernels::masked_fill_(r, mask, value);
  if (!recorded(input)) return call.done(std::move(r));
  return record(call, std::move(r), {input},
                [mask = Saved(mask)](const Tensor& grad) { return where(mask.get(), 0, grad); });
}

Tensor& Tensor::masked_fill_(const Tensor& mask, Scalar value) {
  const OpCall call("masked_fill_", *this, mask, value);
  return detail::change_in_place(
      call, *this, {}, [&] { kernels::masked_fill_(*this, mask, value); },
      [&](const Tensor&) {
        return [mask = Saved(mask)](const Tensor& grad) { return ordo::where(mask.get(), 0, grad); };
      });
}

Tensor lerp(const Tensor& input, const Tensor& end, const Tensor& weight) {
  const OpCall call("lerp", input, end, weight);
  Tensor r = kernels::lerp(input, end, weight);
  if (!recorded(input, end, weight)) return call.done(std::move(r));
  return record(call, std::move(r), {input, end, weight},
                [x = InputShape(input), y = InputShape(end), z = InputShape(weight), a = Saved(input), b = Saved(end),
                 w = Saved(weight)](const Tensor& grad) -> TensorList {
                  return {x.wanted ? x.fit(grad * (1 - w.get())) : Tensor(),
                          y.wanted ? y.fit(grad * w.get()) : Tensor(),
                          z.wanted ? z.fit(grad * (b.get() - a.get())) : Tensor()};
                });
}

Tensor lerp(const Tensor& input, const Tensor& end, Scalar weight) {
  const OpCall call("lerp", input, end, weight);
  Tensor r = kernels::lerp(input, end, weight);
  if (!recorded(input, end)) return call.done(std::move(r));
  return record(call, std::move(r), {input, end},
                [x = InputShape(input), y = InputShape(end), w = weight.to_double()](const Tensor& grad) -> TensorList {
                  return {x.wanted ? x.fit(grad * (1 - w)) : Tensor(), y.wanted ? y.fit(grad * w) : Tensor()};
                });
}

Tensor addcmul(const Tensor& input, const Tensor& tensor1, const Tensor& tensor2, Scalar value) {
  const OpCall call("addcmul", input, tensor1, tensor2, value);
  Tensor r = kernels::addcmul(input, tensor1, tensor2, value);
  if (!recorded(input, tensor1, tensor2)) return call.done(std::move(r));
  return record(call, std::move(r), {input, tensor1, tensor2},
                [x = InputShape(input), y = InputShape(tensor1), z = InputShape(tensor2), b = Saved(tensor1),
                 c = Saved(tensor2), value](const Tensor& grad) -> TensorList {
                  return {x.wanted ? x.fit(grad * 1) : Tensor(), y.wanted ? y.fit(grad * (c.get() * value)) : Tensor(),
                          z.wanted ? z.fit(grad * (b.get() * value)) : Tensor()};
                });
}

Tensor addcdiv(const Tensor& input, const Tensor& tensor1, const Tensor& tensor2, Scalar value) {
  const OpCall call("addcdiv", input, tensor1, tensor2, value);
  Tensor r = kernels::addcdiv(input, tensor1, tensor2, value);
  if (!recorded(input, tensor1, tensor2)) return call.done(std::move(r));
  return record(call, std::move(r), {input, tensor1, tensor2},
                [x = InputShape(input), y = InputShape(tensor1), z = InputShape(tensor2), b = Saved(tensor1),
                 c = Saved(tensor2), value](const Tensor& grad) -> TensorList {
                  return {x.wanted ? x.fit(grad * 1) : Tensor(), y.wanted ? y.fit(grad * (value / c.get())) : Tensor(),
                          z.wanted ? z.fit(grad * neg(b.get() * value / square(c.get()))) : Tensor()};
                });
}

}  // namespace ordo
