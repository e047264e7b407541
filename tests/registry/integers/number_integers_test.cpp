#include <gtest/gtest.h>

#include "tests/support/integer_arguments.h"

namespace ordo::test {
namespace {

Tensor bytes(Device d) { return some(d).to(uint8); }
Tensor mask(Device d) { return some(d) > 2; }

#define ORDO_NUMBER(op)                                                               \
  ORDO_OP_INTEGERS(op) {                                                              \
    return {{"floating", [](int64_t v, Device d) { return op(some(d), v); }},         \
            {"uint8", [](int64_t v, Device d) { return op(bytes(d), v); }},           \
            {"int32", [](int64_t v, Device d) { return op(some(d).to(int32), v); }}}; \
  }
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
#define ORDO_INTEGERS_integral(op)                                                    \
  ORDO_OP_INTEGERS(op) {                                                              \
    return {{"uint8", [](int64_t v, Device d) { return op(bytes(d), v); }},           \
            {"int32", [](int64_t v, Device d) { return op(some(d).to(int32), v); }}}; \
  }
#include <ordo/kernels/elementwise/binary_functions.def>

ORDO_OP_INTEGERS(add_) {
  return {{"other", [](int64_t v, Device d) { return bytes(d).add_(v); }},
          {"alpha", [](int64_t v, Device d) { return bytes(d).add_(bytes(d), v); }}};
}
ORDO_OP_INTEGERS(mul_) {
  return {{"other", [](int64_t v, Device d) { return bytes(d).mul_(v); }}};
}
ORDO_OP_INTEGERS(clamp) {
  return {{"min", [](int64_t v, Device d) { return clamp(bytes(d), v, {}); }},
          {"max", [](int64_t v, Device d) { return clamp(some(d).to(int64), {}, v); }}};
}
ORDO_OP_INTEGERS(where) {
  return {{"input", [](int64_t v, Device d) { return where(mask(d), v, bytes(d)); }},
          {"other", [](int64_t v, Device d) { return where(mask(d), some(d), v); }}};
}
ORDO_OP_INTEGERS(masked_fill) {
  return {{"value", [](int64_t v, Device d) { return masked_fill(bytes(d), mask(d), v); }}};
}
ORDO_OP_INTEGERS(masked_fill_) {
  return {{"value", [](int64_t v, Device d) { return some(d).to(int32).masked_fill_(mask(d), v); }}};
}
ORDO_OP_INTEGERS(fill_) {
  return {{"value", [](int64_t v, Device d) { return bytes(d).fill_(v); }}};
}
ORDO_OP_INTEGERS(arange) {
  return {{"start", [](int64_t v, Device d) { return arange(v, 5, 1, {.dtype = int64, .device = d}); }},
          {"end", [](int64_t v, Device d) { return arange(0, v, 1, {.dtype = uint8, .device = d}); }},
          {"step", [](int64_t v, Device d) { return arange(0, 5, v, {.dtype = float32, .device = d}); }},
          {"floating end", [](int64_t v, Device d) { return arange(0.5, double(v), 1, {.device = d}); }},
          {"both ends", [](int64_t v, Device d) {
             return arange(v, v == INT64_MIN ? INT64_MAX : -v, int64_t(1) << 62, {.dtype = int64, .device = d});
           }}};
}
ORDO_OP_INTEGERS(linspace) {
  return {{"steps", [](int64_t v, Device d) { return linspace(0, 1, v, {.device = d}); }}};
}
ORDO_OP_INTEGERS(randperm) {
  return {{"n", [](int64_t v, Device d) { return randperm(v, {.dtype = int64, .device = d}); }},
          {"n of uint8", [](int64_t v, Device d) { return randperm(v, {.dtype = uint8, .device = d}); }}};
}
ORDO_OP_INTEGERS(set_num_threads) {
  return {{"n", [](int64_t v, Device) {
             const int before = num_threads();
             if (v == int(v)) set_num_threads(int(v));
             set_num_threads(before);
             return Tensor();
           }}};
}
ORDO_OP_INTEGERS(DataLoader) {
  return {{"batch_size", [](int64_t v, Device d) {
             data::DataLoader loader(some(d), some(d), {.batch_size = v});
             EXPECT_GE(loader.size(), 1);
             return (*loader.begin())[0];
           }}};
}
ORDO_OP_INTEGERS(permutation) {
  return {{"n", [](int64_t v, Device) {
             Generator generator(1);
             return from_vector(data::permutation(v, generator), {v});
           }}};
}
ORDO_OP_INTEGERS(synthetic_digits) {
  return {{"count", [](int64_t v, Device) { return data::synthetic_digits(v).images; }}};
}
ORDO_OP_INTEGERS(synthetic_cifar10) {
  return {{"count", [](int64_t v, Device) { return data::synthetic_cifar10(v).images; }}};
}

// Everything these are given is a tensor, a floating number or a word.
#define ORDO_FUNCTION(name, ...) ORDO_OP_NO_INTEGERS(name);
#define ORDO_FUNCTION_OF ORDO_FUNCTION
#define ORDO_FUNCTION_OF2 ORDO_FUNCTION
#define ORDO_PREDICATE ORDO_FUNCTION
#include <ordo/kernels/elementwise/functions.def>
ORDO_OP_NO_INTEGERS(batch_norm);
ORDO_OP_NO_INTEGERS(binary_cross_entropy_with_logits);
ORDO_OP_NO_INTEGERS(bmm);
ORDO_OP_NO_INTEGERS(clone);
ORDO_OP_NO_INTEGERS(contiguous);
ORDO_OP_NO_INTEGERS(copy_);
ORDO_OP_NO_INTEGERS(dropout);
ORDO_OP_NO_INTEGERS(gelu);
ORDO_OP_NO_INTEGERS(l1_loss);
ORDO_OP_NO_INTEGERS(linear);
ORDO_OP_NO_INTEGERS(matmul);
ORDO_OP_NO_INTEGERS(maximum);
ORDO_OP_NO_INTEGERS(minimum);
ORDO_OP_NO_INTEGERS(mm);
ORDO_OP_NO_INTEGERS(mse_loss);
ORDO_OP_NO_INTEGERS(normal_);
ORDO_OP_NO_INTEGERS(to);
ORDO_OP_NO_INTEGERS(uniform_);

}  // namespace
}  // namespace ordo::test
