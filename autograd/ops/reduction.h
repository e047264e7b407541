// What a loss function does with its element losses.
#pragma once

namespace ordo {

enum class Reduction : unsigned char { none, mean, sum };

}  // namespace ordo
