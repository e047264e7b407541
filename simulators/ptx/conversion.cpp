// mov, cvt and cvta: from one type, register or space to another.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "simulators/ptx/half.h"
#include "simulators/ptx/lanes.h"

namespace ordo::ptx {
namespace {

enum class Rounding { none, nearest, zero, down, up };

/// To an integer's value by a rounding, still as a float.
template <class F>
F integral(F v, Rounding r) {
  if (r == Rounding::nearest) return std::nearbyint(v);
  if (r == Rounding::zero) return std::trunc(v);
  if (r == Rounding::down) return std::floor(v);
  if (r == Rounding::up) return std::ceil(v);
  return v;
}

/// Values beyond an integer's range become its limits. A NaN becomes 0, or where either type has 64 bits the highest
/// bit alone (PTX ISA, cvt).
template <class I, class F>
I to_integer(F v) {
  constexpr bool kWide = sizeof(F) == 8 || sizeof(I) == 8;
  if (v != v) return kWide ? I(std::make_unsigned_t<I>(1) << (8 * sizeof(I) - 1)) : I(0);
  constexpr F kEnd = F(std::numeric_limits<I>::max() / 2 + 1) * 2;  // the limit and one
  if (v >= kEnd) return std::numeric_limits<I>::max();
  if (v < F(std::numeric_limits<I>::min())) return std::numeric_limits<I>::min();
  return I(v);
}

/// A cell of a register, and what it holds of a type narrower than that.
template <class T, class Cell>
T narrowed(Cell cell) {
  if constexpr (sizeof(T) == 8)
    return std::bit_cast<T>(uint64_t(cell));
  else if constexpr (sizeof(T) == 4)
    return std::bit_cast<T>(uint32_t(cell));
  else if constexpr (sizeof(T) == 2)
    return std::bit_cast<T>(uint16_t(cell));
  else
    return std::bit_cast<T>(uint8_t(cell));
}
/// Integers are extended by their sign, if they have one.
template <class Cell, class T>
Cell widened(T v) {
  if constexpr (std::is_integral_v<T>)
    return Cell(std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>(v));
  else if constexpr (sizeof(T) == 8)
    return Cell(std::bit_cast<uint64_t>(v));
  else if constexpr (sizeof(T) == 4)
    return std::bit_cast<uint32_t>(v);
  else
    return std::bit_cast<uint16_t>(v);
}

template <class To, class From>
To converted(From v, Rounding r) {
  constexpr bool kFromFloat = !std::is_integral_v<From>, kToFloat = !std::is_integral_v<To>;
  if constexpr (kFromFloat && sizeof(From) == 2) {
    if constexpr (std::is_same_v<To, From>)
      return v;
    else
      return converted<To>(float(v), r);
  } else if constexpr (kToFloat && sizeof(To) == 2) {
    return To::from(float(v));
  } else if constexpr (kFromFloat && kToFloat) {
    const To result = std::is_same_v<To, From> ? To(integral(v, r)) : To(v);
    if constexpr (sizeof(To) == 4)
      return result == result ? result : std::bit_cast<To>(0x7fffffffu);
    else
      return result;
  } else if constexpr (kFromFloat) {
    return to_integer<To>(integral(v, r));
  } else {
    return To(v);  // integers lose their highest bits; to floats the host rounds to nearest
  }
}

template <class To, class ToCell, class From, class FromCell>
void convert(Warp& w, const Instruction& in, Mask m) {
  const Rounding r{int(in.offset)};
  const auto d = w.lanes<ToCell>(in.operands[0]);
  const auto a = w.lanes<FromCell>(in.operands[1]);
  for_lanes(m, [&](int l) { d.set(l, widened<ToCell>(converted<To>(narrowed<From>(a.get(l)), r))); });
}

template <class F>
void with_type(Decoder& d, Type type, const F& f) {
  switch (type) {
    case Type::s8:
      return f(int8_t());
    case Type::u8:
    case Type::b8:
      return f(uint8_t());
    case Type::f16:
      return f(Float16());
    case Type::bf16:
      return f(BFloat16());
    default:
      with_number(d, type, f);
  }
}
template <class F>
void with_cell(int bits, const F& f) {
  if (bits == 64)
    f(uint64_t());
  else
    f(uint32_t());
}

void decode_cvt(Decoder& d) {
  Modifiers& m = *d.modifiers;
  const bool to_nearest = m.take("rn");
  Rounding r = to_nearest ? Rounding::nearest : Rounding::none;
  bool whole = false;
  for (const auto& [name, rounding] :
       {std::pair("rni", Rounding::nearest), {"rzi", Rounding::zero}, {"rmi", Rounding::down}, {"rpi", Rounding::up}})
    if (m.take(name)) r = rounding, whole = true;
  const Type to = m.take_type(), from = m.take_type();
  const auto is_integer = [](Type t) { return t != Type::f16 && t != Type::bf16 && t != Type::f32 && t != Type::f64; };
  // Where a rounding must stand, one must: what does not say how it rounds is not known.
  const bool narrows = !is_integer(to) && (is_integer(from) || bits_of(to) < bits_of(from));
  if (narrows != to_nearest && !(to_nearest && to == from)) d.unknown("a conversion with another rounding than .rn");
  if ((!is_integer(from) && is_integer(to)) != whole && to != from)
    d.unknown("a conversion to integers needs .rni, .rzi, .rmi or .rpi");
  d.expect_operands(2);
  const int to_bits = d.cell_bits(d.operand(0)), from_bits = d.cell_bits(d.operand(1));
  if (to_bits < bits_of(to) || (from_bits < bits_of(from) && d.operand(1).kind == Operand::Kind::name))
    d.unknown("a register that is too narrow");
  d.write(d.operand(0), to_bits == 64 ? Type::b64 : Type::b32);
  d.read(d.operand(1), from_bits == 64 ? Type::b64 : Type::b32);
  with_type(d, to, [&]<class To>(To) {
    with_type(d, from, [&]<class From>(From) {
      with_cell(to_bits, [&]<class ToCell>(ToCell) {
        with_cell(from_bits, [&]<class FromCell>(FromCell) {
          if constexpr (sizeof(To) <= sizeof(ToCell) && sizeof(From) <= sizeof(FromCell)) {
            constexpr bool kRounds =
                !std::is_integral_v<From> && sizeof(From) > 2 && (std::is_integral_v<To> || std::is_same_v<From, To>);
            if (kRounds || !whole) d.out->run = convert<To, ToCell, From, FromCell>;
            d.out->offset = int64_t(kRounds && whole ? r : Rounding::none);
          }
        });
      });
    });
  });
  if (!d.out->run) d.unknown();
}

template <class T>
void move(Warp& w, const Instruction& in, Mask m) {
  const auto d = w.lanes<T>(in.operands[0]), a = w.lanes<T>(in.operands[1]);
  for_lanes(m, [&](int l) { d.set(l, a.get(l)); });
}
void move_predicate(Warp& w, const Instruction& in, Mask m) {
  Mask& d = w.predicate(in.operands[0]);
  d = (d & ~m) | (w.predicate(in.operands[1]) & m);
}
/// Of `kCount` parts of Part the whole, and back.
template <class Whole, class Part, int kCount>
void pack(Warp& w, const Instruction& in, Mask m) {
  const auto d = w.lanes<Whole>(in.operands[0]);
  for_lanes(m, [&](int l) {
    Whole whole = 0;
    for (int i = 0; i < kCount; ++i)
      whole |= Whole(w.lanes<Part>(in.operands[size_t(1 + i)]).get(l)) << 8 * int(sizeof(Part)) * i;
    d.set(l, whole);
  });
}
template <class Whole, class Part, int kCount>
void unpack(Warp& w, const Instruction& in, Mask m) {
  const auto a = w.lanes<Whole>(in.operands[kCount]);
  for_lanes(m, [&](int l) {
    const Whole whole = a.get(l);
    for (int i = 0; i < kCount; ++i)
      w.lanes<Part>(in.operands[size_t(i)]).set(l, Part(whole >> 8 * int(sizeof(Part)) * i));
  });
}

void decode_mov(Decoder& d) {
  const Type type = d.modifiers->take_type();
  d.expect_operands(2);
  const Operand &to = d.operand(0), &from = d.operand(1);
  const auto part_type = [&](size_t count) {
    const int bits = bits_of(type) / int(count);
    if (bits != 16 && bits != 32) d.unknown();
    return bits == 16 ? Type::b16 : Type::b32;
  };
  if (to.kind == Operand::Kind::vector) {
    const Type part = part_type(to.elements.size());
    for (const Operand& o : to.elements) d.write(o, part);
    d.read(from, type);
    d.out->run = bits_of(type) == 32 ? unpack<uint32_t, uint16_t, 2>
                 : part == Type::b16 ? unpack<uint64_t, uint16_t, 4>
                                     : unpack<uint64_t, uint32_t, 2>;
  } else if (from.kind == Operand::Kind::vector) {
    const Type part = part_type(from.elements.size());
    d.write(to, type);
    for (const Operand& o : from.elements) d.read(o, part);
    d.out->run = bits_of(type) == 32 ? pack<uint32_t, uint16_t, 2>
                 : part == Type::b16 ? pack<uint64_t, uint16_t, 4>
                                     : pack<uint64_t, uint32_t, 2>;
  } else {
    d.write(to, type);
    d.read(from, type);
    d.out->run = type == Type::pred    ? move_predicate
                 : bits_of(type) == 64 ? move<uint64_t>
                 : bits_of(type) == 32 ? move<uint32_t>
                                       : move<uint16_t>;
  }
}

/// Generic addresses are those of a space, and a window.
void add_window(Warp& w, const Instruction& in, Mask m) {
  const auto d = w.lanes<uint64_t>(in.operands[0]), a = w.lanes<uint64_t>(in.operands[1]);
  for_lanes(m, [&](int l) { d.set(l, a.get(l) + uint64_t(in.offset)); });
}

void decode_cvta(Decoder& d) {
  Modifiers& m = *d.modifiers;
  const bool to = m.take("to");
  uint64_t window = 0;
  if (m.take("shared"))
    window = kSharedWindow;
  else if (m.take("local"))
    window = kLocalWindow;
  else if (!m.take("global") && !m.take("const") && !m.take("param"))
    d.unknown();
  const Type type = m.take_type();
  if (bits_of(type) != 64) d.unknown();
  d.expect_operands(2);
  d.write(d.operand(0), type);
  d.read(d.operand(1), type);
  d.out->offset = int64_t(to ? 0 - window : window);
  d.out->run = add_window;
}

}  // namespace

bool decode_conversion(Decoder& d) {
  const std::string& base = d.modifiers->base();
  if (base == "cvt")
    decode_cvt(d);
  else if (base == "mov")
    decode_mov(d);
  else if (base == "cvta")
    decode_cvta(d);
  else
    return false;
  return true;
}

}  // namespace ordo::ptx
