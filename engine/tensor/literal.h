// Tensors written out: tensor({1, 2}), tensor({{1.5, 2}, {3, 4}}), tensor(3.5), tensor(values).
#pragma once

#include <concepts>
#include <initializer_list>
#include <type_traits>
#include <vector>

#include <ordo/engine/tensor/factories.h>

namespace ordo {

namespace detail {
/// A C++ number's dtype in a literal: numbers without a point count as int64, others as float32, in whatever type they
/// are written; uint8, bool and the half types stay.
template <class T>
constexpr DType literal_dtype() {
  if constexpr (std::same_as<T, bool> || std::same_as<T, uint8_t> || std::same_as<T, Half> || std::same_as<T, BFloat16>)
    return dtype_of<T>;
  else
    return std::is_integral_v<T> ? int64 : float32;
}
template <class T>
concept LiteralNumber = std::is_arithmetic_v<T> || std::same_as<T, Half> || std::same_as<T, BFloat16>;
template <class V>
concept LiteralVector = LiteralNumber<typename V::value_type> && std::same_as<V, std::vector<typename V::value_type>>;
}  // namespace detail

/// A number, or a list of literals: what tensor() takes.
class Literal {
 public:
  template <detail::LiteralNumber T>
  Literal(T value) : value_(scalar(value)), dtype_(detail::literal_dtype<T>()) {}
  Literal(std::initializer_list<Literal> items) : items_(items), is_list_(true) {}
  template <detail::LiteralNumber T>
  Literal(std::initializer_list<T> items) : items_(items.begin(), items.end()), is_list_(true) {}
  template <class T>
  Literal(const std::vector<T>& items) : items_(items.begin(), items.end()), is_list_(true) {}

  /// Throws: ShapeError when lists of one depth differ in length, or there are too many dimensions.
  Dims sizes() const;
  /// What all numbers promote to; float32 when there are none.
  DType dtype() const;

 private:
  template <class T>
  static Scalar scalar(T value) {
    if constexpr (std::same_as<T, bool>)
      return Scalar(value);
    else if constexpr (std::is_integral_v<T>)
      return Scalar(int64_t(value));
    else
      return Scalar(double(value));
  }
  template <class To>
  void write(To*& to) const;
  friend Tensor tensor(const Literal& values, TensorOptions options);

  Scalar value_ = 0;
  DType dtype_ = float32;
  std::vector<Literal> items_;
  bool is_list_ = false;
};

/// A tensor of the numbers written out. Nested lists are its dimensions; a number alone is 0-d.
///
/// Shapes: that of the lists, which have as many items each.
/// Dtypes: `T` or options.dtype; without them, of what type a number is written: without a point int64, with one float32,
/// whatever its C++ type; bool, uint8_t and the half types stay. Different numbers promote.
/// Throws: ShapeError when lists of one depth differ in length; DeviceError, DTypeError as the other factories.
/// Determinism: the same bits on every device.
/// PyTorch: torch::tensor.
Tensor tensor(const Literal& values, TensorOptions options);
inline Tensor tensor(const Literal& values) { return tensor(values, TensorOptions{.dtype = values.dtype()}); }
template <OptionsPart P>
Tensor tensor(const Literal& values, P part) {
  return tensor(values, detail::options_from(part, values.dtype()));
}
template <class T>
requires detail::LiteralNumber<T> Tensor tensor(const Literal& values) {
  return tensor(values, TensorOptions{.dtype = dtype_of<T>});
}
/// A 1-d tensor of a vector's values, of the dtype that a literal of theirs has: from_vector() keeps double and int32.
template <detail::LiteralVector V>
Tensor tensor(const V& values, TensorOptions options = {.dtype = detail::literal_dtype<typename V::value_type>()}) {
  return from_vector(values, {int64_t(values.size())}, options);
}
template <detail::LiteralVector V, OptionsPart P>
Tensor tensor(const V& values, P part) {
  return tensor(values, detail::options_from(part, detail::literal_dtype<typename V::value_type>()));
}

}  // namespace ordo
