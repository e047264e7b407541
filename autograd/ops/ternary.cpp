#include <ordo/autograd/ops/ternary.h>

#include <ordo/autograd/ops/operation.h>
#include <ordo/kernels/elementwise/ternary.h>

namespace ordo {

using detail::InputShape;
using detail::recorded;

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
