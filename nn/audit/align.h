// Events of two traces in little memory, and which belongs to which. Internal to nn.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <ordo/nn/audit/record.h>

namespace ordo::audit {

/// An event as hashes of 64 bits.
struct Entry {
  uint64_t key = 0;      ///< kind, name, path, node, direction
  uint64_t inputs = 0;   ///< bits of what went in; of a draw, the stream before it
  uint64_t outputs = 0;  ///< bits of what came out; of a draw, how many; of a summary, the hash
  int64_t step = 0;
  uint32_t shapes = 0, arguments = 0;
  uint32_t thread = 0;
  uint16_t depth = 0;
  uint8_t settings = 0;  ///< level and algorithm
  Record::Kind kind{};
  bool copies = false;  ///< `to`, which gave the bits that it got

  int algorithm() const { return settings & 15; }
  bool same_inputs(const Entry& b) const { return inputs == b.inputs && arguments == b.arguments; }
  bool same(const Entry& b) const { return same_inputs(b) && outputs == b.outputs && shapes == b.shapes; }
};
Entry entry_of(const Record& record);

inline constexpr uint32_t kNone = UINT32_MAX;

/// For each event its partner in the other trace, or kNone.
struct Pairs {
  std::vector<uint32_t> of_a, of_b;
};
Pairs align(std::span<const Entry> a, std::span<const Entry> b);

}  // namespace ordo::audit
