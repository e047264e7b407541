// Functions of which a part takes much less than the whole, as the positive side of elu does. Internal.
#pragma once

namespace ordo::kernels {

/// F with is_near(x...) and near(x...), which has the bits of F where is_near, and may have any elsewhere: CPU loops
/// take it for stretches. Specialised for those that have such a part, in function_sides.h.
template <class F>
struct Sided : F {};

}  // namespace ordo::kernels
