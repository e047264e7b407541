// What decodes operations on lanes of numbers: a function of one type's lanes for each of the types that an instruction
// may have. Internal.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <type_traits>

#include "simulators/ptx/decode.h"

namespace ordo::ptx {

/// PTX: "NaN payloads are not preserved": results of single precision are the canonical NaN.
template <class T>
T canonical(T v) {
  if constexpr (std::is_same_v<T, float>) return v == v ? v : std::bit_cast<float>(0x7fffffffu);
  return v;
}

/// The greater number or the less. Of a number and a NaN: the number.
template <bool kGreater>
struct Extreme {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>) {
      if (a != a) return canonical(b);
      if (b != b) return canonical(a);
      if (a == b) return std::signbit(a) != kGreater ? a : b;
    }
    return (kGreater ? a > b : a < b) ? a : b;
  }
};

/// d = F()(a), d = F()(a, b).
template <class T, class F>
void unary(Warp& w, const Instruction& in, Mask m) {
  const auto d = w.lanes<std::invoke_result_t<F, T>>(in.operands[0]);
  const auto a = w.lanes<T>(in.operands[1]);
  for_lanes(m, [&](int l) { d.set(l, F()(a.get(l))); });
}
template <class T, class F>
void binary(Warp& w, const Instruction& in, Mask m) {
  const auto d = w.lanes<T>(in.operands[0]), a = w.lanes<T>(in.operands[1]), b = w.lanes<T>(in.operands[2]);
  for_lanes(m, [&](int l) { d.set(l, F()(a.get(l), b.get(l))); });
}

/// f(T()) with the type of an integer; other types are not known.
template <class F>
void with_integer(Decoder& d, Type type, const F& f) {
  switch (type) {
    case Type::s16:
      return f(int16_t());
    case Type::u16:
    case Type::b16:
      return f(uint16_t());
    case Type::s32:
      return f(int32_t());
    case Type::u32:
    case Type::b32:
      return f(uint32_t());
    case Type::s64:
      return f(int64_t());
    case Type::u64:
    case Type::b64:
      return f(uint64_t());
    default:
      d.unknown("it has no such type");
  }
}
template <class F>
void with_bits(Decoder& d, Type type, const F& f) {
  switch (bits_of(type)) {
    case 16:
      return f(uint16_t());
    case 32:
      return f(uint32_t());
    case 64:
      return f(uint64_t());
    default:
      d.unknown("it has no such type");
  }
}
inline bool is_float(Type type) { return type == Type::f32 || type == Type::f64; }
template <class F>
void with_float(Decoder& d, Type type, const F& f) {
  if (type == Type::f32) return f(float());
  if (type == Type::f64) return f(double());
  d.unknown("it has no such type");
}
template <class F>
void with_number(Decoder& d, Type type, const F& f) {
  if (is_float(type)) return with_float(d, type, f);
  with_integer(d, type, f);
}

/// Appends the result and what is read, by their types.
inline void operands(Decoder& d, Type result, std::initializer_list<Type> read) {
  d.expect_operands(1 + read.size());
  d.write(d.operand(0), result);
  size_t i = 1;
  for (Type type : read) d.read(d.operand(i++), type);
}

/// F for integers and floats, with operands of one type.
template <class F>
void decode_unary(Decoder& d, Type type) {
  operands(d, type, {type});
  with_number(d, type, [&]<class T>(T) { d.out->run = unary<T, F>; });
}
template <class F>
void decode_binary(Decoder& d, Type type) {
  operands(d, type, {type, type});
  with_number(d, type, [&]<class T>(T) { d.out->run = binary<T, F>; });
}

}  // namespace ordo::ptx
