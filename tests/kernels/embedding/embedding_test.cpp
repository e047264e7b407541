// embedding: gradients of other shapes.
#include <ordo/kernels/embedding/embedding.h>
#include "tests/support/op_samples.h"

namespace ordo::test::embedding_test {
namespace {

TEST(Embedding, gradients_of_other_shapes) {
  const Tensor input = test_indices({3}, 4);
  for (const Tensor& grad : {test_values({4, 2}), scalar_tensor(1.0)})
    EXPECT_ORDO_ERROR(kernels::embedding_backward(grad, input, 4), ShapeError, "embedding_backward");
}

}  // namespace
}  // namespace ordo::test::embedding_test
