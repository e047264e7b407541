#include <ordo/autograd/ops/roi_pool.h>

#include <ordo/autograd/ops/operation.h>
#include <ordo/autograd/ops/roi_boxes.h>
#include <ordo/autograd/ops/take.h>
#include <ordo/kernels/roi/roi_pool.h>

namespace ordo {
namespace {

Tensor input_gradient(const Tensor& grad, const Tensor& places, const Dims& sizes) {
  const OpCall call("roi_pool_backward", grad, places, sizes);
  return record(call, kernels::roi_pool_backward(grad, places, sizes), {grad},
                [places = Saved(places)](const Tensor& g) -> TensorList {
                  const Tensor& at = places.get();  // -1: of a bin without cells
                  if (g.numel() == 0) return {zeros(at.sizes(), g.options())};
                  return {where(at >= 0, take(g, clamp(at, 0)), 0)};
                });
}

Tensor pool(const OpCall& call, const Tensor& input, const Tensor& boxes, Size2 output_size, double spatial_scale) {
  kernels::RoiPoolResult r = kernels::roi_pool(input, boxes, output_size, spatial_scale);
  return record(call, std::move(r.values), {input},
                [places = Saved(r.places), sizes = input.sizes()](const Tensor& grad) -> TensorList {
                  return {input_gradient(grad, places.get(), sizes)};
                });
}

}  // namespace

Tensor roi_pool(const Tensor& input, const Tensor& boxes, Size2 output_size, double spatial_scale) {
  const OpCall call("roi_pool", input, boxes, output_size, spatial_scale);
  return pool(call, input, boxes, output_size, spatial_scale);
}

Tensor roi_pool(const Tensor& input, const TensorList& boxes, Size2 output_size, double spatial_scale) {
  const OpCall call("roi_pool", input, boxes, output_size, spatial_scale);
  return pool(call, input, detail::joined_boxes(call.name(), input, boxes), output_size, spatial_scale);
}

}  // namespace ordo
