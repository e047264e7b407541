// What a loss function does with its element losses.
#pragma once

namespace ordo {

/// batchmean, of kl_div only: the sum over the number of samples, the first dimension's size.
enum class Reduction : unsigned char { none, mean, sum, batchmean };

}  // namespace ordo
