// What executes kernels: warps of 32 lanes, each with a place of its own in the program; blocks of warps with shared
// memory and barriers; a grid of which some blocks at a time take turns, drawn from a seed.
//
// The lanes of a warp that stand at the same place go on together. Those that stand at the least place go first, so
// that what branches apart meets again; but lanes that go round and round give way, because they may be waiting for
// others. An instruction for several lanes (shfl.sync, vote.sync, ...) waits until all of its mask have come.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <ordo/simulators/emulator/races.h>
#include <ordo/simulators/emulator/turns.h>

#include "simulators/ptx/counts.h"
#include "simulators/ptx/memory.h"

namespace ordo::ptx {

inline constexpr int kLanes = 32;
using Mask = uint32_t;  // a bit for each lane
inline constexpr Mask kAll = ~Mask(0);

class Warp;
class Block;
struct Program;

/// What a kernel did that it must not. The text says which instruction, block and thread.
struct Fault : std::runtime_error {
  enum class Kind { illegal_address, misaligned_address, illegal_instruction, timeout, failure };
  Fault(Kind kind, const std::string& what) : std::runtime_error(what), kind(kind) {}
  Kind kind;
};

/// Addresses that are of no space: global ones are the host's; windows far from them show shared and local memory.
inline constexpr uint64_t kSharedWindow = uint64_t(0xA000) << 48, kLocalWindow = uint64_t(0xB000) << 48,
                          kWindowMask = uint64_t(0xffff) << 48;

/// Operands are lanes of numbers: of 8 bytes for types of 64 bits, of 4 for all others, which are in the low bits;
/// predicates are a Mask. A reference is where they begin in a warp's memory, or, with the highest bit, in the
/// program's constants.
using Reference = uint32_t;
inline constexpr Reference kConstant = Reference(1) << 31, kNowhere = kConstant - 1;

enum class Space : uint8_t { parameter, global, shared, local, generic };

struct Instruction {
  /// What the machine has to know to go on.
  enum class Control : uint8_t {
    plain,
    branch,  // to `target`
    exit,
    barrier,     // of the block; `run`, if there is one, reads what came of it
    collective,  // of lanes of the warp: operand `mask_operand` says which
    yield,       // plain, and a good moment for others to go on
  };
  using Run = void (*)(Warp&, const Instruction&, Mask);

  Run run = nullptr;
  Control control = Control::plain;
  bool guard_negated = false;
  uint8_t count = 0;   // of operands
  uint8_t vector = 1;  // elements of a load or store
  uint8_t mask_operand = 0;
  Space space = Space::generic;                             // of a load, a store or an atomic
  bool narrow = false;                                      // the address is in a register of 32 bits
  bool returns = false, packed = false;                     // of an atomic; packed: two halves in a register
  bool knows_before = false;                                // of an atomic: the kernel uses what was there before
  bool strong = false, acquires = false, releases = false;  // of a load or store; an atomic is always strong
  Work work = Work::integer;
  Reference guard = kNowhere;
  std::array<Reference, 8> operands{};
  int64_t offset = 0;  // of an address; or some other number
  uint32_t target = 0;
  uint32_t statement = 0;
  Run finish = nullptr;            // of a barrier: what is done when all have come
  mutable Memory::Piece recent{};  // where a load or store was last
  mutable uint64_t recent_at = 0;  // Memory::changes() then
};

/// A kernel, ready to run.
struct Program {
  std::string name;
  std::vector<Instruction> code;
  std::vector<std::string> texts;  // of the statements
  std::vector<int> lines;
  std::vector<uint8_t> constants;  // lanes of numbers
  struct Special {
    enum class Kind {
      tid,
      ntid,
      ctaid,
      nctaid,
      lane,
      warp,
      lanemask_lt,
      lanemask_le,
      lanemask_eq,
      lanemask_ge,
      lanemask_gt,
      clock
    } kind;
    int axis;
    Reference where;
  };
  std::vector<Special> specials;  // registers that are set before a warp begins
  size_t frame_bytes = 0, shared_bytes = 0, local_bytes = 0, parameter_bytes = 0;
  int most_threads = 0;
};

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t(x) * y * z; }
};

/// Who goes on when.
struct Schedule {
  using Order = cuda::emulator::Order;
  Order order = Order::random;
  uint64_t seed = 1;
};

/// Memory, schedule and counts: what launches share.
struct Device {
  Memory memory;
  Schedule schedule;
  Counts counts;
  std::unique_ptr<SectorCache> cache;  // second-level; null where what it has, and hot words, are not counted
  HotWords hot_words;
  std::unique_ptr<cuda::races::Detector> races;  // null: races are not looked for
  const Program* running = nullptr;
  uint64_t launched = 0;                    // since the schedule was restarted: every launch has another
  std::minstd_rand random;                  // which lane's atomic comes first
  uint64_t most_steps = uint64_t(1) << 33;  // of warps, in a launch; more is no progress
};

struct Launch {
  const Program* program;
  Dim3 grid, block;
  size_t dynamic_shared = 0;
  std::vector<uint8_t> parameters;
};

/// From now on a race is a fault.
void find_races(Device& device);

/// Runs a launch to its end. Throws Fault.
void run(Device& device, const Launch& launch);

/// Tells the detector of races of an access of shared or global memory.
void watch_shared(Warp& w, const Instruction& in, int lane, const void* p, size_t bytes, cuda::races::Kind kind,
                  bool compares = false);

// -- for operations -----------------------------------------------------------------------------------------------

template <class F>
[[gnu::always_inline]] inline void for_lanes(Mask mask, F f) {
  if (mask == kAll) {
    for (int lane = 0; lane < kLanes; ++lane) f(lane);
  } else {
    for (Mask rest = mask; rest; rest &= rest - 1) f(std::countr_zero(rest));
  }
}

/// A type's lanes.
template <class T>
struct Lanes {
  using Cell = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
  Cell* cells;
  T get(int lane) const {
    if constexpr (sizeof(T) == sizeof(Cell))
      return std::bit_cast<T>(cells[lane]);
    else if constexpr (sizeof(T) == 2)
      return std::bit_cast<T>(uint16_t(cells[lane]));
    else
      return std::bit_cast<T>(uint8_t(cells[lane]));
  }
  void set(int lane, T value) const {
    if constexpr (sizeof(T) == sizeof(Cell))
      cells[lane] = std::bit_cast<Cell>(value);
    else if constexpr (sizeof(T) == 2)
      cells[lane] = std::bit_cast<uint16_t>(value);
    else
      cells[lane] = std::bit_cast<uint8_t>(value);
  }
};

class Warp {
 public:
  Warp(Block& block, int number);

  template <class T>
  Lanes<T> lanes(Reference r) {
    return {reinterpret_cast<typename Lanes<T>::Cell*>(bases_[r >> 31] + (r & ~kConstant))};
  }
  Mask& predicate(Reference r) { return *reinterpret_cast<Mask*>(bases_[r >> 31] + (r & ~kConstant)); }
  Mask& carry() { return carry_; }

  Block& block() { return *block_; }
  int number() const { return number_; }
  /// Lanes that have not returned.
  Mask alive() const { return alive_; }
  uint8_t* local(int lane);

  /// Goes on for about so many instructions. False: nothing could.
  bool step(int64_t quantum);
  bool done() const { return alive_ == 0; }
  Mask at_barrier() const { return at_barrier_; }
  /// The lanes wait at a barrier of the block, by its number.
  void wait_at(const Instruction& in, Mask lanes);
  void leave_barrier();
  std::string where() const;
  [[noreturn]] void fail(Fault::Kind kind, const Instruction& in, int lane, const std::string& what) const;

 private:
  friend class Block;
  /// Whether there is a group that can run; chosen are those at the least place, or some others.
  bool choose(bool others);
  void stand(Mask lanes, uint32_t place);
  void find_limit();
  /// Of the lanes that wait at a collective instruction, those whose masks are all there.
  Mask ready(const Instruction& in, Mask here);
  bool run_ready();
  void arrive(const Instruction& in, Mask lanes);

  Block* block_;
  int number_;
  std::array<uint8_t*, 2> bases_;
  std::unique_ptr<uint8_t[]> frame_;
  std::vector<uint8_t> local_;
  std::array<uint32_t, kLanes> places_{};                     // of lanes that do not run just now
  int barrier_ = 0;                                           // at which lanes wait
  std::vector<std::pair<const Instruction*, Mask>> arrived_;  // there
  Mask alive_ = 0, at_barrier_ = 0, waiting_ = 0, carry_ = 0;
  // Those that run, where, and the next place at which others stand.
  Mask mask_ = 0;
  uint32_t place_ = 0, limit_ = ~uint32_t(0);
  int64_t turns_ = 0;     // backward branches while others stood elsewhere
  int64_t patience_ = 0;  // instructions for which a group that was chosen out of turn goes on
};

class Block {
 public:
  Block(Device& device, const Launch& launch, uint64_t index);

  Device& device() { return *device_; }
  const Launch& launch() const { return *launch_; }
  const Program& program() const { return *launch_->program; }
  uint8_t* shared() { return shared_.data(); }
  size_t shared_size() const { return shared_.size(); }
  /// Whether all of these bytes of shared memory have been written since the block began.
  bool is_written(uint64_t address, uint64_t bytes) const {
    return std::memchr(written_.data() + address, 0, bytes) == nullptr;
  }
  void set_written(uint64_t address, uint64_t bytes) { std::memset(written_.data() + address, 1, bytes); }
  Dim3 index() const { return index_; }
  cuda::races::Block& race_state() { return race_state_; }
  std::vector<Warp>& warps() { return warps_; }
  /// What the threads at a barrier have brought there (bar.red), and what came of it at the barrier before.
  struct Votes {
    uint32_t yes = 0, all = 0;
  };
  Votes votes, result;

  /// Lets those go who wait at a barrier for nobody else.
  bool release_barrier();
  bool done() const;

 private:
  Device* device_;
  const Launch* launch_;
  Dim3 index_;
  std::vector<uint8_t> shared_, written_;
  cuda::races::Block race_state_;
  std::vector<Warp> warps_;
};

}  // namespace ordo::ptx
