// Which accesses of a launch race: for the checkers of the emulator (checker.h) and of the PTX machine
// (simulators/ptx).
//
// Two accesses of different threads race when one writes, not both are atomic, and nothing orders them: a barrier
// within a block (__syncthreads), one within a warp (__syncwarp), and everywhere a fence, an atomic on a word, an
// atomic on the same word, and a fence. Shuffles and votes order nothing. So one launch without a race, and without an
// order-dependent atomic, has one result under every schedule.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

namespace ordo::cuda::races {

enum class Kind : uint8_t { none, read, write, atomic };

/// An access of a thread, and how far its block, warp and fences had come.
struct Access {
  uint32_t block = 0, epoch = 0, clock = 0, fences = 0;
  uint16_t thread = 0;
  Kind kind = Kind::none;
  uint8_t bytes = 0;  // which of the word's four
  const void* code = nullptr;
};

/// What each four bytes of memory remember of a launch.
class Shadow {
 public:
  /// Two reads are kept, because neither need be ordered before the other.
  struct Cell {
    Access write, read, other_read;
    uint64_t launch = 0;  // whose accesses these are
    uint8_t written = 0;  // which bytes somebody wrote
  };
  /// The cell of the word at address a (a multiple of four), empty at first in every launch.
  Cell& at(uintptr_t a, uint64_t launch);
  /// The cell as the last launch that used the word left it; null where none did.
  const Cell* last(uintptr_t a);
  void forget(const void* p, size_t bytes);
  /// Gives memory back when much was used.
  void trim();

 private:
  static constexpr uintptr_t kPageBits = 12;
  struct Page {
    Cell cells[(1 << kPageBits) / 4];
  };
  struct Recent {
    uintptr_t key = 0;
    Page* page = nullptr;
  };
  static uintptr_t index(uintptr_t a) { return (a & ((uintptr_t(1) << kPageBits) - 1)) / 4; }
  Page* find(uintptr_t key, bool make);

  std::unordered_map<uintptr_t, std::unique_ptr<Page>> pages_;
  std::array<Recent, 1024> recent_;
};

using Lanes = std::array<uint32_t, 32>;
struct Release;
using Releases = std::vector<std::shared_ptr<const Release>>;

/// How far the threads of a block have come.
class Block {
 public:
  void begin(uint32_t number, size_t threads);
  uint32_t number() const { return number_; }

 private:
  friend class Detector;
  struct Thread {
    uint32_t clock = 0;   // __syncwarps so far
    uint32_t fences = 0;  // so far
    Lanes seen{};         // clocks of the lanes of its warp that it has met
    std::shared_ptr<const Release> device_release, block_release;
    Releases pending, acquired;
  };
  uint32_t number_ = 0, epoch_ = 0;  // epoch: barriers so far
  std::vector<Thread> threads_;
  Releases acquired_;  // by threads that have since come to a barrier
};

class Detector {
 public:
  /// Of two accesses that race; or of a read of what nobody has written, then `before` is null.
  using Report = std::function<void(const Access* before, const Access& now)>;
  explicit Detector(Report report) : report_(std::move(report)) {}

  void begin_launch();
  /// Reports what can be judged only when a launch has ended.
  void end_launch();
  /// The word that is being reported.
  uintptr_t word() const { return word_; }
  /// All threads of the block have come to a barrier.
  void barrier(Block& block);
  /// The lanes of `mask` in the warp that begins with thread `first` have come to a __syncwarp.
  void warp_barrier(Block& block, unsigned first, unsigned mask);
  /// __threadfence, or __threadfence_block.
  void fence(Block& block, unsigned thread, bool whole_device);
  /// An atomic operation; `code` is its place in the program. A load does not write, a store does not read: only who
  /// writes makes visible what it did before its last fence, and only who reads can see it. A compare-and-swap checks
  /// what its thread has read of the word before: that read races with no atomic. What is read must have been written in
  /// this launch if `needs_writer`.
  struct Atomic {
    bool reads = true, writes = true, compares = false;
  };
  void atomic(Block& block, unsigned thread, const void* p, size_t bytes, const void* code, Atomic is,
              bool needs_writer);
  /// Any other access.
  void access(Block& block, unsigned thread, const void* p, size_t bytes, Kind kind, const void* code,
              bool needs_writer);
  /// Memory that begins anew.
  void forget(const void* p, size_t bytes) { shadow_.forget(p, bytes); }
  uint64_t accesses() const { return accesses_; }  // of this launch
  /// The place in the program that last wrote the word at p, if the last launch that used it wrote it; else null.
  const void* last_writer(const void* p);

 private:
  bool covers(const Releases& releases, const Access& a);
  bool ordered(const Access& a, const Block& block, unsigned thread);
  void check(Block& block, unsigned thread, const void* p, size_t bytes, Kind kind, bool reads, const void* code,
             bool needs_writer);

  /// A read and an atomic that race, unless the reader's compare-and-swap comes. One for each reader of a word.
  struct Guess {
    uintptr_t word;
    Access before, now;
    bool pardoned = false;
    const Access& read() const { return now.kind == Kind::read ? now : before; }
  };
  using Reader = std::array<uint64_t, 2>;  // word; block and thread
  struct ReaderHash {
    size_t operator()(const Reader& r) const {
      return size_t((r[0] ^ r[1] * 0x9e3779b97f4a7c15ull) * 0xbf58476d1ce4e5b9ull >> 20);
    }
  };
  static Reader reader(uintptr_t word, const Access& a) { return {word, uint64_t(a.block) << 16 | a.thread}; }
  void note_guess(const Guess& guess);
  void pardon(uintptr_t word, const Access& read);

  Report report_;
  Shadow shadow_;
  std::vector<Guess> guesses_;
  std::unordered_map<Reader, size_t, ReaderHash> guess_of_;
  uintptr_t word_ = 0;
  std::vector<const Release*> to_visit_;  // of covers()
  uint64_t launch_ = 0, visit_ = 0, accesses_ = 0;
  std::unordered_map<const void*, Releases> released_;
};

}  // namespace ordo::cuda::races
