// Numbers: arithmetic and comparisons. Every operation has the rounding that its modifiers state, which are those of
// the host's instructions (IEEE 754, to nearest); NaNs are those of a GPU.
#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "simulators/ptx/lanes.h"

namespace ordo::ptx {
namespace {

template <class T>
using Unsigned = std::make_unsigned_t<T>;

// Integers wrap; what is narrower than an int must not overflow it.
template <class T>
auto wide(T v) {
  if constexpr (std::is_floating_point_v<T>)
    return v;
  else
    return uint64_t(v);
}
template <class T, class V>
T back(V v) {
  if constexpr (std::is_floating_point_v<T>)
    return canonical(T(v));
  else
    return T(v);
}

struct Add {
  template <class T>
  T operator()(T a, T b) const {
    return back<T>(wide(a) + wide(b));
  }
};
struct Subtract {
  template <class T>
  T operator()(T a, T b) const {
    return back<T>(wide(a) - wide(b));
  }
};
struct Multiply {
  template <class T>
  T operator()(T a, T b) const {
    return back<T>(wide(a) * wide(b));
  }
};
struct Divide {  // PTX leaves the quotient by zero open; of a GPU it has all bits set
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>)
      return canonical(a / b);
    else if (b == 0)
      return T(~Unsigned<T>(0));
    else if constexpr (std::is_signed_v<T>)
      return b == -1 ? T(0 - Unsigned<T>(a)) : T(a / b);
    else
      return T(a / b);
  }
};
struct Remainder {
  template <class T>
  T operator()(T a, T b) const {
    if (b == 0) return a;
    if constexpr (std::is_signed_v<T>)
      return b == -1 ? T(0) : T(a % b);
    else
      return T(a % b);
  }
};
struct HighHalf {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (sizeof(T) == 8) {
      using Wide = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
      return T(Wide(a) * Wide(b) >> 64);
    } else {
      using Wide = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
      return T(Wide(a) * Wide(b) >> 8 * sizeof(T));
    }
  }
};
struct Negate {
  template <class T>
  T operator()(T a) const {
    if constexpr (std::is_floating_point_v<T>)
      return canonical(-a);
    else
      return T(0 - wide(a));
  }
};
struct Absolute {
  template <class T>
  T operator()(T a) const {
    if constexpr (std::is_floating_point_v<T>)
      return canonical(std::fabs(a));
    else
      return a < 0 ? T(0 - wide(a)) : a;
  }
};
struct SquareRoot {
  template <class T>
  T operator()(T a) const {
    return canonical(std::sqrt(a));
  }
};
struct Reciprocal {
  template <class T>
  T operator()(T a) const {
    return canonical(T(1) / a);
  }
};
struct MultiplyAdd {
  template <class T>
  T operator()(T a, T b, T c) const {
    if constexpr (std::is_floating_point_v<T>)
      return canonical(std::fma(a, b, c));
    else
      return T(wide(a) * wide(b) + wide(c));
  }
};

template <class T, class F>
void ternary(Warp& w, const Instruction& in, Mask m) {
  const auto d = w.lanes<T>(in.operands[0]), a = w.lanes<T>(in.operands[1]), b = w.lanes<T>(in.operands[2]),
             c = w.lanes<T>(in.operands[3]);
  for_lanes(m, [&](int l) { d.set(l, F()(a.get(l), b.get(l), c.get(l))); });
}
template <class T>
void multiply_wide(Warp& w, const Instruction& in, Mask m) {
  using Wide = std::conditional_t<sizeof(T) == 4, std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>,
                                  std::conditional_t<std::is_signed_v<T>, int32_t, uint32_t>>;
  const auto d = w.lanes<Wide>(in.operands[0]);
  const auto a = w.lanes<T>(in.operands[1]), b = w.lanes<T>(in.operands[2]);
  for_lanes(m, [&](int l) { d.set(l, Wide(Wide(a.get(l)) * Wide(b.get(l)))); });
}
template <class T>
void multiply_wide_add(Warp& w, const Instruction& in, Mask m) {
  using Wide = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
  const auto d = w.lanes<Wide>(in.operands[0]);
  const auto a = w.lanes<T>(in.operands[1]), b = w.lanes<T>(in.operands[2]);
  const auto c = w.lanes<Wide>(in.operands[3]);
  for_lanes(m, [&](int l) { d.set(l, Wide(uint64_t(Wide(a.get(l)) * Wide(b.get(l))) + uint64_t(c.get(l)))); });
}

/// add.cc, addc, addc.cc, sub.cc, subc: with the carry (of a subtraction, the borrow) of the instruction before.
template <class T, bool kSubtract, bool kTakes, bool kGives>
void with_carry(Warp& w, const Instruction& in, Mask m) {
  const auto d = w.lanes<T>(in.operands[0]), a = w.lanes<T>(in.operands[1]), b = w.lanes<T>(in.operands[2]);
  Mask& carry = w.carry();
  for_lanes(m, [&](int l) {
    const Mask own = Mask(1) << l;
    const T with = kTakes && (carry & own) != 0 ? 1 : 0, x = a.get(l), y = b.get(l);
    const T r = kSubtract ? T(x - y - with) : T(x + y + with);
    const bool over = kSubtract ? x < y || (x == y && with) : r < x || (r == x && with);
    if (kGives) carry = over ? carry | own : carry & ~own;
    d.set(l, r);
  });
}

enum class Comparison { eq, ne, lt, le, gt, ge, equ, neu, ltu, leu, gtu, geu, num, nan, lo, ls, hi, hs };
template <Comparison c>
struct Compare {
  template <class T>
  bool operator()(T a, T b) const {
    using enum Comparison;
    const bool unordered = a != a || b != b;
    switch (c) {
      case eq:
        return a == b;
      case ne:
        return !unordered && a != b;
      case lt:
      case lo:
        return a < b;
      case le:
      case ls:
        return a <= b;
      case gt:
      case hi:
        return a > b;
      case ge:
      case hs:
        return a >= b;
      case equ:
        return unordered || a == b;
      case neu:
        return unordered || a != b;
      case ltu:
        return unordered || a < b;
      case leu:
        return unordered || a <= b;
      case gtu:
        return unordered || a > b;
      case geu:
        return unordered || a >= b;
      case num:
        return !unordered;
      case nan:
        return unordered;
    }
  }
};
template <class T, class F>
void set_predicate(Warp& w, const Instruction& in, Mask m) {
  const auto a = w.lanes<T>(in.operands[1]), b = w.lanes<T>(in.operands[2]);
  Mask yes = 0;
  for_lanes(m, [&](int l) { yes |= Mask(F()(a.get(l), b.get(l))) << l; });
  Mask& d = w.predicate(in.operands[0]);
  d = (d & ~m) | (yes & m);
}

/// Without .rn, the machine would have to guess what a multiplication is contracted with.
void require_rounding(Decoder& d, Type type) {
  if (is_float(type) && !d.modifiers->take("rn")) d.unknown("rounding other than .rn");
}

void decode_compare(Decoder& d) {
  Modifiers& m = *d.modifiers;
  static constexpr std::pair<std::string_view, Comparison> kNames[] = {
      {"eq", Comparison::eq},   {"ne", Comparison::ne},   {"lt", Comparison::lt},   {"le", Comparison::le},
      {"gt", Comparison::gt},   {"ge", Comparison::ge},   {"equ", Comparison::equ}, {"neu", Comparison::neu},
      {"ltu", Comparison::ltu}, {"leu", Comparison::leu}, {"gtu", Comparison::gtu}, {"geu", Comparison::geu},
      {"num", Comparison::num}, {"nan", Comparison::nan}, {"lo", Comparison::lo},   {"ls", Comparison::ls},
      {"hi", Comparison::hi},   {"hs", Comparison::hs}};
  const auto* name = std::begin(kNames);
  while (name != std::end(kNames) && !m.take(name->first)) ++name;
  if (name == std::end(kNames)) d.unknown();
  const Type type = m.take_type();
  operands(d, Type::pred, {type, type});
  with_number(d, type, [&]<class T>(T) {
    using enum Comparison;
    const auto pick = [&]<Comparison... c>(std::integer_sequence<Comparison, c...>) {
      ((name->second == c ? void(d.out->run = set_predicate<T, Compare<c>>) : void()), ...);
    };
    pick(std::integer_sequence<Comparison, eq, ne, lt, le, gt, ge, equ, neu, ltu, leu, gtu, geu, num, nan, lo, ls, hi,
                               hs>());
  });
}

}  // namespace
bool decode_arithmetic(Decoder& d) {
  Modifiers& m = *d.modifiers;
  const std::string& base = m.base();
  Instruction& out = *d.out;
  if (base == "add" || base == "sub" || base == "addc" || base == "subc") {
    const bool gives = m.take("cc"), takes = base.back() == 'c', subtract = base[0] == 's';
    const Type type = m.take_type();
    if (gives || takes) {
      operands(d, type, {type, type});
      if (is_float(type) || bits_of(type) < 32) d.unknown();
      const auto set = [&]<class T>(T) {
        if (subtract)
          out.run = takes ? (gives ? with_carry<T, true, true, true> : with_carry<T, true, true, false>)
                          : with_carry<T, true, false, true>;
        else
          out.run = takes ? (gives ? with_carry<T, false, true, true> : with_carry<T, false, true, false>)
                          : with_carry<T, false, false, true>;
      };
      if (bits_of(type) == 64)
        set(uint64_t());
      else
        set(uint32_t());
      return true;
    }
    require_rounding(d, type);
    if (subtract)
      decode_binary<Subtract>(d, type);
    else
      decode_binary<Add>(d, type);
  } else if (base == "mul" || base == "mad" || base == "fma") {
    const bool low = m.take("lo"), high = m.take("hi"), doubled = m.take("wide"), adds = base != "mul";
    const Type type = m.take_type();
    if (is_float(type) == (low || high || doubled)) d.unknown();
    require_rounding(d, type);
    if (doubled) {
      const bool is_signed = type == Type::s32 || type == Type::s16;
      const Type result =
          bits_of(type) == 32 ? (is_signed ? Type::s64 : Type::u64) : (is_signed ? Type::s32 : Type::u32);
      if (bits_of(type) == 64 || (adds && bits_of(type) != 32)) d.unknown();
      if (adds)
        operands(d, result, {type, type, result});
      else
        operands(d, result, {type, type});
      with_integer(d, type, [&]<class T>(T) {
        if constexpr (sizeof(T) == 4) {
          if (adds)
            out.run = multiply_wide_add<T>;
          else
            out.run = multiply_wide<T>;
        } else if constexpr (sizeof(T) == 2) {
          out.run = multiply_wide<T>;
        }
      });
    } else if (high) {
      if (adds || is_float(type)) d.unknown();
      operands(d, type, {type, type});
      with_integer(d, type, [&]<class T>(T) { out.run = binary<T, HighHalf>; });
    } else if (adds) {
      operands(d, type, {type, type, type});
      with_number(d, type, [&]<class T>(T) { out.run = ternary<T, MultiplyAdd>; });
    } else {
      decode_binary<Multiply>(d, type);
    }
  } else if (base == "div") {
    const Type type = m.take_type();
    require_rounding(d, type);
    decode_binary<Divide>(d, type);
  } else if (base == "rem") {
    const Type type = m.take_type();
    operands(d, type, {type, type});
    with_integer(d, type, [&]<class T>(T) { out.run = binary<T, Remainder>; });
  } else if (base == "min") {
    decode_binary<Extreme<false>>(d, m.take_type());
  } else if (base == "max") {
    decode_binary<Extreme<true>>(d, m.take_type());
  } else if (base == "neg") {
    decode_unary<Negate>(d, m.take_type());
  } else if (base == "abs") {
    decode_unary<Absolute>(d, m.take_type());
  } else if (base == "sqrt" || base == "rcp") {
    const Type type = m.take_type();
    require_rounding(d, type);
    operands(d, type, {type});
    with_float(d, type, [&]<class T>(T) {
      if (base == "sqrt")
        out.run = unary<T, SquareRoot>;
      else
        out.run = unary<T, Reciprocal>;
    });
  } else if (base == "setp") {
    decode_compare(d);
  } else {
    return false;
  }
  return true;
}

}  // namespace ordo::ptx
