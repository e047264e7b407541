// Pooling and convolution: kernel, stride, padding, dilation, groups, divisor, sizes of the result and of the input.
#include "tests/support/integer_arguments.h"

namespace ordo::test {
namespace {

Tensor image(Device d) { return ones({1, 2, 5, 5}, {.device = d}); }
Tensor filter(Device d) { return ones({2, 2, 2, 2}, {.device = d}); }

#define ORDO_WINDOW(op, result)                                                                            \
  ORDO_OP_INTEGERS(op) {                                                                                   \
    return {{"kernel", [](int64_t v, Device d) { return op(image(d), v) result; }},                        \
            {"kernel, one side",                                                                           \
             [](int64_t v, Device d) {                                                                     \
               return op(image(d), {2, v}) result;                                                         \
             }},                                                                                           \
            {"stride", [](int64_t v, Device d) { return op(image(d), 2, v) result; }},                     \
            {"padding", [](int64_t v, Device d) { return op(image(d), 2, 1, v) result; }},                 \
            {"padding and kernel", [](int64_t v, Device d) { return op(image(d), v, 1, v / 2) result; }}}; \
  }
ORDO_WINDOW(avg_pool2d, )
ORDO_WINDOW(max_pool2d, )
ORDO_WINDOW(max_pool2d_with_indices, .indices)

#define ORDO_ADAPTIVE(op, result)                                                        \
  ORDO_OP_INTEGERS(op) {                                                                 \
    return {{"output_size", [](int64_t v, Device d) { return op(image(d), v) result; }}, \
            {"one side", [](int64_t v, Device d) {                                       \
               return op(image(d), {v, 2}) result;                                       \
             }}};                                                                        \
  }
ORDO_ADAPTIVE(adaptive_avg_pool2d, )
ORDO_ADAPTIVE(adaptive_max_pool2d, )
ORDO_ADAPTIVE(adaptive_max_pool2d_with_indices, .indices)

ORDO_OP_INTEGERS(conv2d) {
  return {{"stride", [](int64_t v, Device d) { return conv2d(image(d), filter(d), {}, v); }},
          {"padding", [](int64_t v, Device d) { return conv2d(image(d), filter(d), {}, 1, v); }},
          {"dilation", [](int64_t v, Device d) { return conv2d(image(d), filter(d), {}, 1, 0, v); }},
          {"padding and dilation", [](int64_t v, Device d) { return conv2d(image(d), filter(d), {}, 1, v, v); }},
          {"groups", [](int64_t v, Device d) { return conv2d(image(d), filter(d), {}, 1, 0, 1, v); }}};
}
ORDO_OP_INTEGERS(conv2d_input_grad) {
  const auto grad = [](Device d) { return ones({1, 2, 4, 4}, {.device = d}); };
  return {{"input_sizes",
           [=](int64_t v, Device d) {
             return conv2d_input_grad({1, 2, v, 5}, filter(d), grad(d));
           }},
          {"stride",
           [=](int64_t v, Device d) {
             return conv2d_input_grad({1, 2, 5, 5}, filter(d), grad(d), v);
           }},
          {"padding", [=](int64_t v, Device d) {
             return conv2d_input_grad({1, 2, 5, 5}, filter(d), grad(d), 1, v);
           }}};
}
ORDO_OP_INTEGERS(conv2d_weight_grad) {
  const auto grad = [](Device d) { return ones({1, 2, 4, 4}, {.device = d}); };
  return {{"weight_sizes",
           [=](int64_t v, Device d) {
             return conv2d_weight_grad(image(d), {2, 2, v, 2}, grad(d));
           }},
          {"stride",
           [=](int64_t v, Device d) {
             return conv2d_weight_grad(image(d), {2, 2, 2, 2}, grad(d), v);
           }},
          {"padding", [=](int64_t v, Device d) {
             return conv2d_weight_grad(image(d), {2, 2, 2, 2}, grad(d), 1, v);
           }}};
}

}  // namespace
}  // namespace ordo::test
