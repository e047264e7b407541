// embedding: padding, golden bits of its gradient, and bad input.
#include <gtest/gtest.h>

#include <ordo/autograd/autograd.h>
#include <ordo/autograd/ops/embedding.h>
#include <ordo/autograd/ops/reductions.h>
#include <ordo/engine/determinism.h>
#include <ordo/engine/parallel.h>
#include <ordo/kernels/embedding/embedding.h>
#include "tests/support/op_samples.h"

namespace ordo::test {
namespace {

TEST(Embedding, padding_row_gets_no_gradient) {
  for (Device device : test_devices()) {
    for (int64_t padding : {2, -2}) {
      SCOPED_TRACE(device.str());
      Tensor weight = from_vector(std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}, {4, 2}).to(device).set_requires_grad();
      const Tensor input = from_vector(std::vector<int64_t>{2, 0, 2, 3, 0}, {5}).to(device);
      const Tensor out = embedding(input, weight, padding);
      EXPECT_EQ(out.to_vector<double>(), (std::vector<double>{5, 6, 1, 2, 5, 6, 7, 8, 1, 2}));
      out.backward(from_vector(std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, {5, 2}).to(device));
      EXPECT_EQ(weight.grad().to_vector<double>(), (std::vector<double>{12, 14, 0, 0, 0, 0, 7, 8}));
    }
  }
}

// The gradient is linear in the incoming one: its own gradient picks the rows again, without the padding row.
TEST(Embedding, second_derivative_skips_padding) {
  Tensor weight = test_values({3, 2}).set_requires_grad(), incoming = test_values({4, 2}, 1).set_requires_grad();
  const Tensor input = from_vector(std::vector<int64_t>{1, 2, 1, 0}, {4});
  const Tensor gradient = grad({embedding(input, weight, 1)}, {weight}, {incoming}, true, true)[0];
  const Tensor direction = from_vector(std::vector<double>{1, 2, 3, 4, 5, 6}, {3, 2});
  const Tensor second = grad({gradient}, {incoming}, {direction})[0];
  EXPECT_EQ(second.to_vector<double>(), (std::vector<double>{0, 0, 5, 6, 0, 0, 1, 2}));
}

TEST(Embedding, bad_input) {
  const Tensor weight = test_values({4, 2}), input = test_indices({3}, 4);
  EXPECT_ORDO_ERROR(embedding({}, weight), ValueError, "embedding");
  EXPECT_ORDO_ERROR(embedding(input, {}), ValueError, "embedding");
  EXPECT_ORDO_ERROR(embedding(input, weight.flatten()), ShapeError, "embedding");
  EXPECT_ORDO_ERROR(embedding(input, scalar_tensor(1.0)), ShapeError, "embedding");
  EXPECT_ORDO_ERROR(embedding(input, empty({0, 2}, {.dtype = float64})), IndexError, "embedding");
  EXPECT_EQ(embedding(empty({0, 3}, {.dtype = int64}), weight).sizes(), (Dims{0, 3, 2}));
  EXPECT_ORDO_ERROR(kernels::embedding_backward(weight, input, 4), ShapeError, "embedding_backward");
  EXPECT_ORDO_ERROR(kernels::embedding_backward(scalar_tensor(1.0), input, 4), ShapeError, "embedding_backward");
  EXPECT_ORDO_ERROR(kernels::embedding_backward(test_values({3, 2}), input, 4, {}, Algorithm::gather), ValueError,
                    "embedding_backward");
  if (test_devices().size() > 1)
    EXPECT_ORDO_ERROR(embedding(input, weight.to(Device("cuda"))), DeviceError, "embedding");
}

TEST(Embedding, indices_out_of_range) {
  for (Device device : test_devices()) {
    for (DType dtype : {int64, int32}) {
      for (int64_t bad : {4, -1}) {
        SCOPED_TRACE(device.str());
        const Tensor weight = test_values({4, 2}).to(device);
        const Tensor input = from_vector(std::vector<int64_t>{0, 3, bad, 5}, {2, 2}).to(dtype).to(device);
        EXPECT_ORDO_ERROR(embedding(input, weight).to(cpu), IndexError,
                          "[embedding] input[2] = " + std::to_string(bad) + " is out of range");
        EXPECT_ORDO_ERROR(kernels::embedding_backward(test_values({2, 2, 3}).to(device), input, 4).to(cpu), IndexError,
                          "embedding_backward");
        EXPECT_EQ(embedding(input.to(cpu).slice(0, 0, 1).to(device), weight).sizes(), (Dims{1, 2, 2}));  // still usable
      }
    }
  }
}

}  // namespace
}  // namespace ordo::test
