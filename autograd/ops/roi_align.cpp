#include <ordo/autograd/ops/roi_align.h>

#include <ordo/autograd/ops/operation.h>
#include <ordo/autograd/ops/roi_boxes.h>
#include <ordo/kernels/roi/roi_align.h>

namespace ordo {
namespace {

Tensor align(const Tensor& input, const Tensor& boxes, const kernels::RoiAlignArguments& a);

Tensor input_gradient(const Tensor& grad, const Tensor& boxes, const Dims& sizes, const kernels::RoiAlignArguments& a) {
  const OpCall call("roi_align_backward", grad, boxes, sizes, a);
  // Linear, so its gradient is the forward pass.
  return record(call, kernels::roi_align_backward(grad, boxes, sizes, a), {grad},
                [boxes = Saved(boxes), a](const Tensor& g) -> TensorList { return {align(g, boxes.get(), a)}; });
}

Tensor align_of(const OpCall& call, const Tensor& input, const Tensor& boxes, const kernels::RoiAlignArguments& a) {
  return record(call, kernels::roi_align(input, boxes, a), {input},
                [boxes = Saved(boxes), sizes = input.sizes(), a](const Tensor& grad) -> TensorList {
                  return {input_gradient(grad, boxes.get(), sizes, a)};
                });
}

Tensor align(const Tensor& input, const Tensor& boxes, const kernels::RoiAlignArguments& a) {
  const OpCall call("roi_align", input, boxes, a);
  return align_of(call, input, boxes, a);
}

}  // namespace

Tensor roi_align(const Tensor& input, const Tensor& boxes, Size2 output_size, double spatial_scale,
                 int64_t sampling_ratio, bool aligned) {
  const OpCall call("roi_align", input, boxes, output_size, spatial_scale, sampling_ratio, aligned);
  return align_of(call, input, boxes, {output_size, {spatial_scale, sampling_ratio, aligned}});
}

Tensor roi_align(const Tensor& input, const TensorList& boxes, Size2 output_size, double spatial_scale,
                 int64_t sampling_ratio, bool aligned) {
  const OpCall call("roi_align", input, boxes, output_size, spatial_scale, sampling_ratio, aligned);
  return align_of(call, input, detail::joined_boxes(call.name(), input, boxes),
                  {output_size, {spatial_scale, sampling_ratio, aligned}});
}

}  // namespace ordo
