// Matrix products of tensors, without autograd. Checks are those of the public functions.
#pragma once

#include <optional>

#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/tensor/tensor.h>

namespace ordo::kernels {

/// [..., m, k] x [..., k, n] -> [..., m, n]; the leading sizes broadcast. At least two dimensions each. `out` is the
/// dtype of the result where it is not that of the factors: float32 of half types.
Tensor matmul(const Tensor& a, const Tensor& b, const char* op = "matmul", std::optional<DType> out = std::nullopt);
/// x [..., in], weight [out, in], bias [out] or undefined -> [..., out].
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias);

/// The same by ordering rule 5, of float32 and half types: true sums, the bias included, rounded once.
Tensor exact_matmul(const Tensor& a, const Tensor& b, const char* op = "matmul");
Tensor exact_linear(const Tensor& x, const Tensor& weight, const Tensor& bias);
inline constexpr DTypeSet kExactProductTypes{float16, bfloat16, float32};

}  // namespace ordo::kernels

/// The registry's row of a matrix product.
#define ORDO_REGISTER_PRODUCT(op)                                         \
  ORDO_REGISTER_OP(                                                       \
      {.name = op,                                                        \
       .family = "matmul",                                                \
       .dtypes = kNumericTypes,                                           \
       .algorithms = {{Algorithm::library, Determinism::run_to_run},      \
                      {Algorithm::direct, Determinism::device_to_device}, \
                      {Algorithm::exact, Determinism::device_to_device, ::ordo::kernels::kExactProductTypes}}})
