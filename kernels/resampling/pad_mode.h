#pragma once

namespace ordo {

/// What stands in the cells that padding adds: a number, the input mirrored at its border cells, those cells again, or
/// the input's other end.
enum class PadMode : unsigned char { constant, reflect, replicate, circular };

}  // namespace ordo
