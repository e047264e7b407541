// Scalar: a number among tensors.
#pragma once

#include <concepts>
#include <cstdint>

namespace ordo {

/// A number given where a tensor is expected. It takes part in type promotion by its kind only, as in PyTorch:
/// `int32_tensor * 2.5` is float32, `float16_tensor * 2.5` stays float16.
class Scalar {
 public:
  Scalar(double v) : d_(v), i_(truncated(v)), kind_(Kind::floating) {}
  Scalar(float v) : Scalar(double(v)) {}
  Scalar(int64_t v) : d_(double(v)), i_(v), kind_(Kind::integer) {}
  Scalar(int v) : Scalar(int64_t(v)) {}
  /// Where that is another type than int64_t.
  template <std::same_as<long long> L>
  requires(!std::same_as<L, int64_t>) Scalar(L v) : Scalar(int64_t(v)) {}
  /// Of bool alone: "0" and other pointers would be `true`.
  template <std::same_as<bool> B>
  Scalar(B v) : d_(v), i_(v), kind_(Kind::truth) {}
  bool is_floating() const { return kind_ == Kind::floating; }
  bool is_boolean() const { return kind_ == Kind::truth; }
  double to_double() const { return d_; }
  /// Towards zero, saturating at the ends of the range; NaN gives 0.
  int64_t to_int64() const { return i_; }

 private:
  static int64_t truncated(double v) {
    if (v > -0x1p63 && v < 0x1p63) return int64_t(v);
    return v < 0 ? INT64_MIN : v > 0 ? INT64_MAX : 0;
  }
  enum class Kind : unsigned char { truth, integer, floating };
  double d_;
  int64_t i_;
  Kind kind_;
};

}  // namespace ordo
