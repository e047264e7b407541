#include <ordo/autograd/ops/embedding.h>
#include <ordo/autograd/tape.h>
#include <ordo/kernels/embedding/embedding.h>

namespace ordo {
namespace {

Tensor pick_rows(const Tensor& input, const Tensor& weight, std::optional<int64_t> skip_idx);

/// The sum of grad's rows by index, without padding_idx: linear in grad, its adjoint is pick_rows.
Tensor add_rows(const Tensor& grad, const Saved& input, int64_t num_rows, std::optional<int64_t> padding_idx) {
  return record("embedding_backward", kernels::embedding_backward(grad, input.get(), num_rows, padding_idx), {grad},
                [=](const Tensor& g) -> TensorList { return {pick_rows(input.get(), g, padding_idx)}; });
}

Tensor pick_rows(const Tensor& input, const Tensor& weight, std::optional<int64_t> skip_idx) {
  return record("embedding", kernels::embedding(input, weight, skip_idx), {weight},
                [input = Saved(input), rows = weight.size(0), skip_idx](const Tensor& grad) -> TensorList {
                  return {add_rows(grad, input, rows, skip_idx)};
                });
}

}  // namespace

Tensor embedding(const Tensor& input, const Tensor& weight, std::optional<int64_t> padding_idx) {
  Tensor out = kernels::embedding(input, weight);
  kernels::wrap_padding_idx("embedding", padding_idx, weight.size(0));
  return record("embedding", std::move(out), {weight},
                [input = Saved(input), rows = weight.size(0), padding_idx](const Tensor& grad) -> TensorList {
                  return {add_rows(grad, input, rows, padding_idx)};
                });
}

}  // namespace ordo
