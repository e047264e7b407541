// The integer arguments of operations that do not have them beside their samples.
#include <gtest/gtest.h>

#include <sstream>

#include "tests/support/integer_arguments.h"

namespace ordo::test::arguments_test {
namespace {

/// Shapes that hold v, in the places that a rule about shapes may overlook.
std::vector<IntegerArgument> shapes(const std::string& kind, Tensor (*f)(const Dims&, Device)) {
  std::vector<IntegerArgument> all;
  const auto add = [&](const char* name, Dims (*shape)(int64_t)) {
    all.push_back({name + kind, [=](int64_t v, Device d) { return f(shape(v), d); }});
  };
  add("{v}", [](int64_t v) { return Dims{v}; });
  add("{v, 3}", [](int64_t v) { return Dims{v, 3}; });
  add("{0, v}", [](int64_t v) { return Dims{0, v}; });
  add("{v, 0, v}", [](int64_t v) { return Dims{v, 0, v}; });
  add("{v, v}", [](int64_t v) { return Dims{v, v}; });
  add("{v, -1}", [](int64_t v) { return Dims{v, -1}; });
  return all;
}
#define ORDO_SHAPES(op, kind, ...)                                    \
  static const RegisterIntegers ORDO_OP_CONCAT(shapes_, __COUNTER__)( \
      #op, shapes(kind, [](const Dims& s, Device d) -> Tensor { return __VA_ARGS__; }))
ORDO_SHAPES(view, "", some(d).view(s));
ORDO_SHAPES(view, " of nothing", some(d).narrow(0, 0, 0).view(s));
ORDO_SHAPES(reshape, "", some(d).t().reshape(s));
ORDO_SHAPES(expand, "", ones({1, 1}, {.device = d}).expand(s));
ORDO_SHAPES(empty, "", empty(s, {.device = d}));
ORDO_SHAPES(zeros, "", zeros(s, {.device = d}));
ORDO_SHAPES(full, "", full(s, 2, {.device = d}));
ORDO_SHAPES(rand, "", rand(s, {.device = d}));
ORDO_SHAPES(randn, "", randn(s, {.device = d}));
ORDO_SHAPES(bernoulli, "", bernoulli(s, 0.5, {.device = d}));
ORDO_SHAPES(randint, "", randint(0, 9, s, {int64, d}));
ORDO_SHAPES(resize_, "", some(d).resize_(s));
ORDO_SHAPES(from_vector, "", from_vector<float>({1, 2, 3}, s, {.device = d}));
ORDO_OP_INTEGER(full, "value", full({2}, v, {int32, d}));
ORDO_OP_INTEGER(randint, "low", randint(v, 9, {3}, {int64, d}));
ORDO_OP_INTEGER(randint, "high", randint(0, v, {3}, {uint8, d}));
ORDO_OP_INTEGER(empty_strided, "sizes", empty_strided({v, 2}, {1, 1}, {.device = d}));
ORDO_OP_INTEGER(empty_strided, "strides", empty_strided({2, 2}, {v, 1}, {.device = d}));
ORDO_OP_INTEGER(empty_strided, "strides of one", empty_strided({1, 0}, {v, v}, {.device = d}));
ORDO_OP_INTEGER(transpose, "dim0", some(d).transpose(v, 0));
ORDO_OP_INTEGER(transpose, "dim1", some(d).transpose(0, v));
ORDO_OP_INTEGER(permute, "dims", some(d).permute({v, 0}));
ORDO_OP_INTEGER(slice, "dim", some(d).slice(v, 0, 2));
ORDO_OP_INTEGER(slice, "start", some(d).slice(1, v, 3));
ORDO_OP_INTEGER(slice, "end", some(d).slice(1, 0, v));
ORDO_OP_INTEGER(slice, "step", some(d).slice(1, 0, 3, v));
ORDO_OP_INTEGER(slice, "step of a wide one",
                empty_strided({2, 0}, {int64_t(1) << 60, 1}, {.device = d}).slice(0, 0, 2, v));
ORDO_OP_INTEGER(select, "dim", some(d).select(v, 0));
ORDO_OP_INTEGER(select, "index", some(d).select(1, v));
ORDO_OP_INTEGER(narrow, "dim", some(d).narrow(v, 0, 1));
ORDO_OP_INTEGER(narrow, "start", some(d).narrow(1, v, 1));
ORDO_OP_INTEGER(narrow, "length", some(d).narrow(1, 1, v));
ORDO_OP_INTEGER(squeeze, "dim", some(d).squeeze(v));
ORDO_OP_INTEGER(unsqueeze, "dim", some(d).unsqueeze(v));
ORDO_OP_INTEGER(movedim, "source", movedim(some(d), v, 0));
ORDO_OP_INTEGER(movedim, "destination", movedim(some(d), 0, v));
ORDO_OP_INTEGER(unbind, "dim", unbind(some(d), v)[0]);
ORDO_OP_INTEGER(unbind, "size of the input", v > 0 ? unbind(zeros({1}, {uint8, d}).expand({v}))[0] : Tensor());
ORDO_OP_INTEGER(split, "split_size", split(some(d), v)[0]);
ORDO_OP_INTEGER(split, "dim", split(some(d), 1, v)[0]);
ORDO_OP_INTEGER(split, "sizes", split(some(d), {1, v, 1})[0]);
ORDO_OP_INTEGER(split, "size of the input", v > 0 ? split(zeros({1}, {uint8, d}).expand({v}), 1)[0] : Tensor());
ORDO_OP_INTEGER(chunk, "chunks", chunk(some(d), v)[0]);
ORDO_OP_INTEGER(chunk, "dim", chunk(some(d), 2, v)[0]);
ORDO_OP_INTEGER(flatten, "start_dim", some(d).flatten(v));
ORDO_OP_INTEGER(flatten, "end_dim", some(d).flatten(0, v));

Tensor bytes(Device d) { return some(d).to(uint8); }
Tensor mask(Device d) { return some(d) > 2; }

#define ORDO_NUMBER(op)                            \
  ORDO_OP_INTEGER(op, "floating", op(some(d), v)); \
  ORDO_OP_INTEGER(op, "uint8", op(bytes(d), v));   \
  ORDO_OP_INTEGER(op, "int32", op(some(d).to(int32), v));
ORDO_NUMBER(add)
ORDO_NUMBER(sub)
ORDO_NUMBER(mul)
ORDO_NUMBER(div)
ORDO_NUMBER(pow)
#define ORDO_COMPARISON(name, ...) ORDO_NUMBER(name)
#define ORDO_EXCHANGED_COMPARISON ORDO_COMPARISON
#define ORDO_LOGICAL(name, ...) ORDO_OP_NO_INTEGERS(name);
#include <ordo/kernels/elementwise/comparison.def>

#define ORDO_FUNCTION2(name, kind, ...) ORDO_INTEGERS_##kind(name)
#define ORDO_INTEGERS_number ORDO_NUMBER
#define ORDO_INTEGERS_floating ORDO_NUMBER
#define ORDO_INTEGERS_integral(op)               \
  ORDO_OP_INTEGER(op, "uint8", op(bytes(d), v)); \
  ORDO_OP_INTEGER(op, "int32", op(some(d).to(int32), v));
#include <ordo/kernels/elementwise/binary_functions.def>

ORDO_OP_INTEGER(add_, "other", bytes(d).add_(v));
ORDO_OP_INTEGER(add_, "alpha", bytes(d).add_(bytes(d), v));
ORDO_OP_INTEGER(mul_, "other", bytes(d).mul_(v));
ORDO_OP_INTEGER(clamp, "min", clamp(bytes(d), v, {}));
ORDO_OP_INTEGER(clamp, "max", clamp(some(d).to(int64), {}, v));
ORDO_OP_INTEGER(where, "input", where(mask(d), v, bytes(d)));
ORDO_OP_INTEGER(where, "other", where(mask(d), some(d), v));
ORDO_OP_INTEGER(masked_fill, "value", masked_fill(bytes(d), mask(d), v));
ORDO_OP_INTEGER(masked_fill_, "value", some(d).to(int32).masked_fill_(mask(d), v));
ORDO_OP_INTEGER(fill_, "value", bytes(d).fill_(v));
ORDO_OP_INTEGER(arange, "start", arange(v, 5, 1, {int64, d}));
ORDO_OP_INTEGER(arange, "end", arange(0, v, 1, {uint8, d}));
ORDO_OP_INTEGER(arange, "step", arange(0, 5, v, {float32, d}));
ORDO_OP_INTEGER(arange, "floating end", arange(0.5, double(v), 1, {.device = d}));
ORDO_OP_INTEGER(arange, "both ends", arange(v, v == INT64_MIN ? INT64_MAX : -v, int64_t(1) << 62, {int64, d}));
ORDO_OP_INTEGER(linspace, "steps", linspace(0, 1, v, {.device = d}));
ORDO_OP_INTEGER(randperm, "n", randperm(v, {int64, d}));
ORDO_OP_INTEGER(randperm, "n of uint8", randperm(v, {uint8, d}));
ORDO_OP_INTEGER(set_num_threads, "n", [&] {
  const int before = num_threads();
  if (v == int(v)) set_num_threads(int(v));
  set_num_threads(before);
  return Tensor();
}());
ORDO_OP_INTEGER(DataLoader, "batch_size", [&] {
  data::DataLoader loader(some(d), some(d), {.batch_size = v});
  EXPECT_GE(loader.size(), 1);
  return (*loader.begin())[0];
}());
ORDO_OP_INTEGER(permutation, "n", [&] {
  Generator generator(1);
  return from_vector(data::permutation(v, generator), {v});
}());
ORDO_OP_INTEGER(synthetic_digits, "count", data::synthetic_digits(v).images);
ORDO_OP_INTEGER(synthetic_cifar10, "count", data::synthetic_cifar10(v).images);

// Everything these are given is a tensor, a floating number or a word.
#define ORDO_FUNCTION(name, ...) ORDO_OP_NO_INTEGERS(name);
#define ORDO_FUNCTION_OF ORDO_FUNCTION
#define ORDO_FUNCTION_OF2 ORDO_FUNCTION
#define ORDO_PREDICATE ORDO_FUNCTION
#include <ordo/kernels/elementwise/functions.def>

// Reductions take a list of dimensions, alone or after another.
#define ORDO_DIMS(op)                                    \
  ORDO_OP_INTEGER(op, "dims {v}", op(some(d), Dims{v})); \
  ORDO_OP_INTEGER(op, "dims {0, v}", op(some(d), Dims{0, v}));
ORDO_DIMS(sum)
ORDO_DIMS(mean)
ORDO_DIMS(amax)
ORDO_DIMS(amin)
ORDO_DIMS(any)
ORDO_DIMS(all)
ORDO_DIMS(var)
ORDO_DIMS(square_sum)

ORDO_OP_INTEGER(std, "dims", ordo::std(some(d), Dims{v}));
ORDO_OP_INTEGER(var_mean, "dims", var_mean(some(d), Dims{v}).first);
ORDO_OP_INTEGER(std_mean, "dims", std_mean(some(d), Dims{v}).first);
ORDO_OP_INTEGER(norm, "dims", norm(some(d), 2, Dims{v}));
ORDO_OP_INTEGER(norm, "p", norm(some(d), double(v)));

ORDO_OP_INTEGER(max, "dim", max(some(d), v).values);
ORDO_OP_INTEGER(min, "dim", min(some(d), v).indices);
ORDO_OP_INTEGER(argmax, "dim", argmax(some(d), v));
ORDO_OP_INTEGER(argmin, "dim", argmin(some(d), v));
ORDO_OP_INTEGER(softmax, "dim", softmax(some(d), v));
ORDO_OP_INTEGER(log_softmax, "dim", log_softmax(some(d), v));
ORDO_OP_INTEGER(stack, "dim", stack({some(d), some(d)}, v));

ORDO_OP_INTEGER(cat, "dim", cat({some(d), some(d)}, v));
ORDO_OP_INTEGER(cat, "size of the inputs", [&] {
  if (v < 0) return Tensor();
  const Tensor t = zeros({1}, {uint8, d}).expand({v});
  return cat({t, t, t});
}());

Tensor classes(Device d) { return log_softmax(some(d), 1); }
Tensor two(int64_t v, Device d) { return from_vector<int64_t>({0, v}, {2}).to(d); }

ORDO_OP_INTEGER(gather, "dim", gather(some(d), v, zeros({2, 3}, {int64, d})));
ORDO_OP_INTEGER(gather, "index", gather(some(d), 1, one_index(v, d).view({1, 1})));
using indexing::Slice;
ORDO_OP_INTEGER(index, "integer", some(d).index({v}));
ORDO_OP_INTEGER(index, "start", some(d).index({0, Slice(v)}));
ORDO_OP_INTEGER(index, "stop", some(d).index({0, Slice(0, v)}));
ORDO_OP_INTEGER(index, "step", some(d).index({0, Slice(0, 3, v)}));
ORDO_OP_INTEGER(index, "index tensor", some(d).index({one_index(v, d), one_index(0, d)}));
ORDO_OP_INTEGER(index_put, "integer", some(d).index_put({v}, some(d)[0]));
ORDO_OP_INTEGER(index_put, "step", some(d).index_put({0, Slice(0, 1, v)}, ones({1}, {.device = d})));
ORDO_OP_INTEGER(index_put, "index tensor",
                some(d).index_put({one_index(v, d), one_index(0, d)}, ones({1}, {.device = d})));
ORDO_OP_INTEGER(index_put_, "value", some(d).index_put_({0}, v));
ORDO_OP_INTEGER(index_put_, "uint8 value", some(d).to(uint8).index_put_({0}, v));
ORDO_OP_INTEGER(index_put_, "masked value", some(d).to(uint8).index_put_({some(d) > 2}, v));
ORDO_OP_INTEGER(index_put_, "index to add", some(d).index_put_({two(v, d)}, ones({}, d), true));
ORDO_OP_INTEGER(index_select, "dim", index_select(some(d), v, one_index(0, d)));
ORDO_OP_INTEGER(index_select, "index", index_select(some(d), 1, one_index(v, d)));
ORDO_OP_INTEGER(one_hot, "num_classes", one_hot(one_index(0, d), v));
ORDO_OP_INTEGER(one_hot, "target", one_hot(one_index(v, d), 3));
ORDO_OP_INTEGER(one_hot, "target decides", one_hot(one_index(v, d)));
ORDO_OP_INTEGER(index_add, "dim", index_add(some(d), v, two(1, d), some(d)));
ORDO_OP_INTEGER(index_add, "index", index_add(some(d), 0, two(v, d), some(d)));
ORDO_OP_INTEGER(index_add, "alpha", index_add(some(d), 0, two(1, d), some(d), v));
ORDO_OP_INTEGER(index_add, "alpha of integers", index_add(some(d).to(int32), 0, two(1, d), some(d).to(int32), v));
ORDO_OP_INTEGER(index_add, "algorithm", index_add(some(d), 0, two(1, d), some(d), 1, Algorithm(uint8_t(v))));
ORDO_OP_INTEGER(scatter_add, "dim", scatter_add(some(d), v, zeros({2, 3}, {int64, d}), some(d)));
ORDO_OP_INTEGER(scatter_add, "index", scatter_add(some(d), 1, one_index(v, d).view({1, 1}), some(d)));
ORDO_OP_INTEGER(scatter_add, "algorithm",
                scatter_add(some(d), 1, zeros({2, 3}, {int64, d}), some(d), Algorithm(uint8_t(v))));
ORDO_OP_INTEGER(bincount, "minlength", bincount(one_index(0, d), {}, v));
ORDO_OP_INTEGER(bincount, "minlength with weights", bincount(two(1, d), ones({2}, {.device = d}), v));
ORDO_OP_INTEGER(bincount, "input", bincount(two(v, d)));
ORDO_OP_INTEGER(bincount, "algorithm", bincount(two(1, d), ones({2}, {.device = d}), 0, Algorithm(uint8_t(v))));
ORDO_OP_INTEGER(embedding, "input", embedding(one_index(v, d), some(d)));
ORDO_OP_INTEGER(embedding, "padding_idx", embedding(one_index(0, d), some(d), v));
ORDO_OP_INTEGER(embedding, "size of the input", [&] {
  if (v < 0 || v > INT64_MAX / 8) return Tensor();  // no int64 tensor has that size
  return embedding(zeros({1}, {int64, d}).expand({v}), some(d));
}());
ORDO_OP_INTEGER(embedding_bag, "input", embedding_bag(two(v, d), some(d), {.offsets = one_index(0, d)}));
ORDO_OP_INTEGER(embedding_bag, "offsets", embedding_bag(two(1, d), some(d), {.offsets = two(v, d)}));
ORDO_OP_INTEGER(embedding_bag, "mode",
                embedding_bag(two(1, d), some(d), {.offsets = one_index(0, d), .mode = EmbeddingBagMode(uint8_t(v))}));
ORDO_OP_INTEGER(embedding_bag, "padding_idx",
                embedding_bag(two(1, d), some(d),
                              {.offsets = one_index(0, d), .mode = EmbeddingBagMode::sum, .padding_idx = v}));
ORDO_OP_INTEGER(IndexPlan, "index", IndexPlan(two(v, d), 3).index());
ORDO_OP_INTEGER(IndexPlan, "size", IndexPlan(two(0, d), v).index());
ORDO_OP_INTEGER(nll_loss, "target", nll_loss(classes(d), two(v, d)));
ORDO_OP_INTEGER(nll_loss, "ignore_index", nll_loss(classes(d), two(v, d), {.ignore_index = v}));
ORDO_OP_INTEGER(nll_loss, "reduction", nll_loss(classes(d), two(1, d), {.reduction = Reduction(uint8_t(v))}));
ORDO_OP_INTEGER(cross_entropy, "target", cross_entropy(some(d), two(v, d)));
ORDO_OP_INTEGER(cross_entropy, "ignore_index", cross_entropy(some(d), two(v, d), {.ignore_index = v}));

Tensor ones_of(Dims leading, int dims, int64_t size, Device device) {
  for (int i = 0; i < dims; ++i) leading.push_back(size);
  return ones(leading, {.device = device});
}
/// Sizes `leading`, then v, then 5 or 2 in the other dimensions.
Dims with(Dims leading, int dims, int64_t v, int64_t others) {
  leading.push_back(v);
  for (int i = 1; i < dims; ++i) leading.push_back(others);
  return leading;
}
template <int N>
Tensor image(Device d) {
  return ones_of({1, 2}, N, 5, d);
}
template <int N>
Tensor filter(Device d) {
  return ones_of({2, 2}, N, 2, d);
}
template <int N>
Tensor gradient(Device d) {
  return ones_of({1, 2}, N, 4, d);
}

#define ORDO_WINDOW(op, N, result)                                                        \
  ORDO_OP_INTEGER(op, "kernel", op(image<N>(d), v) result);                               \
  ORDO_OP_INTEGER(op, "stride", op(image<N>(d), 2, {.stride = v}) result);                \
  ORDO_OP_INTEGER(op, "padding", op(image<N>(d), 2, {.stride = 1, .padding = v}) result); \
  ORDO_OP_INTEGER(op, "padding and kernel", op(image<N>(d), v, {.stride = 1, .padding = v / 2}) result);
#define ORDO_ADAPTIVE(op, N, result) ORDO_OP_INTEGER(op, "output_size", op(image<N>(d), v) result);
#define ORDO_CONVOLUTION(op, N)                                                                               \
  ORDO_OP_INTEGER(op, "stride", op(image<N>(d), filter<N>(d), {}, {.stride = v}));                            \
  ORDO_OP_INTEGER(op, "padding", op(image<N>(d), filter<N>(d), {}, {.padding = v}));                          \
  ORDO_OP_INTEGER(op, "dilation", op(image<N>(d), filter<N>(d), {}, {.dilation = v}));                        \
  ORDO_OP_INTEGER(op, "padding, dilation", op(image<N>(d), filter<N>(d), {}, {.padding = v, .dilation = v})); \
  ORDO_OP_INTEGER(op, "groups", op(image<N>(d), filter<N>(d), {}, {.groups = v}));
#define ORDO_INPUT_GRADIENT(op, N)                                                                       \
  ORDO_OP_INTEGER(op, "input_sizes", op(with({1, 2}, N, v, 5), filter<N>(d), gradient<N>(d)));           \
  ORDO_OP_INTEGER(op, "stride", op(with({1, 2}, N, 5, 5), filter<N>(d), gradient<N>(d), {.stride = v})); \
  ORDO_OP_INTEGER(op, "padding", op(with({1, 2}, N, 5, 5), filter<N>(d), gradient<N>(d), {.padding = v}));
#define ORDO_WEIGHT_GRADIENT(op, N)                                                                     \
  ORDO_OP_INTEGER(op, "weight_sizes", op(image<N>(d), with({2, 2}, N, v, 2), gradient<N>(d)));          \
  ORDO_OP_INTEGER(op, "stride", op(image<N>(d), with({2, 2}, N, 2, 2), gradient<N>(d), {.stride = v})); \
  ORDO_OP_INTEGER(op, "padding", op(image<N>(d), with({2, 2}, N, 2, 2), gradient<N>(d), {.padding = v}));
#define ORDO_TRANSPOSED(op, N)                                                                     \
  ORDO_OP_INTEGER(op, "stride", op(image<N>(d), filter<N>(d), {}, {.stride = v}));                 \
  ORDO_OP_INTEGER(op, "padding", op(image<N>(d), filter<N>(d), {}, {.padding = v}));               \
  ORDO_OP_INTEGER(op, "output_padding", op(image<N>(d), filter<N>(d), {}, {.output_padding = v})); \
  ORDO_OP_INTEGER(op, "groups", op(image<N>(d), filter<N>(d), {}, {.groups = v}));                 \
  ORDO_OP_INTEGER(op, "dilation", op(image<N>(d), filter<N>(d), {}, {.dilation = v}));
#define ORDO_ALL_WINDOWS(N)                                        \
  ORDO_WINDOW(avg_pool##N##d, N, )                                 \
  ORDO_WINDOW(max_pool##N##d, N, )                                 \
  ORDO_WINDOW(max_pool##N##d_with_indices, N, .indices)            \
  ORDO_ADAPTIVE(adaptive_avg_pool##N##d, N, )                      \
  ORDO_ADAPTIVE(adaptive_max_pool##N##d, N, )                      \
  ORDO_ADAPTIVE(adaptive_max_pool##N##d_with_indices, N, .indices) \
  ORDO_CONVOLUTION(conv##N##d, N)                                  \
  ORDO_INPUT_GRADIENT(conv##N##d_input_grad, N)                    \
  ORDO_WEIGHT_GRADIENT(conv##N##d_weight_grad, N)                  \
  ORDO_TRANSPOSED(conv_transpose##N##d, N)
ORDO_ALL_WINDOWS(1)
ORDO_ALL_WINDOWS(2)
ORDO_ALL_WINDOWS(3)

[[maybe_unused]] const bool kOthersHaveNone = [] {
  std::istringstream names(
      "all_gather all_reduce all_to_all allclose batch_norm binary_cross_entropy binary_cross_entropy_with_logits "
      "bitwise_not bmm bucketize cdist cholesky clone contiguous copy_ det dot dropout eigh einsum equal gelu "
      "grid_sample huber_loss instance_norm inverse isclose l1_loss linear lstsq masked_scatter masked_select "
      "matmul maximum meshgrid minimum mm mse_loss nan_to_num nonzero normal_ outer pairwise_distance pinv prelu qr "
      "reduce_scatter scaled_dot_product_attention searchsorted slogdet smooth_l1_loss solve solve_triangular svd "
      "to uniform_");
  for (std::string op; names >> op;) ops_without_integers().insert(op);
  return true;
}();

}  // namespace
}  // namespace ordo::test::arguments_test
