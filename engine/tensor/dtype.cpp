#include <ordo/engine/tensor/dtype.h>

#include <ordo/engine/calls/check.h>

namespace ordo {

static constexpr std::string_view kNames[kDTypeCount] = {"bool",    "uint8",    "int32",   "int64",
                                                         "float16", "bfloat16", "float32", "float64"};

std::string_view name(DType t) { return int(t) < kDTypeCount ? kNames[size_t(t)] : "invalid"; }

DType dtype_from_name(std::string_view text) {
  for (int i = 0; i < kDTypeCount; ++i)
    if (kNames[i] == text) return DType(i);
  detail::fail<ValueError>("dtype",
                           "\"{}\" is not an element type; there are bool, uint8, int32, int64, float16, "
                           "bfloat16, float32 and float64",
                           text);
}

DType promote(DType a, DType b) {
  if (a == b) return a;
  const DType low = std::min(a, b), high = std::max(a, b);
  // The enumeration is ordered so that the larger one holds both kinds, with one exception.
  if (low == DType::float16 && high == DType::bfloat16) return DType::float32;
  return high;
}

}  // namespace ordo
