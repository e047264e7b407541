#include <ordo/autograd/ops/segment_reduce.h>

#include <ordo/autograd/ops/operation.h>
#include <ordo/kernels/segment_reduce/segment_reduce.h>

namespace ordo {

using kernels::SegmentReduction;

namespace {

constexpr const char* kOp = "segment_reduce";

SegmentReduction reduction_of(std::string_view reduce) {
  constexpr std::string_view kNames[] = {"sum", "mean", "prod", "max", "min"};
  for (int i = 0; i < 5; ++i)
    if (reduce == kNames[i]) return SegmentReduction(i);
  detail::fail<ValueError>(kOp, "reduce must be sum, mean, max, min or prod, not \"{}\"", reduce);
}

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
  return record(call, kernels::segment_reduce(x, offsets, axis, SegmentReduction::sum, {}), {x},
                [at = *this](const Tensor& grad) -> TensorList { return {at.spread(grad)}; });
}

Tensor At::spread(const Tensor& x) const {
  const OpCall call("segment_reduce_backward", x, offsets);
  return record(call, kernels::segment_expand(x, offsets, axis, size), {x},
                [at = *this](const Tensor& grad) -> TensorList { return {at.sum(grad)}; });
}

Tensor differentiable_once(const Tensor& t) {
  const OpCall call("segment_reduce_backward", t);
  return record(call, views::alias(t), {t}, [](const Tensor&) -> TensorList {
    detail::fail<AutogradError>(kOp,
                                "has no second derivative of prod where a segment has several elements that are 0");
  });
}

Tensor reduced(const OpCall& call, const Tensor& data, const At& at, SegmentReduction reduction,
               std::optional<double> initial);

/// Numbers of slices are exact in it, and halves too where they divide.
DType count_dtype(DType t) { return t == float64 ? float64 : float32; }

Tensor backward(const Tensor& grad, const Tensor& result, const Tensor& x, const At& at, SegmentReduction reduction,
                std::optional<double> initial) {
  if (x.defined() && grad.device().is_cpu() && !grad_enabled()) {
    const OpCall call("segment_reduce_backward", grad, x, result, at.offsets);
    return call.done(kernels::segment_gradient(grad, x, result, at.offsets, at.axis, reduction, initial));
  }
  switch (reduction) {
    case SegmentReduction::sum:
      return at.spread(grad);
    case SegmentReduction::mean: {
      const Tensor &o = at.offsets, counts = o.narrow(-1, 1, o.size(-1) - 1) - o.narrow(-1, 0, o.size(-1) - 1);
      Dims sizes = counts.sizes();
      while (sizes.size() < grad.dim()) sizes.push_back(1);
      return at.spread((grad / counts.clamp(1).to(count_dtype(grad.dtype())).reshape(sizes)).to(grad.dtype()));
    }
    case SegmentReduction::prod: {
      // Where an element is the only 0 of its segment, the product of the others is found without it.
      const Tensor zero = eq(x, 0), zeros_there = at.spread(at.sum(zero.to(count_dtype(x.dtype()))));
      const Tensor single = logical_and(zero, eq(zeros_there, 1));
      const OpCall call("segment_reduce_backward", x, at.offsets);
      const Tensor without = reduced(call, masked_fill(x, single, 1), at, reduction, initial);
      Tensor out = where(single, at.spread(grad * without), at.spread(grad * result) / masked_fill(x, zero, 1));
      if (!at.complete) out = masked_fill(out, eq(at.spread(ones_like(result)), 0), 0);  // 0 / x may be -0 or NaN
      const bool many = grad_enabled() && x.numel() > 0 && any(gt(zeros_there, 1)).item<bool>();
      return many ? differentiable_once(out) : out;
    }
    default: {
      const Tensor values = x.detach();
      const Tensor hit = logical_or(eq(values, at.spread(result.detach())), isnan(values));
      const Tensor hits = at.sum(hit.to(count_dtype(x.dtype()))).clamp(1);
      return at.spread((grad / hits).to(grad.dtype())) * hit.to(grad.dtype());
    }
  }
}

Tensor reduced(const OpCall& call, const Tensor& data, const At& at, SegmentReduction reduction,
               std::optional<double> initial) {
  const bool values = reduction != SegmentReduction::sum && reduction != SegmentReduction::mean;
  return record(call, kernels::segment_reduce(data, at.offsets, at.axis, reduction, initial), {data},
                [x = values ? Saved(data) : Saved(), at, reduction, initial](const Tensor& grad,
                                                                             const Tensor& result) -> TensorList {
                  return {backward(grad, result, x.defined() ? x.get() : Tensor(), at, reduction, initial)};
                });
}

}  // namespace

Tensor segment_reduce(const Tensor& data, std::string_view reduce, const Tensor& lengths, const Tensor& offsets,
                      int64_t axis, bool unsafe, std::optional<double> initial) {
  const OpCall call(kOp, data, reduce, lengths, offsets, axis, unsafe, initial);
  const SegmentReduction reduction = reduction_of(reduce);
  const Tensor all = kernels::segment_offsets(data, lengths, offsets, axis, unsafe);
  const int d = all.dim() - 1;
  return reduced(call, data, {all, d, data.size(d), lengths.defined() && !unsafe}, reduction, initial);
}

}  // namespace ordo
