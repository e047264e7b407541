#include <ordo/autograd/ops/triangle.h>

#include <ordo/autograd/ops/operation.h>
#include <ordo/kernels/copy/triangle.h>

namespace ordo {

Tensor tril(const Tensor& t, int64_t diagonal) {
  const OpCall call("tril", t, diagonal);
  return record(call, kernels::tril(t, diagonal), {t},
                [diagonal](const Tensor& grad) -> TensorList { return {tril(grad, diagonal)}; });
}

Tensor triu(const Tensor& t, int64_t diagonal) {
  const OpCall call("triu", t, diagonal);
  return record(call, kernels::triu(t, diagonal), {t},
                [diagonal](const Tensor& grad) -> TensorList { return {triu(grad, diagonal)}; });
}

}  // namespace ordo
