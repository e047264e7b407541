// What the machine counts: of a launch, of a kernel's launches, or of all.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ordo::ptx {

/// What an instruction is for.
enum class Work : uint8_t { integer, floating, division, long_division, conversion, memory, control };
inline constexpr std::array<std::string_view, 7> kWorkNames = {"integer",    "floating", "division", "long_division",
                                                               "conversion", "memory",   "control"};
/// Of an opcode with its modifiers. Divisions are also remainders, roots and reciprocals; long ones are those of 64-bit
/// integers, for which a GPU has no instruction.
Work work_of(std::string_view opcode);

/// Instructions and accesses are those of warps, where nothing else is said.
struct Counts {
  uint64_t launches = 0, instructions = 0 /* of threads */, warp_instructions = 0;
  std::array<uint64_t, kWorkNames.size()> work{};
  uint64_t global_loads = 0, global_stores = 0;
  uint64_t sectors = 0;       // of 32 bytes, that loads and stores of warps touch in global memory
  uint64_t dram_sectors = 0;  // that a second-level cache fetches, and those that it has to write back; 0 without one
  uint64_t shared_accesses = 0, bank_conflicts = 0;  // in shared memory, and the passes that these take besides
  uint64_t atomics = 0, float_atomics = 0;           // of threads
  uint64_t atomics_that_meet = 0;                    // beyond the first of a warp at an address
  // Of atomics in global memory, with a second-level cache: words and sectors of warps, and how often the word that was
  // changed most often in a launch was.
  uint64_t atomic_words = 0, atomic_sectors = 0, hottest_word = 0;
  uint64_t barriers = 0;

  /// f(name, count) of each.
  template <class F>
  void for_each(const F& f) const {
    f("launches", launches);
    f("thread_instructions", instructions);
    f("warp_instructions", warp_instructions);
    for (size_t w = 0; w < work.size(); ++w) f(kWorkNames[w], work[w]);
    f("global_loads", global_loads);
    f("global_stores", global_stores);
    f("sectors", sectors);
    f("dram_sectors", dram_sectors);
    f("shared_accesses", shared_accesses);
    f("bank_conflicts", bank_conflicts);
    f("atomics", atomics);
    f("float_atomics", float_atomics);
    f("atomics_that_meet", atomics_that_meet);
    f("atomic_words", atomic_words);
    f("atomic_sectors", atomic_sectors);
    f("hottest_word", hottest_word);
    f("barriers", barriers);
  }
};

inline Counts operator-(const Counts& after, const Counts& before) {
  using Numbers = std::array<uint64_t, sizeof(Counts) / sizeof(uint64_t)>;
  auto numbers = std::bit_cast<Numbers>(after);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] -= std::bit_cast<Numbers>(before)[i];
  return std::bit_cast<Counts>(numbers);
}
inline Counts operator+(const Counts& a, const Counts& b) { return a - (Counts() - b); }

/// A second-level cache of sectors: of each set, those that were used last stay.
class SectorCache {
 public:
  enum class Use { read, write, update };  // an update reads and writes: an atomic

  explicit SectorCache(size_t bytes);
  /// Sectors that go between the cache and DRAM for this: one that is read and not here, and one that is to be written
  /// back, which is counted when it is changed first. A store is taken to write all of its sector, in the end.
  uint64_t use(uint64_t sector, Use how);

 private:
  static constexpr size_t kWays = 16;
  static constexpr uint64_t kChanged = uint64_t(1) << 63;  // beside a sector's number
  using Set = std::array<uint64_t, kWays>;                 // the latest first; 0: none
  std::vector<Set> sets_;
};

/// How often each word was changed by atomics in a launch.
class HotWords {
 public:
  void add(uint64_t address) { most_ = std::max(most_, ++changes_[address]); }
  /// Of the word that was changed most often, since the last call.
  uint64_t take() {
    changes_.clear();
    return std::exchange(most_, 0);
  }

 private:
  std::unordered_map<uint64_t, uint64_t> changes_;
  uint64_t most_ = 0;
};

/// Passes in which a warp's access of shared memory is done: 32 banks of four bytes give a word each.
class BankPasses {
 public:
  void add(uint64_t address, uint64_t bytes) {
    bytes_ = bytes;
    addresses_[count_++] = address;
  }
  /// Beyond those that the size of the access takes anyway.
  uint64_t conflicts() const;

 private:
  uint64_t bytes_ = 4;
  size_t count_ = 0;
  std::array<uint64_t, 32> addresses_{};
};

}  // namespace ordo::ptx
