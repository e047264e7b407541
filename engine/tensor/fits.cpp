#include <ordo/engine/tensor/fits.h>

#include <cmath>
#include <limits>

#include <ordo/engine/calls/check.h>

namespace ordo::detail {

double largest_finite(DType t) {
  switch (t) {
    case DType::float16:
      return 65504;
    case DType::bfloat16:
      return 0x1.fep127;
    case DType::float32:
      return std::numeric_limits<float>::max();
    default:
      return std::numeric_limits<double>::max();
  }
}

namespace {

bool fits(const Scalar& s, DType dtype) {
  if (dtype == boolean) return true;
  const double d = s.to_double();
  if (is_floating(dtype)) return !std::isfinite(d) || std::abs(d) <= largest_finite(dtype);
  if (s.is_floating() && !(d >= -0x1p63 && d < 0x1p63)) return false;  // NaN too
  const int64_t v = s.to_int64();
  if (dtype == uint8) return v >= -255 && v <= 255;
  return dtype == int64 || (v >= INT32_MIN && v <= INT32_MAX);
}

}  // namespace

void expect_fits(const char* op, const Scalar& value, DType dtype) {
  if (fits(value, dtype)) return;
  if (value.is_floating())
    fail<ValueError>(op, "the number {} does not fit dtype {}", value.to_double(), dtype);
  else
    fail<ValueError>(op, "the number {} does not fit dtype {}; use a wider one, such as int64 or float32",
                     value.to_int64(), dtype);
}

std::pair<int64_t, int64_t> integer_range(DType dtype) {
  switch (dtype) {
    case DType::boolean:
      return {0, 1};
    case DType::uint8:
      return {0, 255};
    case DType::int32:
      return {INT32_MIN, INT32_MAX};
    case DType::float16:
      return {-65504, 65504};
    default:
      return {INT64_MIN, INT64_MAX};
  }
}

int64_t exact_up_to(DType dtype) {
  switch (dtype) {
    case DType::float16:
      return int64_t(1) << 11;
    case DType::bfloat16:
      return int64_t(1) << 8;
    case DType::float32:
      return int64_t(1) << 24;
    case DType::float64:
      return int64_t(1) << 53;
    default:
      return integer_range(dtype).second;
  }
}

}  // namespace ordo::detail
