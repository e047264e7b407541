#include <ordo/autograd/ops/roi.h>

#include <ordo/autograd/ops/gather.h>
#include <ordo/autograd/ops/operation.h>
#include <ordo/kernels/roi/roi_align.h>
#include <ordo/kernels/roi/roi_pool.h>

namespace ordo::detail {

Tensor joined_boxes(const char* op, const Tensor& input, const TensorList& boxes) {
  expect_defined(op, input, "input");
  expect_floating(op, input);
  // Numbers of images stand beside the coordinates, in their dtype.
  const size_t most = input.dtype() == bfloat16 ? 1 << 8 : input.dtype() == float16 ? 1 << 11 : 1 << 24;
  ORDO_CHECK(boxes.size() <= most, ValueError, op, "takes at most {} lists of boxes in {}, not {}", most, input.dtype(),
             boxes.size());
  const NoGrad guard;
  TensorList rows;
  for (const Tensor& list : boxes) {
    expect_defined(op, list, "boxes");
    expect_same_device(op, input, list);
    ORDO_CHECK(list.dtype() == input.dtype(), DTypeError, op, "boxes must be {} as input, not {}", input.dtype(),
               list.dtype());
    ORDO_CHECK(list.dim() == 2 && list.size(1) == 4, ShapeError, op, "takes lists of boxes [L, 4], not of shape {}",
               list.sizes());
    rows.push_back(cat({full({list.size(0), 1}, int64_t(rows.size()), list.options()), list.detach()}, 1));
  }
  return rows.empty() ? zeros({0, 5}, input.options()) : cat(rows);
}

}  // namespace ordo::detail

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
