// Branches, barriers, fences, and what the lanes of a warp do together.
#include <algorithm>
#include <bit>
#include <cstdint>

#include "simulators/ptx/decode.h"

namespace ordo::ptx {
namespace {

using Control = Instruction::Control;

enum class Shuffle { up, down, bfly, idx };

/// PTX ISA, shfl.sync: of which lane a lane gets the value, and whether that is inside of its segment. Operands: d, p,
/// a, b, c, mask.
template <Shuffle mode>
void shuffle(Warp& w, const Instruction& in, Mask m) {
  const auto d = w.lanes<uint32_t>(in.operands[0]), a = w.lanes<uint32_t>(in.operands[2]),
             b = w.lanes<uint32_t>(in.operands[3]), c = w.lanes<uint32_t>(in.operands[4]),
             masks = w.lanes<uint32_t>(in.operands[5]);
  std::array<uint32_t, kLanes> values;
  for (int l = 0; l < kLanes; ++l) values[size_t(l)] = a.get(l);
  Mask inside = 0;
  for_lanes(m, [&](int lane) {
    const int by = int(b.get(lane) & 31), clamp = int(c.get(lane) & 31), segment = int(c.get(lane) >> 8 & 31);
    const int last = (lane & segment) | (clamp & ~segment), first = lane & segment;
    int from = lane;
    bool is_inside = false;
    switch (mode) {
      case Shuffle::up:
        from = lane - by;
        is_inside = from >= last;
        break;
      case Shuffle::down:
        from = lane + by;
        is_inside = from <= last;
        break;
      case Shuffle::bfly:
        from = lane ^ by;
        is_inside = from <= last;
        break;
      case Shuffle::idx:
        from = first | (by & ~segment);
        is_inside = from <= last;
        break;
    }
    if (!is_inside) from = lane;
    // Of a lane that does not take part, anything may come.
    const bool takes_part = (masks.get(lane) >> from & 1) != 0 && (m >> from & 1) != 0;
    d.set(lane, takes_part ? values[size_t(from)] : 0xcdcdcdcdu);
    inside |= Mask(is_inside) << lane;
  });
  Mask& p = w.predicate(in.operands[1]);
  p = (p & ~m) | (inside & m);
}

enum class Vote { all, any, uni, ballot };

/// Operands: d, p, mask.
template <Vote kind>
void vote(Warp& w, const Instruction& in, Mask m) {
  const Mask yes = w.predicate(in.operands[1]);
  const auto masks = w.lanes<uint32_t>(in.operands[2]);
  Mask result = 0;
  for_lanes(m, [&](int l) {
    const Mask members = masks.get(l) & m, those = yes & members;
    if constexpr (kind == Vote::ballot) {
      w.lanes<uint32_t>(in.operands[0]).set(l, those);
    } else {
      const bool r = kind == Vote::any   ? those != 0
                     : kind == Vote::all ? those == members
                                         : those == 0 || those == members;
      result |= Mask(r) << l;
    }
  });
  if constexpr (kind != Vote::ballot) {
    Mask& d = w.predicate(in.operands[0]);
    d = (d & ~m) | (result & m);
  }
}

/// Operands: d, a, mask. The lanes of the mask that have the same value.
template <class T>
void match_any(Warp& w, const Instruction& in, Mask m) {
  const auto a = w.lanes<T>(in.operands[1]);
  const auto masks = w.lanes<uint32_t>(in.operands[2]);
  std::array<uint32_t, kLanes> found{};
  for_lanes(m, [&](int l) {
    const T own = a.get(l);
    Mask same = 0;
    for_lanes(masks.get(l) & m, [&](int other) { same |= Mask(a.get(other) == own) << other; });
    found[size_t(l)] = same;
  });
  const auto d = w.lanes<uint32_t>(in.operands[0]);
  for_lanes(m, [&](int l) { d.set(l, found[size_t(l)]); });
}

void active_mask(Warp& w, const Instruction& in, Mask m) {
  const auto d = w.lanes<uint32_t>(in.operands[0]);
  for_lanes(m, [&](int l) { d.set(l, m); });
}

void nothing(Warp&, const Instruction&, Mask) {}

/// Operand: mask.
void warp_barrier(Warp& w, const Instruction& in, Mask m) {
  Block& block = w.block();
  if (!block.device().races) return;
  const auto masks = w.lanes<uint32_t>(in.operands[0]);
  for (Mask rest = m; rest != 0;) {
    const Mask together = masks.get(std::countr_zero(rest)) & rest;
    block.device().races->warp_barrier(block.race_state(), unsigned(w.number()) * kLanes, together);
    rest &= ~together;
  }
}

template <bool kWholeDevice>
void fence(Warp& w, const Instruction&, Mask m) {
  Block& block = w.block();
  if (!block.device().races) return;
  for_lanes(m, [&](int l) {
    block.device().races->fence(block.race_state(), unsigned(w.number() * kLanes + l), kWholeDevice);
  });
}

void trap(Warp& w, const Instruction& in, Mask m) {
  w.fail(Fault::Kind::illegal_instruction, in, std::countr_zero(m), "the kernel has stopped itself");
}

/// Operands: d, p.
void bring_votes(Warp& w, const Instruction& in, Mask m) {
  Block::Votes& votes = w.block().votes;
  votes.yes += uint32_t(std::popcount(w.predicate(in.operands[1]) & m));
  votes.all += uint32_t(std::popcount(m));
}
template <Vote kind>
void read_votes(Warp& w, const Instruction& in, Mask m) {
  const Block::Votes votes = w.block().result;
  if constexpr (kind == Vote::ballot) {
    const auto d = w.lanes<uint32_t>(in.operands[0]);
    for_lanes(m, [&](int l) { d.set(l, votes.yes); });
  } else {
    const bool r = kind == Vote::any ? votes.yes != 0 : votes.yes == votes.all;
    Mask& d = w.predicate(in.operands[0]);
    d = r ? d | m : d & ~m;
  }
}

int barrier_number(Decoder& d, size_t operand) {
  if (d.operand(operand).kind != Operand::Kind::number) d.unknown("a barrier by a register's number");
  return int(d.operand(operand).number);
}

void collective(Decoder& d, size_t mask_operand) {
  d.out->control = Control::collective;
  d.out->mask_operand = uint8_t(mask_operand);
}

void decode_barrier(Decoder& d) {
  Modifiers& m = *d.modifiers;
  Instruction& out = *d.out;
  m.take("cta");
  m.take("aligned");
  if (m.take("warp")) {
    if (!m.take("sync")) d.unknown();
    d.expect_operands(1);
    d.read(d.operand(0), Type::u32);
    out.run = warp_barrier;
    return collective(d, 0);
  }
  out.control = Control::barrier;
  if (m.take("sync")) {
    d.expect_operands(1);
    out.offset = barrier_number(d, 0);
  } else if (m.take("red")) {
    const bool any = m.take("or"), all = m.take("and"), count = m.take("popc");
    const Type type = m.take_type();
    if (any + all + count != 1 || type != (count ? Type::u32 : Type::pred)) d.unknown();
    d.expect_operands(3);
    out.offset = barrier_number(d, 1);
    d.write(d.operand(0), type);
    d.read(d.operand(2), Type::pred);
    out.run = bring_votes;
    out.finish = count ? read_votes<Vote::ballot> : any ? read_votes<Vote::any> : read_votes<Vote::all>;
  } else {
    d.unknown();
  }
}

void decode_shuffle(Decoder& d) {
  Modifiers& m = *d.modifiers;
  if (!m.take("sync")) d.unknown();
  d.out->run = m.take("up")     ? shuffle<Shuffle::up>
               : m.take("down") ? shuffle<Shuffle::down>
               : m.take("bfly") ? shuffle<Shuffle::bfly>
               : m.take("idx")  ? shuffle<Shuffle::idx>
                                : nullptr;
  if (!d.out->run || m.take_type() != Type::b32) d.unknown();
  d.expect_operands(5);
  d.write(d.operand(0), Type::b32);
  Operand inside;
  inside.kind = Operand::Kind::sink;
  if (!d.operand(0).second.empty()) inside.kind = Operand::Kind::name, inside.name = d.operand(0).second;
  d.write(inside, Type::pred);
  d.read(d.operand(1), Type::b32);
  d.read(d.operand(2), Type::b32);
  d.read(d.operand(3), Type::b32);
  d.read(d.operand(4), Type::b32);
  collective(d, 5);
}

void decode_vote(Decoder& d) {
  Modifiers& m = *d.modifiers;
  if (!m.take("sync")) d.unknown();
  const bool ballot = m.take("ballot");
  d.out->run = ballot          ? vote<Vote::ballot>
               : m.take("all") ? vote<Vote::all>
               : m.take("any") ? vote<Vote::any>
               : m.take("uni") ? vote<Vote::uni>
                               : nullptr;
  if (!d.out->run || m.take_type() != (ballot ? Type::b32 : Type::pred)) d.unknown();
  d.expect_operands(3);
  d.write(d.operand(0), ballot ? Type::b32 : Type::pred);
  d.read(d.operand(1), Type::pred);
  d.read(d.operand(2), Type::b32);
  collective(d, 2);
}

void decode_match(Decoder& d) {
  Modifiers& m = *d.modifiers;
  if (!m.take("any") || !m.take("sync")) d.unknown();
  const Type type = m.take_type();
  d.expect_operands(3);
  d.write(d.operand(0), Type::b32);
  d.read(d.operand(1), type);
  d.read(d.operand(2), Type::b32);
  d.out->run = bits_of(type) == 64 ? match_any<uint64_t> : match_any<uint32_t>;
  collective(d, 2);
}

}  // namespace

bool decode_control(Decoder& d) {
  Modifiers& m = *d.modifiers;
  const std::string& base = m.base();
  Instruction& out = *d.out;
  if (base == "bra") {
    m.take("uni");
    d.expect_operands(1);
    out.control = Control::branch;
    out.target = d.label(d.operand(0));
  } else if (base == "ret" || base == "exit") {
    m.take("uni");
    out.control = Control::exit;
  } else if (base == "bar" || base == "barrier") {
    decode_barrier(d);
  } else if (base == "shfl") {
    decode_shuffle(d);
  } else if (base == "vote") {
    decode_vote(d);
  } else if (base == "match") {
    decode_match(d);
  } else if (base == "activemask") {
    if (m.take_type() != Type::b32) d.unknown();
    d.write(d.operand(0), Type::b32);
    out.run = active_mask;
  } else if (base == "membar" || base == "fence") {
    const bool of_block = m.take("cta");
    for (const char* word : {"gl", "sys", "gpu", "acq_rel", "sc"}) m.take(word);
    out.control = Control::yield;
    out.run = of_block ? fence<false> : fence<true>;
  } else if (base == "nanosleep") {
    if (m.take_type() != Type::u32) d.unknown();
    d.read(d.operand(0), Type::u32);
    out.control = Control::yield;
    out.run = nothing;
  } else if (base == "trap") {
    out.run = trap;
  } else {
    return false;
  }
  return true;
}

}  // namespace ordo::ptx
