#include <ordo/autograd/ops/index/scatter_reduce.h>

#include <ordo/autograd/ops/index/scatter_index.h>
#include <ordo/autograd/ops/operation.h>
#include <ordo/engine/calls/enumerator.h>
#include <ordo/kernels/segment_reduce/segment_reduce.h>

namespace ordo {

using detail::ScatterIndex;
using kernels::IndexOf;

namespace {

/// Numbers of items are exact in it, and halves too where they divide.
DType count_dtype(DType t) { return t == float64 ? float64 : float32; }

/// A gradient of prod that cannot be differentiated again, because the elements are so.
Tensor differentiable_once(const OpCall& call, const Tensor& t, const char* op, const char* elements) {
  return record(call, views::alias(t), {t}, [op, elements](const Tensor&) -> TensorList {
    detail::fail<AutogradError>(op, "has no second derivative of prod where {}", elements);
  });
}

struct ReduceBackward {
  ScatterIndex at;
  Reduce mode;
  bool include_self;
  Saved input, src;

  TensorList operator()(const Tensor& grad, const Tensor& result) const {
    TensorList grads = mode == Reduce::sum    ? TensorList{grad, needs(1) ? at.pick(grad) : Tensor()}
                          : mode == Reduce::mean ? mean(grad)
                       : mode == Reduce::prod ? prod(grad, result)
                                              : extremum(grad, result.detach());
    if (!needs(0)) grads[0] = Tensor();
    if (!needs(1)) grads[1] = Tensor();
    if (needs(0) && !include_self) grads[0] = at.fill(grads[0], 0);
    return grads;
  }

 private:
  TensorList mean(const Tensor& grad) const {
    const TensorOptions integers{int64, grad.device()};
    const Tensor counts =
        at.add(full(at.input_sizes(), include_self, integers), scalar_tensor(1, integers).expand(at.source_sizes()));
    const Tensor share = (grad / counts.clamp(1).to(count_dtype(grad.dtype()))).to(grad.dtype());
    return {share, needs(1) ? at.pick(share) : Tensor()};
  }

  /// Where an element is the only 0 of its place, the product of the others is found without it.
  TensorList prod(const Tensor& grad, const Tensor& result) const {
    TensorList grads(2);
    const Tensor &x = input.get(), &s = src.get();
    if (needs(0) && !include_self) {
      grads[0] = grad;
    } else if (needs(0)) {
      const Tensor others = masked_fill(x, eq(x, 0), 1);
      grads[0] = grad * at.reduce(others, s, Reduce::prod, true) / others;
    }
    if (needs(1)) {
      const Tensor zero = eq(s, 0);
      const Tensor zeros_there = at.pick(at.add(zeros(at.input_sizes(), {int64, grad.device()}), zero.to(int64)));
      const Tensor single = logical_and(zero, eq(zeros_there, 1));
      const Tensor without = at.reduce(x, masked_fill(s, single, 1), Reduce::prod, include_self);
      grads[1] = where(single, at.pick(grad * without), at.pick(grad * result) / masked_fill(s, zero, 1));
      if (grad_enabled() && zeros_there.numel() > 0 && any(gt(zeros_there, 1)).item<bool>())
        grads[1] = differentiable_once(OpCall("scatter_reduce_backward", grads[1]), grads[1], "scatter_reduce",
                                       "several elements that are 0 go to one place");
    }
    return grads;
  }

  TensorList extremum(const Tensor& grad, const Tensor& result) const {
    const DType counts = count_dtype(grad.dtype());
    Tensor hit = eq(input.get(), result).to(counts);
    if (!include_self) hit = at.fill(hit, 0);
    const Tensor src_hit = eq(src.get(), at.pick(result));
    const Tensor share = (grad / at.add(hit, src_hit.to(counts))).to(grad.dtype());
    return {needs(0) ? share * hit.to(grad.dtype()) : Tensor(),
            needs(1) ? at.pick(share) * src_hit.to(grad.dtype()) : Tensor()};
  }
};

Tensor reduced(const OpCall& call, IndexOf kind, const Tensor& input, int64_t dim, const Tensor& index,
               const Tensor& src, Reduce mode, bool include_self, Algorithm algorithm) {
  const char* op = call.name();
  detail::expect_defined(op, input, "input");
  Tensor out = kernels::clone(input);
  kernels::scatter_reduce_(op, kind, out, dim, index, src, mode, include_self, algorithm);
  const bool values = mode != Reduce::sum && mode != Reduce::mean;
  return record(call, std::move(out), {input, src},
                ReduceBackward{ScatterIndex(kind, input, dim, index, src.sizes()), mode, include_self,
                               saved_if(values, input), saved_if(values, src)});
}

void expect_no_sum(const char* op, Reduce reduce) {
  ORDO_CHECK(reduce != Reduce::sum, ValueError, op, "reduce must be prod, mean, amax or amin; the sum is index_add");
}

/// Changes x where nothing is recorded; else writes what `of` computes of a copy, which the gradients need.
template <class F>
Tensor& reduce_in_place(const OpCall& call, Tensor& x, IndexOf kind, int64_t dim, const Tensor& index,
                        const Tensor& src, Reduce mode, bool include_self, const F& of) {
  detail::expect_defined(call.name(), x, "self", src, "src");
  kernels::expect_writable(call.name(), x);
  if (recorded(x, src)) return x.copy_(of());
  const InPlaceChange change(call, x, {src});
  kernels::scatter_reduce_(call.name(), kind, x, dim, index, src, mode, include_self);
  return x;
}

}  // namespace

Tensor scatter_reduce(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& src, Reduce reduce,
                      bool include_self, Algorithm algorithm) {
  const OpCall call("scatter_reduce", input, dim, index, src, reduce, include_self, algorithm);
  return reduced(call, IndexOf::elements, input, dim, index, detail::scattered_part(index, src), reduce, include_self,
                 algorithm);
}

Tensor index_reduce(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& source, Reduce reduce,
                    bool include_self, Algorithm algorithm) {
  const OpCall call("index_reduce", input, dim, index, source, reduce, include_self, algorithm);
  expect_no_sum("index_reduce", reduce);
  return reduced(call, IndexOf::slices, input, dim, index, source, reduce, include_self, algorithm);
}

Tensor& Tensor::scatter_reduce_(int64_t dim, const Tensor& index, const Tensor& src, Reduce reduce, bool include_self) {
  const OpCall call("scatter_reduce_", *this, dim, index, src, reduce, include_self);
  return reduce_in_place(call, *this, IndexOf::elements, dim, index, src, reduce, include_self,
                         [&] { return ordo::scatter_reduce(clone(), dim, index, src, reduce, include_self); });
}

Tensor& Tensor::index_reduce_(int64_t dim, const Tensor& index, const Tensor& source, Reduce reduce,
                              bool include_self) {
  const OpCall call("index_reduce_", *this, dim, index, source, reduce, include_self);
  expect_no_sum("index_reduce_", reduce);
  return reduce_in_place(call, *this, IndexOf::slices, dim, index, source, reduce, include_self,
                         [&] { return ordo::index_reduce(clone(), dim, index, source, reduce, include_self); });
}

namespace {

constexpr const char* kSegmentReduce = "segment_reduce";

/// Along `axis`, of `size` slices. A sum and its gradient, which spreads, are each other's gradients.
struct At {
  Tensor offsets;
  int axis;
  int64_t size;
  bool complete;  // no slice is in no segment

  Tensor sum(const Tensor& x) const;
  Tensor spread(const Tensor& x) const;
};

Tensor At::sum(const Tensor& x) const {
  const OpCall call("segment_reduce_backward", x, offsets);
  return record(call, kernels::segment_reduce(x, offsets, axis, Reduce::sum, {}), {x},
                [at = *this](const Tensor& grad) { return at.spread(grad); });
}

Tensor At::spread(const Tensor& x) const {
  const OpCall call("segment_reduce_backward", x, offsets);
  return record(call, kernels::segment_expand(x, offsets, axis, size), {x},
                [at = *this](const Tensor& grad) { return at.sum(grad); });
}

Tensor reduced(const OpCall& call, const Tensor& data, const At& at, Reduce reduction, std::optional<double> initial);

Tensor backward(const Tensor& grad, const Tensor& result, const Tensor& x, const At& at, Reduce reduction,
                std::optional<double> initial) {
  if (reduction == Reduce::sum) return at.spread(grad);
  if (reduction == Reduce::mean) {
    const Tensor &o = at.offsets, counts = o.narrow(-1, 1, o.size(-1) - 1) - o.narrow(-1, 0, o.size(-1) - 1);
    Dims sizes = counts.sizes();
    while (sizes.size() < grad.dim()) sizes.push_back(1);
    return at.spread((grad / counts.clamp(1).to(count_dtype(grad.dtype())).reshape(sizes)).to(grad.dtype()));
  }
  if (reduction == Reduce::prod) {
    // Where an element is the only 0 of its segment, the product of the others is found without it.
    const Tensor zero = eq(x, 0), zeros_there = at.spread(at.sum(zero.to(count_dtype(x.dtype()))));
    const Tensor single = logical_and(zero, eq(zeros_there, 1));
    const OpCall call("segment_reduce_backward", x, at.offsets);
    const Tensor without = reduced(call, masked_fill(x, single, 1), at, reduction, initial);
    Tensor out = where(single, at.spread(grad * without), at.spread(grad * result) / masked_fill(x, zero, 1));
    if (!at.complete) out = masked_fill(out, eq(at.spread(ones_like(result)), 0), 0);  // 0 / x may be -0 or NaN
    const bool many = grad_enabled() && x.numel() > 0 && any(gt(zeros_there, 1)).item<bool>();
    return many ? differentiable_once(OpCall("segment_reduce_backward", out), out, kSegmentReduce,
                                      "a segment has several elements that are 0")
                : out;
  }
  const Tensor values = x.detach();
  const Tensor hit = logical_or(eq(values, at.spread(result.detach())), isnan(values));
  const Tensor hits = at.sum(hit.to(count_dtype(x.dtype()))).clamp(1);
  return at.spread((grad / hits).to(grad.dtype())) * hit.to(grad.dtype());
}

Tensor reduced(const OpCall& call, const Tensor& data, const At& at, Reduce reduction, std::optional<double> initial) {
  const bool values = reduction != Reduce::sum && reduction != Reduce::mean;
  return record(call, kernels::segment_reduce(data, at.offsets, at.axis, reduction, initial), {data},
                [x = values ? Saved(data) : Saved(), at, reduction, initial](const Tensor& grad, const Tensor& result) {
                  return backward(grad, result, x.defined() ? x.get() : Tensor(), at, reduction, initial);
                });
}

}  // namespace

Tensor segment_reduce(const Tensor& data, Reduce reduce, const Tensor& lengths, const Tensor& offsets, int64_t axis,
                      bool unsafe, std::optional<double> initial) {
  const OpCall call(kSegmentReduce, data, reduce, lengths, offsets, axis, unsafe, initial);
  detail::expect_enumerator(kSegmentReduce, reduce, Reduce::amin, "a way to reduce");
  const Tensor all = kernels::segment_offsets(data, lengths, offsets, axis, unsafe);
  const int d = all.dim() - 1;
  return reduced(call, data, {all, d, data.size(d), lengths.defined() && !unsafe}, reduce, initial);
}

}  // namespace ordo
