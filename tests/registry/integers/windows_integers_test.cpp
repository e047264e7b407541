// Pooling and convolution: kernel, stride, padding, dilation, groups, sizes of the result and of the input.
#include "tests/support/integer_arguments.h"

namespace ordo::test {
namespace {

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

#define ORDO_WINDOW(op, N, result)                                                                            \
  ORDO_OP_INTEGERS(op) {                                                                                      \
    return {{"kernel", [](int64_t v, Device d) { return op(image<N>(d), v) result; }},                        \
            {"stride", [](int64_t v, Device d) { return op(image<N>(d), 2, v) result; }},                     \
            {"padding", [](int64_t v, Device d) { return op(image<N>(d), 2, 1, v) result; }},                 \
            {"padding and kernel", [](int64_t v, Device d) { return op(image<N>(d), v, 1, v / 2) result; }}}; \
  }
#define ORDO_ADAPTIVE(op, N, result)                                                         \
  ORDO_OP_INTEGERS(op) {                                                                     \
    return {{"output_size", [](int64_t v, Device d) { return op(image<N>(d), v) result; }}}; \
  }
#define ORDO_CONVOLUTION(op, N)                                                                                    \
  ORDO_OP_INTEGERS(op) {                                                                                           \
    return {{"stride", [](int64_t v, Device d) { return op(image<N>(d), filter<N>(d), {}, v); }},                  \
            {"padding", [](int64_t v, Device d) { return op(image<N>(d), filter<N>(d), {}, 1, v); }},              \
            {"dilation", [](int64_t v, Device d) { return op(image<N>(d), filter<N>(d), {}, 1, 0, v); }},          \
            {"padding, dilation", [](int64_t v, Device d) { return op(image<N>(d), filter<N>(d), {}, 1, v, v); }}, \
            {"groups", [](int64_t v, Device d) { return op(image<N>(d), filter<N>(d), {}, 1, 0, 1, v); }}};        \
  }
#define ORDO_INPUT_GRADIENT(op, N)                                                   \
  ORDO_OP_INTEGERS(op) {                                                             \
    return {{"input_sizes",                                                          \
             [](int64_t v, Device d) {                                               \
               return op(with({1, 2}, N, v, 5), filter<N>(d), gradient<N>(d));       \
             }},                                                                     \
            {"stride",                                                               \
             [](int64_t v, Device d) {                                               \
               return op(with({1, 2}, N, 5, 5), filter<N>(d), gradient<N>(d), v);    \
             }},                                                                     \
            {"padding", [](int64_t v, Device d) {                                    \
               return op(with({1, 2}, N, 5, 5), filter<N>(d), gradient<N>(d), 1, v); \
             }}};                                                                    \
  }
#define ORDO_WEIGHT_GRADIENT(op, N)                                                 \
  ORDO_OP_INTEGERS(op) {                                                            \
    return {{"weight_sizes",                                                        \
             [](int64_t v, Device d) {                                              \
               return op(image<N>(d), with({2, 2}, N, v, 2), gradient<N>(d));       \
             }},                                                                    \
            {"stride",                                                              \
             [](int64_t v, Device d) {                                              \
               return op(image<N>(d), with({2, 2}, N, 2, 2), gradient<N>(d), v);    \
             }},                                                                    \
            {"padding", [](int64_t v, Device d) {                                   \
               return op(image<N>(d), with({2, 2}, N, 2, 2), gradient<N>(d), 1, v); \
             }}};                                                                   \
  }
#define ORDO_TRANSPOSED(op, N)                                                                                   \
  ORDO_OP_INTEGERS(op) {                                                                                         \
    return {{"stride", [](int64_t v, Device d) { return op(image<N>(d), filter<N>(d), {}, v); }},                \
            {"padding", [](int64_t v, Device d) { return op(image<N>(d), filter<N>(d), {}, 1, v); }},            \
            {"output_padding", [](int64_t v, Device d) { return op(image<N>(d), filter<N>(d), {}, 1, 0, v); }},  \
            {"groups", [](int64_t v, Device d) { return op(image<N>(d), filter<N>(d), {}, 1, 0, 0, v); }},       \
            {"dilation", [](int64_t v, Device d) { return op(image<N>(d), filter<N>(d), {}, 1, 0, 0, 1, v); }}}; \
  }
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

}  // namespace
}  // namespace ordo::test
