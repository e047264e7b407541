// The device's memory: pieces of the host's, known by their addresses, with a margin around each, and of each byte
// whether anybody has written it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>

namespace ordo::ptx {

class Memory {
 public:
  struct Piece {
    uint64_t begin = 0, size = 0;
    bool freed = false, pinned = false;  // pinned: the host's
    uint8_t* written = nullptr;          // of every byte: 1, or 0 before it is written; null: all are
    bool holds(uint64_t address, uint64_t bytes) const {
      return address - begin <= size && bytes <= size - (address - begin);
    }
    bool is_written(uint64_t address, uint64_t bytes) const {
      return !written || !std::memchr(written + (address - begin), 0, bytes);
    }
    void set_written(uint64_t address, uint64_t bytes) const {
      if (written) std::memset(written + (address - begin), 1, bytes);
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
  /// As memmove. Bytes that nobody has written are copied as such.
  void copy(void* to, const void* from, size_t bytes);
  void set_written(const void* data, size_t bytes);

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
