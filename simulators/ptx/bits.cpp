// Bits: logic, shifts, fields, and choices by predicates.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <type_traits>

#include "simulators/ptx/lanes.h"

namespace ordo::ptx {
namespace {

template <class T>
using Unsigned = std::make_unsigned_t<T>;

struct CountOnes {
  template <class T>
  uint32_t operator()(T a) const {
    return uint32_t(std::popcount(a));
  }
};
struct LeadingZeros {
  template <class T>
  uint32_t operator()(T a) const {
    return uint32_t(std::countl_zero(a));
  }
};
struct ReverseBits {
  template <class T>
  T operator()(T a) const {
    T r = 0;
    for (size_t i = 0; i < 8 * sizeof(T); ++i) r = T(r << 1 | (a >> i & 1));
    return r;
  }
};
/// The place of the highest bit that is not a sign; or how far it is from the top.
template <bool kShift>
struct FindLeading {
  template <class T>
  uint32_t operator()(T a) const {
    auto bits = Unsigned<T>(a);
    if (std::is_signed_v<T> && a < 0) bits = Unsigned<T>(~bits);
    if (bits == 0) return ~0u;
    const auto zeros = uint32_t(std::countl_zero(bits));
    return kShift ? zeros : uint32_t(8 * sizeof(T) - 1) - zeros;
  }
};
/// Amounts beyond the width are clamped to it.
struct ShiftLeft {
  template <class T>
  T operator()(T a, uint32_t by) const {
    return by >= 8 * sizeof(T) ? T(0) : T(a << by);
  }
};
struct ShiftRight {
  template <class T>
  T operator()(T a, uint32_t by) const {
    if (by >= 8 * sizeof(T)) return std::is_signed_v<T> && a < 0 ? T(-1) : T(0);
    return T(a >> by);
  }
};
template <class T, class F>
void shift(Warp& w, const Instruction& in, Mask m) {
  const auto d = w.lanes<T>(in.operands[0]), a = w.lanes<T>(in.operands[1]);
  const auto b = w.lanes<uint32_t>(in.operands[2]);
  for_lanes(m, [&](int l) { d.set(l, F()(a.get(l), b.get(l))); });
}
template <class T>
void select(Warp& w, const Instruction& in, Mask m) {
  const auto d = w.lanes<T>(in.operands[0]), a = w.lanes<T>(in.operands[1]), b = w.lanes<T>(in.operands[2]);
  const Mask p = w.predicate(in.operands[3]);
  for_lanes(m, [&](int l) { d.set(l, p >> l & 1 ? a.get(l) : b.get(l)); });
}

template <class F>
void predicate_binary(Warp& w, const Instruction& in, Mask m) {
  Mask& d = w.predicate(in.operands[0]);
  d = (d & ~m) | (F()(w.predicate(in.operands[1]), w.predicate(in.operands[2])) & m);
}
void predicate_not(Warp& w, const Instruction& in, Mask m) {
  Mask& d = w.predicate(in.operands[0]);
  d = (d & ~m) | (~w.predicate(in.operands[1]) & m);
}

template <class T>
void insert_bits(Warp& w, const Instruction& in, Mask m) {
  const auto f = w.lanes<T>(in.operands[0]), a = w.lanes<T>(in.operands[1]), b = w.lanes<T>(in.operands[2]);
  const auto place = w.lanes<uint32_t>(in.operands[3]), length = w.lanes<uint32_t>(in.operands[4]);
  for_lanes(m, [&](int l) {
    const uint32_t at = place.get(l) & 0xff, count = length.get(l) & 0xff, bits = 8 * sizeof(T);
    const T field = count >= bits ? T(~T(0)) : T((T(1) << count) - 1);
    const T mask = at >= bits ? T(0) : T(field << at);
    f.set(l, T((b.get(l) & ~mask) | (at >= bits ? T(0) : T(a.get(l) << at & mask))));
  });
}
template <class T>
void extract_bits(Warp& w, const Instruction& in, Mask m) {
  const auto d = w.lanes<T>(in.operands[0]), a = w.lanes<T>(in.operands[1]);
  const auto place = w.lanes<uint32_t>(in.operands[2]), length = w.lanes<uint32_t>(in.operands[3]);
  for_lanes(m, [&](int l) {
    const uint32_t bits = 8 * sizeof(T), at = place.get(l) & 0xff, count = length.get(l) & 0xff;
    const uint32_t last = at + count - 1 < bits - 1 ? at + count - 1 : bits - 1;
    const T v = a.get(l);
    const bool sign = std::is_signed_v<T> && count > 0 && (Unsigned<T>(v) >> last & 1) != 0;
    Unsigned<T> r = sign ? ~Unsigned<T>(0) : 0;
    for (uint32_t i = 0; i < bits && i < count && at + i < bits; ++i) {
      const auto bit = Unsigned<T>(1) << i;
      r = (Unsigned<T>(v) >> (at + i) & 1) != 0 ? r | bit : r & ~bit;
    }
    d.set(l, T(r));
  });
}
/// `count` bits from bit `at` on, as many as there is room for.
void bit_mask(Warp& w, const Instruction& in, Mask m) {
  const auto d = w.lanes<uint32_t>(in.operands[0]), a = w.lanes<uint32_t>(in.operands[1]),
             b = w.lanes<uint32_t>(in.operands[2]);
  for_lanes(m, [&](int l) {
    const uint32_t at = a.get(l), count = b.get(l);
    d.set(l, at >= 32 ? 0 : (count >= 32 ? ~0u : (1u << count) - 1) << at);
  });
}
/// Each of four bytes is one of the eight of a and b, or its sign.
void permute_bytes(Warp& w, const Instruction& in, Mask m) {
  const auto d = w.lanes<uint32_t>(in.operands[0]), a = w.lanes<uint32_t>(in.operands[1]),
             b = w.lanes<uint32_t>(in.operands[2]), c = w.lanes<uint32_t>(in.operands[3]);
  for_lanes(m, [&](int l) {
    const uint64_t bytes = uint64_t(b.get(l)) << 32 | a.get(l);
    uint32_t r = 0;
    for (int i = 0; i < 4; ++i) {
      const uint32_t choice = c.get(l) >> 4 * i & 0xf;
      auto byte = uint32_t(bytes >> 8 * (choice & 7) & 0xff);
      if (choice & 8) byte = byte & 0x80 ? 0xff : 0;
      r |= byte << 8 * i;
    }
    d.set(l, r);
  });
}
/// 32 bits of two registers, shifted as one.
template <bool kLeft, bool kWrap>
void funnel_shift(Warp& w, const Instruction& in, Mask m) {
  const auto d = w.lanes<uint32_t>(in.operands[0]), a = w.lanes<uint32_t>(in.operands[1]),
             b = w.lanes<uint32_t>(in.operands[2]), c = w.lanes<uint32_t>(in.operands[3]);
  for_lanes(m, [&](int l) {
    const uint64_t both = uint64_t(b.get(l)) << 32 | a.get(l);
    const uint32_t by = kWrap ? c.get(l) & 31 : std::min(c.get(l), 32u);
    d.set(l, kLeft ? uint32_t(both << by >> 32) : uint32_t(both >> by));
  });
}

}  // namespace

bool decode_bits(Decoder& d) {
  Modifiers& m = *d.modifiers;
  const std::string& base = m.base();
  Instruction& out = *d.out;
  if (base == "and" || base == "or" || base == "xor") {
    const Type type = m.take_type();
    operands(d, type, {type, type});
    if (type == Type::pred) {
      out.run = base == "and"  ? predicate_binary<std::bit_and<Mask>>
                : base == "or" ? predicate_binary<std::bit_or<Mask>>
                               : predicate_binary<std::bit_xor<Mask>>;
      return true;
    }
    with_bits(d, type, [&]<class T>(T) {
      out.run = base == "and"  ? binary<T, std::bit_and<T>>
                : base == "or" ? binary<T, std::bit_or<T>>
                               : binary<T, std::bit_xor<T>>;
    });
  } else if (base == "not") {
    const Type type = m.take_type();
    operands(d, type, {type});
    if (type == Type::pred)
      out.run = predicate_not;
    else
      with_bits(d, type, [&]<class T>(T) { out.run = unary<T, std::bit_not<T>>; });
  } else if (base == "shl" || base == "shr") {
    const Type type = m.take_type();
    operands(d, type, {type, Type::u32});
    with_integer(d, type, [&]<class T>(T) {
      if (base == "shl")
        out.run = shift<T, ShiftLeft>;
      else
        out.run = shift<T, ShiftRight>;
    });
  } else if (base == "popc" || base == "clz") {
    const Type type = m.take_type();
    operands(d, Type::u32, {type});
    if (bits_of(type) < 32) d.unknown();
    with_bits(d, type, [&]<class T>(T) {
      if (base == "popc")
        out.run = unary<T, CountOnes>;
      else
        out.run = unary<T, LeadingZeros>;
    });
  } else if (base == "bfind") {
    const bool as_shift = m.take("shiftamt");
    const Type type = m.take_type();
    operands(d, Type::u32, {type});
    with_integer(d, type, [&]<class T>(T) {
      if (as_shift)
        out.run = unary<T, FindLeading<true>>;
      else
        out.run = unary<T, FindLeading<false>>;
    });
  } else if (base == "brev") {
    const Type type = m.take_type();
    operands(d, type, {type});
    with_bits(d, type, [&]<class T>(T) { out.run = unary<T, ReverseBits>; });
  } else if (base == "bfi") {
    const Type type = m.take_type();
    operands(d, type, {type, type, Type::u32, Type::u32});
    with_bits(d, type, [&]<class T>(T) { out.run = insert_bits<T>; });
  } else if (base == "bfe") {
    const Type type = m.take_type();
    operands(d, type, {type, Type::u32, Type::u32});
    with_integer(d, type, [&]<class T>(T) { out.run = extract_bits<T>; });
  } else if (base == "bmsk") {
    if (!m.take("clamp") || m.take_type() != Type::b32) d.unknown();
    operands(d, Type::b32, {Type::b32, Type::b32});
    out.run = bit_mask;
  } else if (base == "prmt") {
    if (m.take_type() != Type::b32) d.unknown();
    operands(d, Type::b32, {Type::b32, Type::b32, Type::b32});
    out.run = permute_bytes;
  } else if (base == "shf") {
    const bool left = m.take("l"), right = m.take("r"), wrap = m.take("wrap"), clamp = m.take("clamp");
    if (left == right || wrap == clamp || m.take_type() != Type::b32) d.unknown();
    operands(d, Type::b32, {Type::b32, Type::b32, Type::u32});
    out.run = left ? (wrap ? funnel_shift<true, true> : funnel_shift<true, false>)
                   : (wrap ? funnel_shift<false, true> : funnel_shift<false, false>);
  } else if (base == "selp") {
    const Type type = m.take_type();
    operands(d, type, {type, type, Type::pred});
    with_bits(d, type, [&]<class T>(T) { out.run = select<T>; });
  } else {
    return false;
  }
  return true;
}

}  // namespace ordo::ptx
