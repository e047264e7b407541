#include <ordo/kernels/accumulate/radix_sort_cpu.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include <ordo/engine/memory/memory.h>
#include <ordo/engine/run/parallel.h>

namespace ordo::kernels::cpu {

namespace {

constexpr int kDigitBits = 11;   // 2048 counters stay in the first-level cache
constexpr int64_t kSmall = 192;  // below, a comparison sort beats clearing counters
constexpr int64_t kSortGrain = 16 * 1024;

// One pass: counts every piece's digits, turns counts into positions (digit first, then piece: stable), moves.
template <class Entry>
bool radix_pass(const Entry* from, Entry* to, int64_t count, int shift, int bits, int pieces, int64_t* counters) {
  const int64_t digits = int64_t(1) << bits, mask = digits - 1;
  const auto digit = [=](const Entry& e) { return entry_destination(e) >> shift & mask; };
  for_pieces(pieces, [&](int piece) {
    int64_t* mine = counters + piece * digits;
    std::memset(mine, 0, size_t(digits) * sizeof(int64_t));
    const int64_t last = count * (piece + 1) / pieces;
    for (int64_t i = count * piece / pieces; i < last; ++i) ++mine[digit(from[i])];
  });
  int64_t position = 0;
  for (int64_t d = 0; d < digits; ++d) {
    const int64_t before = position;
    for (int p = 0; p < pieces; ++p) position += std::exchange(counters[p * digits + d], position);
    if (position - before == count) return false;  // one digit everywhere: nothing moves
  }
  for_pieces(pieces, [&](int piece) {
    int64_t* mine = counters + piece * digits;
    const int64_t last = count * (piece + 1) / pieces;
    for (int64_t i = count * piece / pieces; i < last; ++i) to[mine[digit(from[i])]++] = from[i];
  });
  return true;
}

}  // namespace

template <class Entry>
Entry* sort_by_destination(Entry* entries, Entry* spare, int64_t count, int bits) {
  if (count <= kSmall) {
    std::sort(entries, entries + count, EntryBefore());
    return entries;
  }
  const int passes = (bits + kDigitBits - 1) / kDigitBits;
  const int pieces = pieces_for(count, kSortGrain);
  for (int pass = 0, shift = 0; pass < passes; ++pass) {
    const int digit_bits = (bits - shift + passes - pass - 1) / (passes - pass);
    Scratch<int64_t> counters(int64_t(pieces) << digit_bits, Device());
    if (radix_pass(entries, spare, count, shift, digit_bits, pieces, counters.data())) std::swap(entries, spare);
    shift += digit_bits;
  }
  return entries;
}

template NarrowEntry* sort_by_destination(NarrowEntry*, NarrowEntry*, int64_t, int);
template WideEntry* sort_by_destination(WideEntry*, WideEntry*, int64_t, int);

}  // namespace ordo::kernels::cpu
