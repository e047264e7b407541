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
constexpr const char* kBackward = "embedding_backward";

void check_backward(const Tensor& grad, const Tensor& input, int64_t num_rows) {
  ordo::detail::expect_defined(kBackward, grad, "grad");
  ordo::detail::expect_defined(kBackward, input, "input");
  ordo::detail::expect_index_dtype(kBackward, input);
  ordo::detail::expect_floating(kBackward, grad);
  ordo::detail::expect_same_device(kBackward, input, grad);
  ORDO_CHECK(num_rows >= 0, ValueError, kBackward, "num_rows must not be negative, but is {}", num_rows);
  Dims leading = grad.sizes();
  if (leading.size() > 0) leading.erase(leading.size() - 1);
  ORDO_CHECK(grad.dim() == input.dim() + 1 && leading == input.sizes(), ShapeError, kBackward,
             "the gradient has shape {}, which is not that of the indices, {}, and a row", grad.sizes(), input.sizes());
}

/// Adds row i of grad to row input[i] of the output, but for the row of padding, if any.
void add_rows(const Tensor& grad, const Tensor& input, const Tensor& output, int64_t padding, Algorithm algorithm,
              const IndexOrder* order = nullptr) {
  if (input.numel() == 0) return;
  const Tensor rows = contiguous(grad), index = contiguous(input);
  const IndexGuard guard(kBackward, "input", 0, output.size(0), output.device());
  KeyedItems items{keyed_rows(output.size(0), output.size(1), index.numel()),
                   index_view(index, output.size(0), guard),
                   output.data(),
                   rows.data(),
                   output.dtype(),
                   output.device()};
  items.order = order;
  items.skipped = padding;
  if (!order) validate_on_cpu(items.index, index.numel(), guard, output, algorithm);
  add_by_key(items, algorithm);
  guard.finish();
}

}  // namespace

Tensor embedding_backward(const Tensor& grad, const Tensor& input, int64_t num_rows, std::optional<int64_t> padding_idx,
                          Algorithm algorithm) {
  const ordo::detail::OperationName name(kBackward);
  check_backward(grad, input, num_rows);
  const int64_t padding = wrap_padding_idx(kBackward, padding_idx, num_rows);
  algorithm = choose_accumulate(kBackward, algorithm, grad.dtype(), {Algorithm::sorted, Algorithm::atomic});
  const Tensor output = full({num_rows, grad.sizes().back()}, 0, grad.dtype(), grad.device());
  add_rows(grad, input, output, padding, algorithm);
  return output;
}

Tensor embedding_backward(const Tensor& grad, const IndexPlan& plan, std::optional<int64_t> padding_idx) {
  const ordo::detail::OperationName name(kBackward);
  check_backward(grad, plan.index(), plan.size());
  const int64_t padding = wrap_padding_idx(kBackward, padding_idx, plan.size());
  const Tensor output = full({plan.size(), grad.sizes().back()}, 0, grad.dtype(), grad.device());
  add_rows(grad, plan.index(), output, -1, Algorithm::sorted, &plan.order());
  if (padding >= 0) fill_(views::narrow(output, 0, padding, 1), 0);
  return output;
}

int64_t wrap_padding_idx(const char* op, std::optional<int64_t> padding_idx, int64_t num_rows) {
  if (!padding_idx) return -1;
  ORDO_CHECK(*padding_idx >= -num_rows && *padding_idx < num_rows, IndexError, op,
             "padding_idx = {} is out of range for a weight of {} rows", *padding_idx, num_rows);
  return *padding_idx < 0 ? *padding_idx + num_rows : *padding_idx;
}

}  // namespace ordo::kernels
