// The device's memory: pieces of the host's, known by their addresses, with a margin around each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>

namespace ordo::ptx {

class Memory {
 public:
  struct Piece {
    uint64_t begin = 0, size = 0;
    bool freed = false, pinned = false;  // pinned: the host's
    bool holds(uint64_t address, uint64_t bytes) const {
      return address - begin <= size && bytes <= size - (address - begin);
    }
  };

  ~Memory();
  /// Filled with a pattern that is no sensible number. Null when there is no more.
  void* allocate(size_t bytes);
  /// False: that is not the beginning of a piece in use. What was freed lately is kept, and not given out again, so
  /// that its use is noticed.
  bool free(void* data);
  /// Memory of the program that kernels may use, such as pinned memory.
  void add(void* data, size_t bytes);
  bool remove(void* data);
  /// The piece that an address is in or just behind; null: none.
  const Piece* find(uint64_t address) const;

  size_t in_use() const { return in_use_; }
  /// How often what find() says may have become wrong.
  uint64_t changes() const { return changes_; }
  static constexpr size_t kTotal = size_t(16) << 30;  // what the device says it has

 private:
  void release_oldest();

  std::map<uint64_t, Piece> pieces_;
  std::deque<uint64_t> freed_;
  size_t in_use_ = 0, kept_ = 0;
  uint64_t changes_ = 1;
};

}  // namespace ordo::ptx
