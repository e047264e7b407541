#include <ordo/autograd/ops/sort.h>

#include <limits>

#include <ordo/autograd/ops/gather.h>
#include <ordo/autograd/ops/operation.h>
#include <ordo/kernels/sort/sort.h>

namespace ordo {
namespace {

using kernels::Selection;
using kernels::Sorted;

MaxResult record_sorted(const OpCall& call, const Sorted& out, const Tensor& input, int64_t dim) {
  const TensorList both =
      record(call, {out.values, out.indices}, {input},
             [sizes = input.sizes(), dim, indices = Saved(out.indices)](const TensorList& grads) -> TensorList {
               return {sort_backward(grads[0], sizes, dim, indices.get())};
             });
  return {both[0], both[1]};
}

/// One element of each line: `out` still has the dimension.
MaxResult record_one(const OpCall& call, const Sorted& out, const Tensor& input, int64_t dim, bool keepdim) {
  if (keepdim || input.dim() == 0) return record_sorted(call, out, input, dim);
  const int at = wrap_dim(call.name(), dim, input.dim());
  const TensorList both =
      record(call, {views::squeeze(out.values, {at}), views::squeeze(out.indices, {at})}, {input},
             [sizes = input.sizes(), at, indices = Saved(out.indices)](const TensorList& grads) -> TensorList {
               return {sort_backward(grads[0].unsqueeze(at), sizes, at, indices.get())};
             });
  return {both[0], both[1]};
}

int64_t length_of(const char* op, const Tensor& t, int64_t dim) {
  detail::expect_defined(op, t, "input");
  const int at = wrap_dim(op, dim, t.dim());
  return t.dim() == 0 ? 1 : t.sizes()[at];
}

void expect_values(const char* op, const Tensor& t, int64_t dim) {
  ORDO_CHECK(length_of(op, t, dim) > 0, ValueError, op, "has no result over no values: the input's shape is {}",
             t.sizes());
}

MaxResult median_of(const OpCall& call, Selection::Kind kind, const Tensor& input, int64_t dim, bool keepdim) {
  expect_values(call.name(), input, dim);
  return record_one(call, kernels::sort(call.name(), input, dim, false, {kind, 0, 0}), input, dim, keepdim);
}

Tensor median_of_all(const OpCall& call, Selection::Kind kind, const Tensor& input) {
  const char* op = call.name();
  detail::expect_defined(op, input, "input");
  Tensor out;
  {
    NoGrad guard;
    if (input.numel() > 0) {
      out = views::view(kernels::sort(op, input.detach().reshape({-1}), 0, false, {kind, 0, 0}).values, {});
    } else {
      ORDO_CHECK(is_floating(input.dtype()), ValueError, op, "has no result over no values: the input's shape is {}",
                 input.sizes());
      out = full({}, std::numeric_limits<double>::quiet_NaN(), {input.dtype(), input.device()});
    }
  }
  return record(call, std::move(out), {input},
                [input = Saved(input)](const Tensor& grad, const Tensor& result) -> TensorList {
                  const Tensor& x = input.get();
                  const Tensor middle = result.detach();
                  const Tensor equal = logical_or(eq(x, middle), logical_and(isnan(x), isnan(middle)));
                  const Tensor hit = equal.to(x.dtype());
                  return {hit * (grad / sum(hit))};
                });
}

}  // namespace

Tensor sort_backward(const Tensor& grad, const Dims& sizes, int64_t dim, const Tensor& index) {
  const OpCall call("sort_backward", grad, sizes, dim, index);
  return record(call, kernels::put_along(grad, sizes, dim, index), {grad},
                [dim, index = Saved(index)](const Tensor& g) -> TensorList { return {gather(g, dim, index.get())}; });
}

MaxResult sort(const Tensor& input, int64_t dim, bool descending) {
  const OpCall call("sort", input, dim, descending);
  return record_sorted(call, kernels::sort("sort", input, dim, descending), input, dim);
}

Tensor argsort(const Tensor& input, int64_t dim, bool descending) {
  const OpCall call("argsort", input, dim, descending);
  return call.done(kernels::sort("argsort", input, dim, descending).indices);
}

MaxResult topk(const Tensor& input, int64_t k, int64_t dim, bool largest) {
  const OpCall call("topk", input, k, dim, largest);
  const int64_t length = length_of("topk", input, dim);
  ORDO_CHECK(k >= 0 && k <= length, ValueError, "topk", "k must be from 0 to {}, the size of dimension {}, but is {}",
             length, dim, k);
  if (input.dim() == 0) return record_sorted(call, kernels::sort("topk", input, dim, largest), input, dim);
  return record_sorted(call, kernels::sort("topk", input, dim, largest, {Selection::Kind::range, 0, k}), input, dim);
}

MaxResult kthvalue(const Tensor& input, int64_t k, int64_t dim, bool keepdim) {
  const OpCall call("kthvalue", input, k, dim, keepdim);
  const int64_t length = length_of("kthvalue", input, dim);
  ORDO_CHECK(k >= 1 && k <= length, ValueError, "kthvalue",
             "k must be from 1 to {}, the size of dimension {}, but is {}", length, dim, k);
  const Sorted out = kernels::sort("kthvalue", input, dim, false, {Selection::Kind::range, k - 1, k});
  return record_one(call, out, input, dim, keepdim);
}

MaxResult median(const Tensor& input, int64_t dim, bool keepdim) {
  const OpCall call("median", input, dim, keepdim);
  return median_of(call, Selection::Kind::median, input, dim, keepdim);
}
MaxResult nanmedian(const Tensor& input, int64_t dim, bool keepdim) {
  const OpCall call("nanmedian", input, dim, keepdim);
  return median_of(call, Selection::Kind::nanmedian, input, dim, keepdim);
}
Tensor median(const Tensor& input) {
  const OpCall call("median", input);
  return median_of_all(call, Selection::Kind::median, input);
}
Tensor nanmedian(const Tensor& input) {
  const OpCall call("nanmedian", input);
  return median_of_all(call, Selection::Kind::nanmedian, input);
}

MaxResult mode(const Tensor& input, int64_t dim, bool keepdim) {
  const OpCall call("mode", input, dim, keepdim);
  expect_values("mode", input, dim);
  return record_one(call, kernels::mode(input, dim), input, dim, keepdim);
}

}  // namespace ordo
