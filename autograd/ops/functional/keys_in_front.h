// How attention leaves out keys. Internal.
#pragma once

#include <ordo/engine/tensor/tensor.h>

namespace ordo::detail {

struct KeysInFront {
  Tensor key, value, mask;  ///< the mask, where there is one, [..., L, S] or [..., 1, S]
  Tensor order;             ///< [..., 1, S], which key stands where
};
/// The keys that take part and then the others, which become -0: what is multiplied by them changes no sum, a sum of -0
/// included. Both in their order. taking_part: bool [..., 1, S].
KeysInFront keys_in_front(const Tensor& key, const Tensor& value, const Tensor& mask, Tensor taking_part);

}  // namespace ordo::detail
