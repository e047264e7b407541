#include <ordo/kernels/embedding/embedding.h>

#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/accumulate/keyed.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/indexing/gather.h>

namespace ordo::kernels {

ORDO_REGISTER_OP({.name = "embedding",
                  .family = "embedding",
                  .dtypes = kFloatingTypes,
                  .algorithms = accumulate_levels(),
                  .note = "the algorithms are the backward pass's"});

Tensor embedding(const Tensor& input, const Tensor& weight, std::optional<int64_t> skip_idx) {
  constexpr const char* op = "embedding";
  const ordo::detail::OperationName name(op);
  ordo::detail::expect_defined(op, input, "input");
  ordo::detail::expect_defined(op, weight, "weight");
  ordo::detail::expect_index_dtype(op, input);
  ordo::detail::expect_floating(op, weight);
  ordo::detail::expect_same_device(op, input, weight);
  ORDO_CHECK(weight.dim() == 2, ShapeError, op, "takes a weight of shape [rows, columns], not {}", weight.sizes());
  const int64_t skip = wrap_padding_idx(op, skip_idx, weight.size(0));
  Dims sizes = input.sizes();
  sizes.push_back(weight.size(1));
  const Tensor output = ordo::detail::result(sizes, weight.dtype(), weight.device());
  if (input.numel() == 0) return output;
  const SelectShape rows{
      .count = input.numel(), .inner = weight.size(1), .bound = weight.size(0), .skip = skip, .argument = "input"};
  ORDO_ON_DEVICE(weight.device(), index_select, contiguous(weight), contiguous(input), output, rows);
  return output;
}

namespace {

/// Row i of grad is added to row input[i] of the result, but for the row of padding, if any.
Tensor add_rows(const Tensor& grad, const Tensor& input, int64_t num_rows, std::optional<int64_t> padding_idx,
                Algorithm algorithm, const IndexPlan* plan = nullptr) {
  constexpr const char* op = "embedding_backward";
  const ordo::detail::OperationName name(op);
  ordo::detail::expect_defined(op, grad, "grad");
  ordo::detail::expect_defined(op, input, "input");
  ordo::detail::expect_index_dtype(op, input);
  ordo::detail::expect_floating(op, grad);
  ordo::detail::expect_same_device(op, input, grad);
  ORDO_CHECK(num_rows >= 0, ValueError, op, "num_rows must not be negative, but is {}", num_rows);
  Dims leading = grad.sizes();
  if (leading.size() > 0) leading.erase(leading.size() - 1);
  ORDO_CHECK(grad.dim() == input.dim() + 1 && leading == input.sizes(), ShapeError, op,
             "the gradient has shape {}, which is not that of the indices, {}, and a row", grad.sizes(), input.sizes());
  const int64_t padding = wrap_padding_idx(op, padding_idx, num_rows);
  if (!plan) algorithm = choose_accumulate(op, algorithm, grad.dtype(), {Algorithm::sorted, Algorithm::atomic});
  const Tensor output = full({num_rows, grad.sizes().back()}, 0, grad.dtype(), grad.device());
  if (input.numel() == 0) return output;
  const Tensor rows = contiguous(grad), index = contiguous(input);
  const IndexGuard guard(op, "input", 0, num_rows, output.device());
  KeyedItems items = keyed_items(keyed_rows(num_rows, output.size(1), index.numel()),
                                 index_view(index, num_rows, guard), output, rows);
  items.order = plan ? &plan->order() : nullptr;  // of all items: those of padding do count
  items.skipped = padding;
  if (!plan) validate_on_cpu(items.index, index.numel(), guard, output, algorithm);
  add_by_key(items, algorithm);
  guard.finish();
  if (plan && padding >= 0) fill_(views::narrow(output, 0, padding, 1), 0);
  return output;
}

}  // namespace

Tensor embedding_backward(const Tensor& grad, const Tensor& input, int64_t num_rows, std::optional<int64_t> padding_idx,
                          Algorithm algorithm) {
  return add_rows(grad, input, num_rows, padding_idx, algorithm);
}

Tensor embedding_backward(const Tensor& grad, const IndexPlan& plan, std::optional<int64_t> padding_idx) {
  return add_rows(grad, plan.index(), plan.size(), padding_idx, Algorithm::sorted, &plan);
}

int64_t wrap_padding_idx(const char* op, std::optional<int64_t> padding_idx, int64_t num_rows) {
  if (!padding_idx) return -1;
  ORDO_CHECK(*padding_idx >= -num_rows && *padding_idx < num_rows, IndexError, op,
             "padding_idx = {} is out of range for a weight of {} rows", *padding_idx, num_rows);
  return *padding_idx < 0 ? *padding_idx + num_rows : *padding_idx;
}

}  // namespace ordo::kernels
