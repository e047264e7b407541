// Loads, stores and atomics. Every address is looked up: outside of memory, freed, or not a multiple of what is read
// or written, and the kernel stops.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <type_traits>

#include <fmt/format.h>

#include "simulators/ptx/half.h"
#include "simulators/ptx/lanes.h"

namespace ordo::ptx {
namespace {

[[noreturn, gnu::cold]] void fail_address(Warp& w, const Instruction& in, int lane, const char* space, uint64_t address,
                                          uint64_t bytes) {
  w.fail(Fault::Kind::illegal_address, in, lane,
         fmt::format("{} bytes at {:#x}, which is outside of {} memory", bytes, address, space));
}

[[noreturn, gnu::cold]] void fail_unwritten(Warp& w, const Instruction& in, int lane, const char* space,
                                            uint64_t address, uint64_t bytes) {
  w.fail(Fault::Kind::failure, in, lane,
         fmt::format("{} bytes at {:#x} of {} memory, which nobody has written", bytes, address, space));
}

[[gnu::noinline]] void look_up(Warp& w, const Instruction& in, int lane, uint64_t address, uint64_t bytes) {
  const Memory& memory = w.block().device().memory;
  const Memory::Piece* piece = memory.find(address);
  if (!piece) fail_address(w, in, lane, "the device's", address, bytes);
  if (piece->freed)
    w.fail(Fault::Kind::illegal_address, in, lane,
           fmt::format("{} bytes at {:#x}: byte {} of {} that have been freed", bytes, address, address - piece->begin,
                       piece->size));
  if (!piece->holds(address, bytes))
    w.fail(Fault::Kind::illegal_address, in, lane,
           fmt::format("{} bytes at {:#x}: byte {} and on of {}", bytes, address, address - piece->begin, piece->size));
  in.recent = *piece;
  in.recent_at = memory.changes();
}

using cuda::races::Kind;

enum class Access { read, write, change };

template <Space space, Access access>
uint8_t* resolve(Warp& w, const Instruction& in, int lane, uint64_t address, uint64_t bytes) {
  if (address % bytes != 0)
    w.fail(Fault::Kind::misaligned_address, in, lane,
           fmt::format("{} bytes at {:#x}, which is not a multiple of that", bytes, address));
  if constexpr (space == Space::generic) {
    if ((address & kWindowMask) == kSharedWindow)
      return resolve<Space::shared, access>(w, in, lane, address - kSharedWindow, bytes);
    if ((address & kWindowMask) == kLocalWindow)
      return resolve<Space::local, access>(w, in, lane, address - kLocalWindow, bytes);
    return resolve<Space::global, access>(w, in, lane, address, bytes);
  } else if constexpr (space == Space::shared) {
    const uint64_t size = w.block().shared_size();
    if (address > size || bytes > size - address) fail_address(w, in, lane, "shared", address, bytes);
    if constexpr (access != Access::write)
      if (!w.block().is_written(address, bytes)) fail_unwritten(w, in, lane, "shared", address, bytes);
    if constexpr (access == Access::write) w.block().set_written(address, bytes);
    return w.block().shared() + address;
  } else if constexpr (space == Space::local) {
    const uint64_t size = w.block().program().local_bytes;
    if (address > size || bytes > size - address) fail_address(w, in, lane, "local", address, bytes);
    return w.local(lane) + address;
  } else if constexpr (space == Space::parameter) {
    const auto& parameters = w.block().launch().parameters;
    if (address > parameters.size() || bytes > parameters.size() - address)
      fail_address(w, in, lane, "parameter", address, bytes);
    return const_cast<uint8_t*>(parameters.data()) + address;
  } else {
    if (in.recent_at != w.block().device().memory.changes() || !in.recent.holds(address, bytes)) [[unlikely]]
      look_up(w, in, lane, address, bytes);
    if constexpr (access != Access::write)
      if (!in.recent.is_written(address, bytes)) fail_unwritten(w, in, lane, "global", address, bytes);
    if constexpr (access == Access::write) in.recent.set_written(address, bytes);
    return reinterpret_cast<uint8_t*>(address);
  }
}

/// Address registers have 32 bits or 64.
uint64_t address_of(Warp& w, const Instruction& in, size_t operand, int lane) {
  const Reference r = in.operands[operand];
  return (in.narrow ? w.lanes<uint32_t>(r).get(lane) : w.lanes<uint64_t>(r).get(lane)) + uint64_t(in.offset);
}

/// What a warp's load or store costs, by the addresses of its lanes. A generic one may be of either memory.
template <Space space>
class Touched {
 public:
  void add(uint64_t address, uint64_t bytes) {
    if constexpr (space == Space::generic)
      if ((address & kWindowMask) != 0) {
        if ((address & kWindowMask) == kSharedWindow) banks_.add(address - kSharedWindow, bytes), is_shared_ = true;
        return;
      }
    if constexpr (space == Space::shared) banks_.add(address, bytes), is_shared_ = true;
    if constexpr (space == Space::global || space == Space::generic)
      for (uint64_t s = address / 32; s <= (address + bytes - 1) / 32; ++s) {
        if (count_ > 0 && sectors_[count_ - 1] == s) continue;
        if (count_ < sectors_.size()) sectors_[count_++] = s;
      }
  }
  void count(Device& device, uint64_t Counts::*accesses, SectorCache::Use how) {
    if (is_shared_) {
      ++device.counts.shared_accesses;
      device.counts.bank_conflicts += banks_.conflicts();
    }
    if (count_ == 0) return;
    const auto begin = sectors_.begin(), end = begin + std::ptrdiff_t(count_);
    std::sort(begin, end);
    const auto last = std::unique(begin, end);
    ++(device.counts.*accesses);
    device.counts.sectors += uint64_t(last - begin);
    if (device.cache)
      for (auto s = begin; s != last; ++s) device.counts.dram_sectors += device.cache->use(*s, how);
  }

 private:
  std::array<uint64_t, 256> sectors_;
  size_t count_ = 0;
  BankPasses banks_;
  bool is_shared_ = false;
};

/// Tells the detector of races. Of local memory there is nothing to tell.
void watch(Warp& w, const Instruction& in, int lane, uint64_t address, const void* p, size_t bytes, Kind kind,
           bool compares = false) {
  if (in.space == Space::parameter || in.space == Space::local) return;
  if (in.space == Space::generic && (address & kWindowMask) == kLocalWindow) return;
  watch_shared(w, in, lane, p, bytes, kind, compares);
}

/// Memory holds T, registers Cell: integers are extended by their sign, if they have one.
template <Space space, class T, class Cell>
void load(Warp& w, const Instruction& in, Mask m) {
  const size_t vector = in.vector, bytes = sizeof(T) * vector;
  Touched<space> touched;
  for_lanes(m, [&](int l) {
    const uint64_t address = address_of(w, in, vector, l);
    const uint8_t* from = resolve<space, Access::read>(w, in, l, address, bytes);
    if (w.block().device().races) watch(w, in, l, address, from, bytes, Kind::read);
    touched.add(address, bytes);
    for (size_t i = 0; i < vector; ++i) {
      T v;
      std::memcpy(&v, from + i * sizeof(T), sizeof(T));
      w.lanes<Cell>(in.operands[i]).set(l, Cell(v));
    }
  });
  touched.count(w.block().device(), &Counts::global_loads, SectorCache::Use::read);
}
template <Space space, class T, class Cell>
void store(Warp& w, const Instruction& in, Mask m) {
  const size_t vector = in.vector, bytes = sizeof(T) * vector;
  Touched<space> touched;
  for_lanes(m, [&](int l) {
    const uint64_t address = address_of(w, in, 0, l);
    uint8_t* to = resolve<space, Access::write>(w, in, l, address, bytes);
    if (w.block().device().races) watch(w, in, l, address, to, bytes, Kind::write);
    touched.add(address, bytes);
    for (size_t i = 0; i < vector; ++i) {
      const T v = T(w.lanes<Cell>(in.operands[1 + i]).get(l));
      std::memcpy(to + i * sizeof(T), &v, sizeof(T));
    }
  });
  touched.count(w.block().device(), &Counts::global_stores, SectorCache::Use::write);
}

// -- atomics ------------------------------------------------------------------------------------------------------

/// Additions of floats in global memory take subnormal numbers for zeros (PTX ISA, atom); in shared memory they do not.
template <bool kFlushes>
struct AtomicAdd {
  static float flushed(float v) { return kFlushes && std::fpclassify(v) == FP_SUBNORMAL ? std::copysign(0.0f, v) : v; }
  template <class T>
  T operator()(T old, T b) const {
    if constexpr (std::is_same_v<T, float>) {
      const float r = flushed(flushed(old) + flushed(b));
      return r == r ? r : std::bit_cast<float>(0x7fffffffu);
    } else if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>) {
      return T::from(float(double(float(old)) + double(float(b))));
    } else {
      return T(old + b);
    }
  }
};
struct AtomicExchange {
  template <class T>
  T operator()(T, T b) const {
    return b;
  }
};
struct AtomicCompare {
  template <class T>
  T operator()(T old, T b, T c) const {
    return old == b ? c : old;
  }
};

uint8_t* resolve_changed(Warp& w, const Instruction& in, int lane, uint64_t address, uint64_t bytes) {
  if (in.space == Space::shared) return resolve<Space::shared, Access::change>(w, in, lane, address, bytes);
  if (in.space == Space::global) return resolve<Space::global, Access::change>(w, in, lane, address, bytes);
  return resolve<Space::generic, Access::change>(w, in, lane, address, bytes);
}

// Operands: [d], address, values of b (vector * packed of them), c.
template <class T, class F>
void atomic(Warp& w, const Instruction& in, Mask m) {
  constexpr bool kHalf = sizeof(T) == 2;
  const size_t vector = in.vector, parts = kHalf && in.packed ? 2 : 1, first = in.returns ? 1 : 0;
  const size_t bytes = sizeof(T) * vector * parts;
  Device& device = w.block().device();
  device.counts.atomics += uint64_t(std::popcount(m));
  // Who uses what was there before knows what the addition rounds away (engine/cuda/atomics.h, fetch_add).
  if (!std::is_integral_v<T> && !(std::is_same_v<T, double> && in.knows_before))
    device.counts.float_atomics += uint64_t(std::popcount(m));
  // Whose comes first is open: the lanes begin anywhere.
  const int begin = device.schedule.order == Schedule::Order::random    ? int(device.random() % kLanes)
                    : device.schedule.order == Schedule::Order::reverse ? kLanes - 1
                                                                        : 0;
  const int direction = device.schedule.order == Schedule::Order::reverse ? kLanes - 1 : 1;
  std::array<uint64_t, kLanes> met;
  size_t places = 0;
  for (int k = 0, l = begin; k < kLanes; ++k, l = (l + direction) % kLanes) {
    if ((m >> l & 1) == 0) continue;
    const uint64_t address = address_of(w, in, first, l);
    const auto end = met.begin() + std::ptrdiff_t(places);
    if (std::find(met.begin(), end, address) == end) met[places++] = address;
    if (in.space != Space::shared && device.cache && (address & kWindowMask) == 0) {
      device.counts.dram_sectors += device.cache->use(address / 32, SectorCache::Use::update);
      device.hot_words.add(address);
      ++device.counts.atomic_words;
      const auto sector = std::find_if(met.begin(), end, [&](uint64_t a) { return a / 32 == address / 32; });
      device.counts.atomic_sectors += sector == end;
    }
    uint8_t* const at = resolve_changed(w, in, l, address, bytes);
    if (device.races) watch(w, in, l, address, at, bytes, Kind::atomic, std::is_same_v<F, AtomicCompare>);
    for (size_t i = 0; i < vector; ++i) {
      for (size_t part = 0; part < parts; ++part) {
        uint8_t* const here = at + (i * parts + part) * sizeof(T);
        T old, b, result;
        std::memcpy(&old, here, sizeof(T));
        const Reference value = in.operands[first + 1 + i];
        if constexpr (kHalf) {
          b = parts == 1 ? w.lanes<T>(value).get(l)
                         : std::bit_cast<T>(uint16_t(w.lanes<uint32_t>(value).get(l) >> 16 * part));
        } else {
          b = w.lanes<T>(value).get(l);
        }
        if constexpr (std::is_same_v<F, AtomicCompare>)
          result = F()(old, b, w.lanes<T>(in.operands[first + 2]).get(l));
        else
          result = F()(old, b);
        std::memcpy(here, &result, sizeof(T));
        if (in.returns) w.lanes<T>(in.operands[0]).set(l, old);
      }
    }
  }
  const uint64_t meet = uint64_t(std::popcount(m)) - places;
  device.counts.atomics_that_meet += meet;
  if (places > 0 && (in.space == Space::shared || (met[0] & kWindowMask) == kSharedWindow)) {
    ++device.counts.shared_accesses;  // those that meet, one after the other
    device.counts.bank_conflicts += meet;
  }
}

// -- which one ----------------------------------------------------------------------------------------------------

/// What says only who sees it when: the machine's memory is sequentially consistent, but races are found by it.
void take_order(Decoder& d) {
  Modifiers& m = *d.modifiers;
  const bool both = m.take("acq_rel");
  d.out->acquires = m.take("acquire") || both;
  d.out->releases = m.take("release") || both;
  const bool is_volatile = m.take("volatile"), relaxed = m.take("relaxed");
  d.out->strong = is_volatile || relaxed || d.out->acquires || d.out->releases;
  for (const char* word : {"weak", "gpu", "cta", "sys", "nc", "ca", "cg", "cs", "lu", "cv", "wb", "wt", "unified"})
    m.take(word);
}

Space take_space(Modifiers& m) {
  if (m.take("global")) return Space::global;
  if (m.take("shared") || m.take("shared::cta")) return Space::shared;
  if (m.take("local")) return Space::local;
  if (m.take("param")) return Space::parameter;
  return Space::generic;
}

template <class F>
void with_space(Space space, const F& f) {
  switch (space) {
    case Space::parameter:
      return f(std::integral_constant<Space, Space::parameter>());
    case Space::global:
      return f(std::integral_constant<Space, Space::global>());
    case Space::shared:
      return f(std::integral_constant<Space, Space::shared>());
    case Space::local:
      return f(std::integral_constant<Space, Space::local>());
    case Space::generic:
      return f(std::integral_constant<Space, Space::generic>());
  }
}

template <class F>
void with_stored(Decoder& d, Type type, const F& f) {
  if (type == Type::s8) return f(int8_t());
  if (type == Type::s16) return f(int16_t());
  if (type == Type::s32) return f(int32_t());
  if (bits_of(type) == 8) return f(uint8_t());
  with_bits(d, type, f);
}

size_t take_vector(Modifiers& m) { return m.take("v2") ? 2 : m.take("v4") ? 4 : 1; }

std::span<const Operand> elements(Decoder& d, const Operand& o, size_t vector) {
  if (vector == 1 && o.kind != Operand::Kind::vector) return {&o, 1};
  if (o.kind != Operand::Kind::vector || o.elements.size() != vector) d.unknown("a vector of another length");
  return o.elements;
}

Type cell_type(int bits) { return bits == 64 ? Type::b64 : Type::b32; }

void decode_load(Decoder& d, bool stores) {
  Modifiers& m = *d.modifiers;
  take_order(d);
  const Space space = take_space(m);
  const size_t vector = take_vector(m);
  const Type type = m.take_type();
  d.expect_operands(2);
  d.out->vector = uint8_t(vector);
  const auto registers = elements(d, d.operand(stores ? 1 : 0), vector);
  int cell = stores && registers[0].kind == Operand::Kind::number ? (bits_of(type) == 64 ? 64 : 32) : 0;
  for (const Operand& o : registers)
    if (o.kind == Operand::Kind::name) cell = std::max(cell, d.cell_bits(o));
  if (cell == 0) cell = bits_of(type) == 64 ? 64 : 32;
  if (cell < bits_of(type)) d.unknown("a register that is too narrow");
  d.out->space = space;
  const auto address = [&] { d.out->narrow = d.address(d.operand(stores ? 0 : 1)) == "narrow"; };
  if (stores) {
    address();
    for (const Operand& o : registers) d.read(o, cell_type(cell));
  } else {
    for (const Operand& o : registers) d.write(o, cell_type(cell));
    address();
  }
  with_space(space, [&]<Space s>(std::integral_constant<Space, s>) {
    with_stored(d, type, [&]<class T>(T) {
      const auto set = [&]<class Cell>(Cell) {
        if constexpr (sizeof(T) <= sizeof(Cell)) d.out->run = stores ? store<s, T, Cell> : load<s, T, Cell>;
      };
      if (cell == 64)
        set(uint64_t());
      else
        set(uint32_t());
    });
  });
}

template <class F>
void with_atomic_type(Decoder& d, Type type, const F& f) {
  switch (type) {
    case Type::b32:
    case Type::u32:
      return f(uint32_t());
    case Type::s32:
      return f(int32_t());
    case Type::b64:
    case Type::u64:
      return f(uint64_t());
    case Type::s64:
      return f(int64_t());
    case Type::f32:
      return f(float());
    case Type::f64:
      return f(double());
    case Type::f16:
    case Type::f16x2:
      return f(Float16());
    case Type::bf16:
    case Type::bf16x2:
      return f(BFloat16());
    default:
      d.unknown("it has no such type");
  }
}

void decode_atomic(Decoder& d, bool returns) {
  Modifiers& m = *d.modifiers;
  take_order(d);
  const Space space = take_space(m);
  if (space == Space::local || space == Space::parameter) d.unknown();
  const size_t vector = take_vector(m);
  std::string operation;
  for (const char* name : {"add", "exch", "cas", "min", "max", "and", "or", "xor"})
    if (m.take(name)) operation = name;
  m.take("noftz");
  const Type type = m.take_type();
  const bool compares = operation == "cas", packed = type == Type::f16x2 || type == Type::bf16x2;
  if (returns && (vector > 1 || packed)) d.unknown();
  d.expect_operands(size_t(2 + returns + compares));
  d.out->vector = uint8_t(vector);
  d.out->control = Instruction::Control::yield;
  size_t at = 0;
  if (returns) {
    d.out->knows_before = d.is_used(d.operand(at));
    d.write(d.operand(at++), type);
  }
  d.out->space = space;
  d.out->returns = returns;
  d.out->packed = packed;
  d.out->narrow = d.address(d.operand(at++)) == "narrow";
  for (const Operand& o : elements(d, d.operand(at++), vector)) d.read(o, type);
  if (compares) d.read(d.operand(at++), type);
  with_atomic_type(d, type, [&]<class T>(T) {
    if (operation == "add") {
      d.out->run = space == Space::shared ? atomic<T, AtomicAdd<false>> : atomic<T, AtomicAdd<true>>;
      return;
    }
    if constexpr (sizeof(T) > 2) {
      if (operation == "exch") d.out->run = atomic<T, AtomicExchange>;
      if (operation == "cas") d.out->run = atomic<T, AtomicCompare>;
    }
    if constexpr (std::is_integral_v<T>) {
      if (operation == "min") d.out->run = atomic<T, Extreme<false>>;
      if (operation == "max") d.out->run = atomic<T, Extreme<true>>;
      if (operation == "and") d.out->run = atomic<T, std::bit_and<T>>;
      if (operation == "or") d.out->run = atomic<T, std::bit_or<T>>;
      if (operation == "xor") d.out->run = atomic<T, std::bit_xor<T>>;
    }
  });
  if (!d.out->run) d.unknown();
}

}  // namespace

bool decode_memory(Decoder& d) {
  const std::string& base = d.modifiers->base();
  if (base == "ld")
    decode_load(d, false);
  else if (base == "st")
    decode_load(d, true);
  else if (base == "atom")
    decode_atomic(d, true);
  else if (base == "red")
    decode_atomic(d, false);
  else
    return false;
  return true;
}

}  // namespace ordo::ptx
