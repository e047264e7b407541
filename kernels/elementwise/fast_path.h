// Functions that most arguments reach by a shorter way, which CPU loops take for many at a time. Internal.
#pragma once

namespace ordo::kernels {

/// F with is_fast(x...) and fast(x...), which has the bits of F where is_fast, and may have any elsewhere. Specialised
/// for the functions that have it, in function_fast_paths.h. Not for operations in place.
template <class F>
struct FastPath : F {};

}  // namespace ordo::kernels
