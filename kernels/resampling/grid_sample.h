// Values of an image at the places of a grid, on plain tensors. The differentiable function is in
// <ordo/autograd/ops/functional/resampling.h>.
#pragma once

#include <ordo/engine/calls/op_call.h>
#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/tensor/devices.h>
#include <ordo/engine/tensor/tensor.h>
#include <ordo/kernels/resampling/grid_taps.h>
#include <ordo/kernels/resampling/modes.h>

namespace ordo::kernels {

inline void report(ordo::detail::OpArguments& call, const GridRules& rules) {
  call.add(rules.kind);
  call.add(rules.padding);
  call.add(rules.align_corners);
}

/// ValueError but for nearest, bilinear and bicubic.
GridRules grid_rules(InterpolateMode mode, GridPadding padding, bool align_corners);

Tensor grid_sample(const Tensor& input, const Tensor& grid, const GridRules& rules);
/// The gradient with respect to an input of `input_sizes`.
Tensor grid_sample_backward_input(const Tensor& grad, const Tensor& grid, const Dims& input_sizes,
                                  const GridRules& rules, Algorithm algorithm = Algorithm::automatic);
Tensor grid_sample_backward_grid(const Tensor& grad, const Tensor& input, const Tensor& grid, const GridRules& rules);

// Per device. Everything is contiguous. `rows` is [samples, positions, channels]; `output` is
// [samples, cells, channels], zeros that are added to.
ORDO_DEVICES(void, grid_sample, const Tensor& input, const Tensor& grid, const Tensor& output, const GridShape& shape)
ORDO_DEVICES(void, grid_sample_backward_input, const Tensor& rows, const Tensor& grid, const Tensor& output,
             const GridShape& shape, Algorithm algorithm)
ORDO_DEVICES(void, grid_sample_backward_grid, const Tensor& grad, const Tensor& input, const Tensor& grid,
             const Tensor& output, const GridShape& shape)

}  // namespace ordo::kernels
