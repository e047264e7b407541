#include <ordo/autograd/ops/embedding_bag.h>
#include <ordo/autograd/tape.h>

namespace ordo {
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

bool wanted(const Tensor& t) { return t.defined() && t.requires_grad(); }

// kernels/embedding_bag/embedding_bag.h tells how the three hang together.
Tensor add_up(const SavedBags& bags, const Tensor& weight, const Tensor& factors);
Tensor spread(const SavedBags& bags, const Tensor& grad, int64_t rows, const Tensor& factors);
Tensor products(const SavedBags& bags, const Tensor& grad, const Tensor& weight);

Tensor add_up(const SavedBags& bags, const Tensor& weight, const Tensor& factors) {
  Tensor out = kernels::embedding_bag(bags.get(), weight, factors).values;
  // The table is only needed for the gradient of the weights of the samples.
  const bool to_weight = wanted(weight), to_factors = wanted(factors);
  return record("embedding_bag", std::move(out), {&weight, &factors},
                [=, table = to_factors ? Saved(weight) : Saved(), factors = Saved(factors),
                 rows = weight.size(0)](const Tensor& grad) -> TensorList {
                  return {to_weight ? spread(bags, grad, rows, factors.get()) : Tensor(),
                          to_factors ? products(bags, grad, table.get()) : Tensor()};
                });
}

Tensor spread(const SavedBags& bags, const Tensor& grad, int64_t rows, const Tensor& factors) {
  Tensor out = kernels::embedding_bag_backward(bags.get(), grad, {}, rows, factors);
  const bool to_grad = wanted(grad), to_factors = wanted(factors);
  return record(
      "embedding_bag_backward", std::move(out), {&grad, &factors},
      [=, grad = to_factors ? Saved(grad) : Saved(), factors = Saved(factors)](const Tensor& g) -> TensorList {
        return {to_grad ? add_up(bags, g, factors.get()) : Tensor(),
                to_factors ? products(bags, grad.get(), g) : Tensor()};
      });
}

Tensor products(const SavedBags& bags, const Tensor& grad, const Tensor& weight) {
  Tensor out = kernels::embedding_bag_sample_gradient(bags.get(), grad, weight);
  return record("embedding_bag_sample_gradient", std::move(out), {&grad, &weight},
                [=, grad = Saved(grad), weight = Saved(weight), to_grad = wanted(grad),
                 to_weight = wanted(weight)](const Tensor& g) -> TensorList {
                  return {to_grad ? add_up(bags, weight.get(), g) : Tensor(),
                          to_weight ? spread(bags, grad.get(), weight.sizes()[0], g) : Tensor()};
                });
}

Tensor take(const Tensor& weight, const SavedBags& bags, const Saved& rows);

Tensor spread_max(const SavedBags& bags, const Tensor& grad, const Saved& rows, int64_t num_rows) {
  return record("embedding_bag_backward", kernels::embedding_bag_backward(bags.get(), grad, rows.get(), num_rows),
                {grad}, [=](const Tensor& g) -> TensorList { return {take(g, bags, rows)}; });
}

Tensor take(const Tensor& weight, const SavedBags& bags, const Saved& rows) {
  return record("embedding_bag_take", kernels::embedding_bag_take(weight, rows.get()), {weight},
                [=, num_rows = weight.size(0)](const Tensor& grad) -> TensorList {
                  return {spread_max(bags, grad, rows, num_rows)};
                });
}

Tensor embed(const kernels::BagArguments& arguments, const Tensor& weight, const Tensor& per_sample_weights) {
  if (!grad_enabled() || !(wanted(weight) || wanted(per_sample_weights)))
    return kernels::embedding_bag(arguments, weight, per_sample_weights).values;
  if (arguments.mode != EmbeddingBagMode::max) {
    detail::expect_defined("embedding_bag", arguments.input, "input");
    detail::expect_defined("embedding_bag", weight, "weight");
    return add_up(SavedBags(arguments), weight, per_sample_weights);
  }
  auto result = kernels::embedding_bag(arguments, weight, per_sample_weights);
  return record("embedding_bag", std::move(result.values), {weight},
                [bags = SavedBags(arguments), rows = Saved(result.rows), num_rows = weight.size(0)](
                    const Tensor& grad) -> TensorList { return {spread_max(bags, grad, rows, num_rows)}; });
}

}  // namespace

Tensor embedding_bag(const Tensor& input, const Tensor& weight, const Tensor& offsets, EmbeddingBagMode mode,
                     const Tensor& per_sample_weights, bool include_last_offset, std::optional<int64_t> padding_idx) {
  return embed({input, offsets, mode, include_last_offset, padding_idx}, weight, per_sample_weights);
}

Tensor embedding_bag(const IndexPlan& plan, const Tensor& weight, const Tensor& offsets, EmbeddingBagMode mode,
                     const Tensor& per_sample_weights, bool include_last_offset, std::optional<int64_t> padding_idx) {
  return embed({plan.index(), offsets, mode, include_last_offset, padding_idx, plan}, weight, per_sample_weights);
}

}  // namespace ordo
