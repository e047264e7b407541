#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/accumulate/keyed.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/elementwise/arithmetic.h>
#include <ordo/kernels/elementwise/comparison.h>
#include <ordo/kernels/elementwise/where.h>
#include <ordo/kernels/embedding/embedding.h>
#include <ordo/kernels/embedding_bag/bags.h>
#include <ordo/kernels/indexing/cat.h>
#include <ordo/kernels/indexing/gather.h>
#include <ordo/kernels/segment_reduce/segment_reduce.h>

namespace ordo::kernels {

ORDO_REGISTER_OP({.name = "embedding_bag",
                  .family = "embedding_bag",
                  .dtypes = kFloatingTypes,
                  .algorithms = accumulate_levels(kExactTypes),
                  .note = "the algorithms are the backward pass's"});

namespace {

/// Checked arguments, contiguous; holds the memory that `bags` points to.
struct Prepared {
  Tensor input, offsets;
  Bags bags;
};

Prepared prepare(const char* op, const BagArguments& a, int64_t num_rows, const Tensor& beside) {
  ordo::detail::expect_defined(op, a.input, "input");
  ordo::detail::expect_index_dtype(op, a.input);
  ordo::detail::expect_same_device(op, a.input, beside);
  ORDO_CHECK(a.mode <= EmbeddingBagMode::max, ValueError, op, "number {} is not a mode: there are sum, mean and max",
             int(a.mode));
  Prepared p;
  if (a.plan) {
    ORDO_CHECK(a.plan->size() == num_rows, ShapeError, op, "the plan is for {} rows, but weight has {}", a.plan->size(),
               num_rows);
    ORDO_CHECK(a.mode != EmbeddingBagMode::max, ValueError, op,
               "takes a plan with modes sum and mean only: the maximum of a column has a row of its own");
  }
  p.bags = {nullptr, 0, 0, 0, a.input.numel(), wrap_padding_idx(op, a.padding_idx, num_rows)};
  if (a.offsets.defined()) {
    ORDO_CHECK(a.input.dim() == 1, ShapeError, op,
               "takes offsets with an input of one dimension, not of shape {}; the rows of a matrix are bags already",
               a.input.sizes());
    ordo::detail::expect_index_dtype(op, a.offsets);
    ordo::detail::expect_same_device(op, a.input, a.offsets);
    ORDO_CHECK(a.offsets.dim() == 1, ShapeError, op, "takes offsets of one dimension, not of shape {}",
               a.offsets.sizes());
    ORDO_CHECK(!a.include_last_offset || a.offsets.numel() > 0, ShapeError, op,
               "include_last_offset needs at least one offset");
    p.offsets = contiguous(cast(a.offsets, DType::int64));
    p.bags.offsets = p.offsets.data<int64_t>();
    p.bags.offset_count = p.offsets.numel();
    p.bags.bags = p.bags.offset_count - (a.include_last_offset ? 1 : 0);
    static constexpr int64_t kNone = 0;
    if (p.bags.offsets == nullptr) p.bags.offsets = &kNone;  // no offsets: no bags, none is read
  } else {
    ORDO_CHECK(a.input.dim() == 2, ShapeError, op,
               "takes an input of shape [bags, items] without offsets, not {}; with one dimension, offsets are needed",
               a.input.sizes());
    ORDO_CHECK(!a.include_last_offset, ValueError, op, "include_last_offset needs offsets");
    p.bags.bags = a.input.size(0);
    p.bags.length = a.input.size(1);
  }
  p.input = contiguous(a.input);
  return p;
}

Tensor check_sample_weights(const char* op, const BagArguments& a, const Tensor& sample_weights, const Tensor& beside) {
  if (!sample_weights.defined()) return {};
  ORDO_CHECK(a.mode == EmbeddingBagMode::sum, ValueError, op, "takes per_sample_weights with mode sum only");
  ordo::detail::expect_same_device(op, beside, sample_weights);
  ordo::detail::expect_same_dtype(op, beside, sample_weights);
  ORDO_CHECK(sample_weights.sizes() == a.input.sizes(), ShapeError, op,
             "per_sample_weights have shape {}, the input has {}", sample_weights.sizes(), a.input.sizes());
  return contiguous(sample_weights);
}

void check_weight(const char* op, const Tensor& weight) {
  ordo::detail::expect_floating(op, weight, "weight");
  ORDO_CHECK(weight.dim() == 2, ShapeError, op, "takes a weight of shape [rows, columns], not {}", weight.sizes());
}

void check_grad(const char* op, const Tensor& grad, int64_t bags) {
  ordo::detail::expect_floating(op, grad, "grad");
  ORDO_CHECK(grad.dim() == 2 && grad.size(0) == bags, ShapeError, op, "takes a gradient of shape [{}, columns], not {}",
             bags, grad.sizes());
}

/// On the CPU throws where an offset is out of range; on CUDA that is recorded.
void check_offsets(const Bags& bags, Device device) {
  if (bags.offsets == nullptr) return;
  if (device.is_cpu()) {
    for (int64_t at = 0, least = 0; at < bags.offset_count; least = bags.offsets[at++]) {
      ORDO_CHECK(
          bags.offsets[at] >= least && bags.offsets[at] <= (at == 0 ? 0 : bags.items), IndexError, "embedding_bag",
          "offsets[{}] = {} is out of range: offsets begin with 0, do not descend and end at the number of items, {}",
          at, bags.offsets[at], bags.items);
    }
    return;
  }
  const IndexGuard guard("embedding_bag", "offsets (which begin at 0 and do not descend)", 0, bags.items + 1, device);
  const Segments segments{bags.offsets, 1, bags.offset_count - 1, bags.items};
  ORDO_ON_DEVICE(device, check_offsets, segments, {.from_zero = true, .to_size = false}, guard.check(), device);
  guard.finish();
}

/// What find_bags finds, of a table of so many rows.
struct Found {
  Tensor row_of, bag_of, counts;
  Found(const Prepared& p, int64_t num_rows)
      : row_of(ordo::detail::result({p.bags.items}, int64, p.input.device())),
        bag_of(ordo::detail::result({p.bags.items}, int64, p.input.device())),
        counts(ordo::detail::result({p.bags.bags, 1}, int64, p.input.device())) {
    const Device device = p.input.device();
    check_offsets(p.bags, device);
    const IndexGuard guard("embedding_bag_backward", "input", 0, num_rows, device);
    ORDO_ON_DEVICE(device, find_bags, p.bags, index_view(p.input, num_rows, guard), device, row_of.data<int64_t>(),
                   bag_of.data<int64_t>(), counts.data<int64_t>());
    guard.finish();
  }
};

/// Adds to every row of the output the gradients of the bags that it is in: a sum's times the item's weight, a mean's
/// divided by the number of items.
void add_bags(const BagArguments& arguments, const Prepared& p, const Tensor& grad, const Tensor& sample_weights,
              const Tensor& output, Algorithm algorithm) {
  const Bags& bags = p.bags;
  const Device device = grad.device();
  const Found found(p, output.size(0));
  if (bags.bags == 0) return;
  const bool mean = arguments.mode == EmbeddingBagMode::mean;
  const DType sums = grad.dtype() == DType::float64 ? DType::float64 : DType::float32;
  Tensor values = mean ? div(cast(grad, sums), cast(found.counts, sums)) : contiguous(grad);
  Tensor factors = sample_weights.defined() ? cast(sample_weights, sums) : Tensor();
  // A plan knows nothing of items that are in no bag: they add -0, which changes no sum.
  if (arguments.plan && bags.has_uncovered(device)) {
    values = cat({values, full({1, grad.size(1)}, -0.0, values.dtype(), device)}, 0);
    if (factors.defined()) factors = where(eq(found.bag_of, bags.bags), 1, factors);
  }
  KeyedItems items = keyed_items(keyed_rows(output.size(0), output.size(1), bags.items),
                                 index_view(found.row_of, output.size(0)), output, values, true);
  items.order = arguments.plan ? &arguments.plan->order() : nullptr;
  items.row_of = found.bag_of.data<int64_t>();
  items.factors = factors.defined() ? factors.data() : nullptr;
  items.wide_source = values.dtype() != output.dtype();
  add_by_key(items, algorithm);
}

}  // namespace

EmbeddingBagResult embedding_bag(const BagArguments& arguments, const Tensor& weight,
                                 const Tensor& per_sample_weights) {
  constexpr const char* op = "embedding_bag";
  const ordo::detail::OperationName name(op);
  check_weight(op, weight);
  const Prepared p = prepare(op, arguments, weight.size(0), weight);
  const Tensor sample_weights = check_sample_weights(op, arguments, per_sample_weights, weight);
  const Dims sizes{p.bags.bags, weight.size(1)};
  EmbeddingBagResult result{ordo::detail::result(sizes, weight.dtype(), weight.device()), {}};
  if (arguments.mode == EmbeddingBagMode::max) result.rows = ordo::detail::result(sizes, DType::int64, weight.device());
  const Device device = weight.device();
  check_offsets(p.bags, device);
  const IndexGuard guard(op, "input", 0, weight.size(0), device);
  const IndexView index = index_view(p.input, weight.size(0), guard);
  validate_on_cpu(index, p.bags.items, guard, result.values, Algorithm::sorted);
  if (device.is_cpu() && arguments.mode != EmbeddingBagMode::max)
    cpu::embedding_bag_sums(p.bags, index, contiguous(weight), sample_weights, arguments.mode == EmbeddingBagMode::mean,
                            result.values);
  else
    ORDO_ON_DEVICE(device, embedding_bag, p.bags, index, contiguous(weight), sample_weights, arguments.mode,
                   result.values, result.rows);
  guard.finish();
  return result;
}

Tensor embedding_bag_backward(const BagArguments& arguments, const Tensor& grad, const Tensor& rows, int64_t num_rows,
                              const Tensor& per_sample_weights, Algorithm algorithm) {
  constexpr const char* op = "embedding_bag_backward";
  const ordo::detail::OperationName name(op);
  ordo::detail::expect_defined(op, grad, "grad");
  const Prepared p = prepare(op, arguments, num_rows, grad);
  check_grad(op, grad, p.bags.bags);
  const Tensor sample_weights = check_sample_weights(op, arguments, per_sample_weights, grad);
  // Of a maximum every element of the gradient is an item, which goes to the row that its value came from, if any.
  const bool by_element = arguments.mode == EmbeddingBagMode::max;
  algorithm = choose_accumulate(op, algorithm, grad.dtype(),
                                by_element ? AccumulateSize{grad.numel(), num_rows * grad.size(1), true}
                                           : AccumulateSize{p.bags.items, num_rows});
  const Tensor output = full({num_rows, grad.size(1)}, 0, grad.dtype(), grad.device());
  if (by_element) {
    ordo::detail::expect_defined(op, rows, "rows");
    ordo::detail::expect_same_device(op, grad, rows);
    ORDO_CHECK(rows.sizes() == grad.sizes(), ShapeError, op, "the rows have shape {}, the gradient {}", rows.sizes(),
               grad.sizes());
    const Tensor values = contiguous(grad), index = contiguous(rows);
    add_by_key(
        keyed_items({1, num_rows, grad.size(1), grad.size(0)}, index_view(index, num_rows), output, values, true),
        algorithm);
  } else {
    add_bags(arguments, p, grad, sample_weights, output, algorithm);
    if (arguments.plan && p.bags.padding >= 0) fill_(views::narrow(output, 0, p.bags.padding, 1), 0);
  }
  return output;
}

Tensor embedding_bag_sample_gradient(const BagArguments& arguments, const Tensor& grad, const Tensor& weight) {
  constexpr const char* op = "embedding_bag_sample_gradient";
  const ordo::detail::OperationName name(op);
  check_weight(op, weight);
  const Prepared p = prepare(op, arguments, weight.size(0), weight);
  check_grad(op, grad, p.bags.bags);
  ordo::detail::expect_same_device(op, grad, weight);
  ordo::detail::expect_same_dtype(op, grad, weight);
  ORDO_CHECK(grad.size(1) == weight.size(1), ShapeError, op, "the gradient has {} columns, the weight {}", grad.size(1),
             weight.size(1));
  const Tensor output = full(arguments.input.sizes(), 0, grad.dtype(), grad.device());
  const Found found(p, weight.size(0));
  ORDO_ON_DEVICE(grad.device(), embedding_bag_sample_gradient, p.bags.items, found.row_of.data<int64_t>(),
                 found.bag_of.data<int64_t>(), contiguous(grad), contiguous(weight), output);
  return output;
}

Tensor embedding_bag_take(const Tensor& weight, const Tensor& rows) {
  constexpr const char* op = "embedding_bag_take";
  const ordo::detail::OperationName name(op);
  check_weight(op, weight);
  ordo::detail::expect_defined(op, rows, "rows");
  ordo::detail::expect_same_device(op, weight, rows);
  ORDO_CHECK(rows.dim() == 2 && rows.size(1) == weight.size(1), ShapeError, op, "the rows have shape {}, the weight {}",
             rows.sizes(), weight.sizes());
  if (rows.numel() == 0 || weight.size(0) == 0) return full(rows.sizes(), 0, weight.dtype(), weight.device());
  return where(lt(rows, 0), 0, gather(weight, 0, maximum(rows, 0)));
}

}  // namespace ordo::kernels
