#include <ordo/autograd/ops/scatter_add.h>

#include <ordo/autograd/ops/gather.h>
#include <ordo/autograd/ops/operation.h>
#include <ordo/kernels/scatter_add/scatter_add.h>

namespace ordo {

namespace {

/// `t` with zeros behind it in every dimension, up to `sizes`.
Tensor pad_to(Tensor t, const Dims& sizes) {
  for (int d = 0; d < sizes.size(); ++d) {
    if (t.sizes()[d] == sizes[d]) continue;
    Dims missing = t.sizes();
    missing[d] = sizes[d] - missing[d];
    t = cat({t, zeros(missing, t.options())}, d);
  }
  return t;
}

Tensor at_least_1d(const Tensor& t) { return t.dim() == 0 ? t.reshape({1}) : t; }

auto scatter_add_backward(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& src) {
  return [dim, index = Saved(index), sizes = src.sizes(), to_input = input.requires_grad(),
          to_src = src.requires_grad()](const Tensor& grad) -> TensorList {
    Tensor of_src;
    if (to_src) {
      const Tensor& i = index.get();
      if (i.numel() == 0)
        of_src = zeros(sizes, grad.options());
      else
        of_src = pad_to(gather(at_least_1d(grad), dim, at_least_1d(i)), sizes.empty() ? Dims{1} : sizes).reshape(sizes);
    }
    return {to_input ? grad : Tensor(), of_src};
  };
}

}  // namespace

Tensor scatter_add(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& src, Algorithm algorithm) {
  if (detail::raises(input, src)) return scatter_add(detail::raise(input), dim, index, detail::raise(src), algorithm);
  const OpCall call("scatter_add", input, dim, index, src, algorithm);
  Tensor result = kernels::scatter_add(input, dim, index, src, algorithm);
  return record(call, std::move(result), {input, src}, scatter_add_backward(input, dim, index, src));
}

Tensor& Tensor::scatter_add_(int64_t dim, const Tensor& index, const Tensor& src) {
  const OpCall call("scatter_add_", *this, dim, index, src);
  const InPlaceChange change(call, *this, {src});
  const Tensor before = history_of(*this);
  kernels::scatter_add_(*this, dim, index, src);
  record_in_place(call, *this, before, {src}, scatter_add_backward(before, dim, index, src));
  return *this;
}

}  // namespace ordo
