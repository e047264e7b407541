// Channels to pixels and back.
#pragma once

#include <ordo/engine/tensor.h>

namespace ordo {

/// Blocks of r r channels become r x r pixels, r = upscale_factor: [..., C, H r, W r] of an input [..., C r r, H, W];
/// pixel (h r + u, w r + v) of channel c is x[c r r + u r + v, h, w]. Any dtype. Errors: ShapeError, ValueError.
/// A copy, or the input where r is 1; the same at every level. As torch.nn.functional.pixel_shuffle.
Tensor pixel_shuffle(const Tensor& input, int64_t upscale_factor);

/// The inverse: [..., C r r, H, W] of an input [..., C, H r, W r], r = downscale_factor.
Tensor pixel_unshuffle(const Tensor& input, int64_t downscale_factor);

}  // namespace ordo
