#include <ordo/autograd/ops/embedding.h>

#include <ordo/autograd/ops/operation.h>
#include <ordo/kernels/embedding/embedding.h>

namespace ordo {
namespace {

/// Which rows of how many, without padding_idx where gradients are added. With a plan, `input` is its index.
struct Rows {
  Saved input;
  int64_t count;
  std::optional<int64_t> padding_idx;
  std::optional<IndexPlan> plan;
};

Tensor pick_rows(const Rows& rows, const Tensor& weight);

/// The sum of grad's rows by index: linear in grad, its adjoint is pick_rows.
Tensor add_rows(const Tensor& grad, const Rows& rows) {
  const OpCall call("embedding_backward", grad, rows.input.get(), rows.count, rows.padding_idx);
  Tensor sums = rows.plan ? kernels::embedding_backward(grad, *rows.plan, rows.padding_idx)
                          : kernels::embedding_backward(grad, rows.input.get(), rows.count, rows.padding_idx);
  return record(call, std::move(sums), {grad}, [rows](const Tensor& g) -> TensorList { return {pick_rows(rows, g)}; });
}

Tensor pick_rows(const Rows& rows, const Tensor& weight) {
  const OpCall call("embedding", rows.input.get(), weight, rows.padding_idx);
  return record(call, kernels::embedding(rows.input.get(), weight, rows.padding_idx), {weight},
                [rows](const Tensor& grad) -> TensorList { return {add_rows(grad, rows)}; });
}

/// `out` is embedding's result, of rows that include padding_idx.
Tensor with_gradient(const OpCall& call, Tensor out, const Tensor& weight, const Rows& rows) {
  kernels::wrap_padding_idx("embedding", rows.padding_idx, rows.count);
  return record(call, std::move(out), {weight},
                [rows](const Tensor& grad) -> TensorList { return {add_rows(grad, rows)}; });
}

}  // namespace

Tensor embedding(const Tensor& input, const Tensor& weight, std::optional<int64_t> padding_idx) {
  const OpCall call("embedding", input, weight, padding_idx);
  Tensor out = kernels::embedding(input, weight);
  return with_gradient(call, std::move(out), weight, {Saved(input), weight.size(0), padding_idx, {}});
}

Tensor embedding(const IndexPlan& plan, const Tensor& weight, std::optional<int64_t> padding_idx) {
  const OpCall call("embedding", plan, weight, padding_idx);
  Tensor out = kernels::embedding(plan.index(), weight);
  ORDO_CHECK(plan.size() == weight.size(0), ShapeError, "embedding", "the plan is for {} rows, but weight has {}",
             plan.size(), weight.size(0));
  return with_gradient(call, std::move(out), weight, {Saved(plan.index()), plan.size(), padding_idx, plan});
}

}  // namespace ordo
