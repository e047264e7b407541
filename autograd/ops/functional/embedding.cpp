#include <ordo/autograd/ops/functional/embedding.h>

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
  return record(call, std::move(sums), {grad}, [rows](const Tensor& g) { return pick_rows(rows, g); });
}

Tensor pick_rows(const Rows& rows, const Tensor& weight) {
  const OpCall call("embedding", rows.input.get(), weight, rows.padding_idx);
  return record(call, kernels::embedding(rows.input.get(), weight, rows.padding_idx), {weight},
                [rows](const Tensor& grad) { return add_rows(grad, rows); });
}

/// `out` is embedding's result, of rows that include padding_idx.
Tensor with_gradient(const OpCall& call, Tensor out, const Tensor& weight, const Rows& rows) {
  kernels::wrap_padding_idx("embedding", rows.padding_idx, rows.count);
  return record(call, std::move(out), {weight}, [rows](const Tensor& grad) { return add_rows(grad, rows); });
}

/// `rows` of `weight` with norms of at most max_norm, which also go back to their places.
Tensor renormalised(const Tensor& rows, const Tensor& input, const Tensor& weight, double max_norm, double norm_type) {
  const NoGrad guard;
  const Tensor norms = norm(rows, norm_type, {-1}, true);
  Tensor shorter = rows * where(norms > max_norm, max_norm / (norms + 1e-7), 1);
  weight.detach().index_copy_(0, input.reshape({-1}), shorter.reshape({-1, weight.size(1)}));
  return shorter;
}

}  // namespace

Tensor embedding(const Tensor& input, const Tensor& weight, std::optional<int64_t> padding_idx,
                 std::optional<double> max_norm, double norm_type) {
  const OpCall call("embedding", input, weight, padding_idx, max_norm, norm_type);
  Tensor out = kernels::embedding(input, weight);
  ORDO_CHECK(!max_norm || *max_norm >= 0, ValueError, "embedding", "max_norm = {} must not be negative", *max_norm);
  ORDO_CHECK(norm_type > 0, ValueError, "embedding", "norm_type = {} must be positive", norm_type);
  kernels::wrap_padding_idx("embedding", padding_idx, weight.size(0));
  if (max_norm && out.numel() > 0) out = renormalised(out, input, weight, *max_norm, norm_type);
  return with_gradient(call, std::move(out), weight, {Saved(input), weight.size(0), padding_idx, {}});
}

Tensor embedding(const IndexPlan& plan, const Tensor& weight, std::optional<int64_t> padding_idx) {
  const OpCall call("embedding", plan, weight, padding_idx);
  Tensor out = kernels::embedding(plan.index(), weight);
  ORDO_CHECK(plan.size() == weight.size(0), ShapeError, "embedding", "the plan is for {} rows, but weight has {}",
             plan.size(), weight.size(0));
  return with_gradient(call, std::move(out), weight, {Saved(plan.index()), plan.size(), padding_idx, plan});
}

namespace {

/// The arguments that are not differentiated, kept for the backward passes.
class SavedBags {
 public:
  explicit SavedBags(const kernels::BagArguments& a) : input_(a.input), offsets_(a.offsets), plain_(a) {
    plain_.input = plain_.offsets = Tensor();
  }
  kernels::BagArguments get() const {
    kernels::BagArguments a = plain_;
    a.input = input_.get();
    a.offsets = offsets_.get();
    return a;
  }

 private:
  Saved input_, offsets_;
  kernels::BagArguments plain_;
};

void report(detail::OpArguments& call, const SavedBags& bags) {
  const kernels::BagArguments a = bags.get();
  call.add(a.input);
  call.add(a.offsets);
}

bool wanted(const Tensor& t) { return t.defined() && t.requires_grad(); }

// kernels/embedding_bag/embedding_bag.h tells how the three hang together.
Tensor add_up(const SavedBags& bags, const Tensor& weight, const Tensor& factors);
Tensor spread(const SavedBags& bags, const Tensor& grad, int64_t rows, const Tensor& factors);
Tensor products(const SavedBags& bags, const Tensor& grad, const Tensor& weight);

Tensor add_up(const OpCall& call, const SavedBags& bags, const Tensor& weight, const Tensor& factors) {
  Tensor out = kernels::embedding_bag(bags.get(), weight, factors).values;
  // The table is only needed for the gradient of the weights of the samples.
  return record(call, std::move(out), {weight, factors},
                [=, table = saved_if(wanted(factors), weight), factors = Saved(factors),
                 rows = weight.size(0)](const Tensor& grad) -> TensorList {
                  return {needs(0) ? spread(bags, grad, rows, factors.get()) : Tensor(),
                          needs(1) ? products(bags, grad, table.get()) : Tensor()};
                });
}

Tensor add_up(const SavedBags& bags, const Tensor& weight, const Tensor& factors) {
  const OpCall call("embedding_bag", bags, weight, factors);
  return add_up(call, bags, weight, factors);
}

Tensor spread(const SavedBags& bags, const Tensor& grad, int64_t rows, const Tensor& factors) {
  const OpCall call("embedding_bag_backward", bags, grad, rows, factors);
  Tensor out = kernels::embedding_bag_backward(bags.get(), grad, {}, rows, factors);
  return record(call, std::move(out), {grad, factors},
                [=, grad = saved_if(wanted(factors), grad), factors = Saved(factors)](const Tensor& g) -> TensorList {
                  return {needs(0) ? add_up(bags, g, factors.get()) : Tensor(),
                          needs(1) ? products(bags, grad.get(), g) : Tensor()};
                });
}

Tensor products(const SavedBags& bags, const Tensor& grad, const Tensor& weight) {
  const OpCall call("embedding_bag_backward", bags, grad, weight);
  Tensor out = kernels::embedding_bag_sample_gradient(bags.get(), grad, weight);
  return record(call, std::move(out), {grad, weight},
                [=, grad = Saved(grad), weight = Saved(weight)](const Tensor& g) -> TensorList {
                  return {needs(0) ? add_up(bags, weight.get(), g) : Tensor(),
                          needs(1) ? spread(bags, grad.get(), weight.sizes()[0], g) : Tensor()};
                });
}

Tensor take(const Tensor& weight, const SavedBags& bags, const Saved& rows);

Tensor spread_max(const SavedBags& bags, const Tensor& grad, const Saved& rows, int64_t num_rows) {
  const OpCall call("embedding_bag_backward", bags, grad, rows.get(), num_rows);
  return record(call, kernels::embedding_bag_backward(bags.get(), grad, rows.get(), num_rows), {grad},
                [=](const Tensor& g) { return take(g, bags, rows); });
}

Tensor take(const Tensor& weight, const SavedBags& bags, const Saved& rows) {
  const OpCall call("embedding_bag_backward", weight, bags, rows.get());
  return record(call, kernels::embedding_bag_take(weight, rows.get()), {weight},
                [=, num_rows = weight.size(0)](const Tensor& grad) { return spread_max(bags, grad, rows, num_rows); });
}

Tensor embed(const OpCall& call, const kernels::BagArguments& arguments, const Tensor& weight,
             const Tensor& per_sample_weights) {
  if (!recorded(weight, per_sample_weights))
    return call.done(kernels::embedding_bag(arguments, weight, per_sample_weights).values);
  if (arguments.mode != EmbeddingBagMode::max) {
    detail::expect_defined("embedding_bag", arguments.input, "input");
    detail::expect_defined("embedding_bag", weight, "weight");
    return add_up(call, SavedBags(arguments), weight, per_sample_weights);
  }
  auto result = kernels::embedding_bag(arguments, weight, per_sample_weights);
  return record(call, std::move(result.values), {weight},
                [bags = SavedBags(arguments), rows = Saved(result.rows),
                 num_rows = weight.size(0)](const Tensor& grad) { return spread_max(bags, grad, rows, num_rows); });
}

}  // namespace

static Tensor embedding_bag(const Tensor& input, const Tensor& weight, const Tensor& offsets, EmbeddingBagMode mode,
                            const Tensor& per_sample_weights, bool include_last_offset,
                            std::optional<int64_t> padding_idx) {
  ORDO_AUTOCAST_CALL(raise, embedding_bag, input, weight, offsets, mode, per_sample_weights, include_last_offset,
                     padding_idx);
  return embed(call, {input, offsets, mode, include_last_offset, padding_idx}, weight, per_sample_weights);
}
Tensor embedding_bag(const Tensor& input, const Tensor& weight, const EmbeddingBagFuncOptions& o) {
  return embedding_bag(input, weight, o.offsets, o.mode, o.per_sample_weights, o.include_last_offset, o.padding_idx);
}

static Tensor embedding_bag(const IndexPlan& plan, const Tensor& weight, const Tensor& offsets, EmbeddingBagMode mode,
                            const Tensor& per_sample_weights, bool include_last_offset,
                            std::optional<int64_t> padding_idx) {
  ORDO_AUTOCAST_CALL(raise, embedding_bag, plan, weight, offsets, mode, per_sample_weights, include_last_offset,
                     padding_idx);
  return embed(call, {plan.index(), offsets, mode, include_last_offset, padding_idx, plan}, weight, per_sample_weights);
}
Tensor embedding_bag(const IndexPlan& plan, const Tensor& weight, const EmbeddingBagFuncOptions& o) {
  return embedding_bag(plan, weight, o.offsets, o.mode, o.per_sample_weights, o.include_last_offset, o.padding_idx);
}

}  // namespace ordo
