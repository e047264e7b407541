// embedding: padding, and gradients of other shapes.
#include <ordo/kernels/embedding/embedding.h>
#include "tests/support/op_samples.h"

namespace ordo::test::embedding_test {
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

TEST(Embedding, gradients_of_other_shapes) {
  const Tensor input = test_indices({3}, 4);
  for (const Tensor& grad : {test_values({4, 2}), scalar_tensor(1.0)})
    EXPECT_ORDO_ERROR(kernels::embedding_backward(grad, input, 4), ShapeError, "embedding_backward");
}

}  // namespace
}  // namespace ordo::test::embedding_test
