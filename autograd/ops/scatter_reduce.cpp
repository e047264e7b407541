#include <ordo/autograd/ops/scatter_reduce.h>

#include <ordo/autograd/ops/operation.h>
#include <ordo/autograd/ops/scatter_index.h>

namespace ordo {

using detail::ScatterIndex;
using kernels::IndexOf;
using kernels::ScatterMode;

namespace {

/// Numbers of items are exact in it.
DType count_dtype(DType t) { return t == float64 ? float64 : float32; }

struct ReduceBackward {
  ScatterIndex at;
  ScatterMode mode;
  bool include_self, to_input, to_src;
  Saved input, src;

  TensorList operator()(const Tensor& grad, const Tensor& result) const {
    TensorList grads(2);
    switch (mode) {
      case ScatterMode::sum:
        grads = {grad, to_src ? at.pick(grad) : Tensor()};
        break;
      case ScatterMode::mean:
        grads = mean(grad);
        break;
      case ScatterMode::prod:
        grads = prod(grad, result);
        break;
      default:
        grads = extremum(grad, result.detach());
    }
    if (!to_input) grads[0] = Tensor();
    if (!to_src) grads[1] = Tensor();
    if (to_input && !include_self) grads[0] = at.fill(grads[0], 0);
    return grads;
  }

 private:
  TensorList mean(const Tensor& grad) const {
    const TensorOptions integers{int64, grad.device()};
    const Tensor counts =
        at.add(full(at.input_sizes(), include_self, integers), scalar_tensor(1, integers).expand(at.source_sizes()));
    const Tensor share = (grad / counts.clamp(1).to(count_dtype(grad.dtype()))).to(grad.dtype());
    return {share, to_src ? at.pick(share) : Tensor()};
  }

  /// Where an element is the only 0 of its place, the product of the others is found without it.
  TensorList prod(const Tensor& grad, const Tensor& result) const {
    TensorList grads(2);
    const Tensor &x = input.get(), &s = src.get();
    if (to_input && !include_self) {
      grads[0] = grad;
    } else if (to_input) {
      const Tensor others = masked_fill(x, eq(x, 0), 1);
      grads[0] = grad * at.reduce(others, s, "prod", true) / others;
    }
    if (to_src) {
      const Tensor zero = eq(s, 0);
      const Tensor zeros_there = at.pick(at.add(zeros(at.input_sizes(), {int64, grad.device()}), zero.to(int64)));
      const Tensor single = logical_and(zero, eq(zeros_there, 1));
      const Tensor without = at.reduce(x, masked_fill(s, single, 1), "prod", include_self);
      grads[1] = where(single, at.pick(grad * without), at.pick(grad * result) / masked_fill(s, zero, 1));
      if (grad_enabled() && zeros_there.numel() > 0 && any(gt(zeros_there, 1)).item<bool>())
        grads[1] = differentiable_once(grads[1]);
    }
    return grads;
  }

  static Tensor differentiable_once(const Tensor& t) {
    const OpCall call("scatter_reduce_backward", t);
    return record(call, views::alias(t), {t}, [](const Tensor&) -> TensorList {
      detail::fail<AutogradError>("scatter_reduce",
                                  "has no second derivative of prod where several elements that are "
                                  "0 go to one place");
    });
  }

  TensorList extremum(const Tensor& grad, const Tensor& result) const {
    const DType counts = count_dtype(grad.dtype());
    Tensor hit = eq(input.get(), result).to(counts);
    if (!include_self) hit = at.fill(hit, 0);
    const Tensor src_hit = eq(src.get(), at.pick(result));
    const Tensor share = (grad / at.add(hit, src_hit.to(counts))).to(grad.dtype());
    return {to_input ? share * hit.to(grad.dtype()) : Tensor(),
            to_src ? at.pick(share) * src_hit.to(grad.dtype()) : Tensor()};
  }
};

Tensor reduced(const OpCall& call, IndexOf kind, const Tensor& input, int64_t dim, const Tensor& index,
               const Tensor& src, ScatterMode mode, bool include_self, Algorithm algorithm) {
  const char* op = call.name();
  detail::expect_defined(op, input, "input");
  Tensor out = kernels::clone(input);
  kernels::scatter_reduce_(op, kind, out, dim, index, src, mode, include_self, algorithm);
  const bool values = mode != ScatterMode::sum && mode != ScatterMode::mean;
  return record(
      call, std::move(out), {input, src},
      ReduceBackward{ScatterIndex(kind, input, dim, index, src.sizes()), mode, include_self, input.requires_grad(),
                     src.requires_grad(), values ? Saved(input) : Saved(), values ? Saved(src) : Saved()});
}

ScatterMode index_mode(const char* op, std::string_view reduce) {
  ORDO_CHECK(reduce != "sum", ValueError, op, "reduce must be prod, mean, amax or amin; the sum is index_add");
  return kernels::scatter_mode(op, reduce);
}

/// Changes x where nothing is recorded; else writes what `of` computes of a copy, which the gradients need.
template <class F>
Tensor& reduce_in_place(const OpCall& call, Tensor& x, IndexOf kind, int64_t dim, const Tensor& index,
                        const Tensor& src, ScatterMode mode, bool include_self, const F& of) {
  detail::expect_defined(call.name(), x, "self");
  detail::expect_defined(call.name(), src, "src");
  kernels::expect_writable(call.name(), x);
  if (grad_enabled() && (x.requires_grad() || src.requires_grad())) return x.copy_(of());
  const InPlaceChange change(call, x, {src});
  kernels::scatter_reduce_(call.name(), kind, x, dim, index, src, mode, include_self);
  return x;
}

}  // namespace

Tensor scatter_reduce(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& src, std::string_view reduce,
                      bool include_self, Algorithm algorithm) {
  const OpCall call("scatter_reduce", input, dim, index, src, reduce, include_self, algorithm);
  return reduced(call, IndexOf::elements, input, dim, index, detail::scattered_part(index, src),
                 kernels::scatter_mode("scatter_reduce", reduce), include_self, algorithm);
}

Tensor index_reduce(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& source,
                    std::string_view reduce, bool include_self, Algorithm algorithm) {
  const OpCall call("index_reduce", input, dim, index, source, reduce, include_self, algorithm);
  return reduced(call, IndexOf::slices, input, dim, index, source, index_mode("index_reduce", reduce), include_self,
                 algorithm);
}

Tensor& Tensor::scatter_reduce_(int64_t dim, const Tensor& index, const Tensor& src, std::string_view reduce,
                                bool include_self) {
  const OpCall call("scatter_reduce_", *this, dim, index, src, reduce, include_self);
  const ScatterMode mode = kernels::scatter_mode("scatter_reduce_", reduce);
  return reduce_in_place(call, *this, IndexOf::elements, dim, index, src, mode, include_self,
                         [&] { return ordo::scatter_reduce(clone(), dim, index, src, reduce, include_self); });
}

Tensor& Tensor::index_reduce_(int64_t dim, const Tensor& index, const Tensor& source, std::string_view reduce,
                              bool include_self) {
  const OpCall call("index_reduce_", *this, dim, index, source, reduce, include_self);
  const ScatterMode mode = index_mode("index_reduce_", reduce);
  return reduce_in_place(call, *this, IndexOf::slices, dim, index, source, mode, include_self,
                         [&] { return ordo::index_reduce(clone(), dim, index, source, reduce, include_self); });
}

}  // namespace ordo
