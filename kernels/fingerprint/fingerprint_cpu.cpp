#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>

#include <ordo/engine/dispatch_word.h>
#include <ordo/engine/parallel.h>
#include <ordo/kernels/fingerprint/mix.h>

namespace ordo::kernels::cpu {
namespace {

constexpr int64_t kGrain = 64, kStridedGrain = 16;  // blocks
constexpr int64_t kSquare = 4, kSome = 16;          // elements
constexpr int64_t kTransposedBytes = 64 << 10;      // of rows that are read together

template <int lane>
constexpr std::array<uint64_t, kFingerprintWords> keys_of() {
  std::array<uint64_t, kFingerprintWords> keys{};
  for (int j = 0; j < kFingerprintWords; ++j) keys[size_t(j)] = word_key(lane, j);
  return keys;
}
alignas(64) constexpr std::array<uint64_t, kFingerprintWords> kKeys[2] = {keys_of<0>(), keys_of<1>()};

void add_block(const unsigned char* bytes, int64_t block, Fingerprint& sum) {
  uint64_t a = 0, b = 0;
  for (size_t j = 0; j < kFingerprintWords; ++j) {
    uint64_t word;
    std::memcpy(&word, bytes + 8 * j, 8);
    a += word_term(word, kKeys[0][j]);
    b += word_term(word, kKeys[1][j]);
  }
  sum.low += block_low(a, b, block);
  sum.high += block_high(a, b, block);
}

Fingerprint of_contiguous(const FingerprintArgs& args, int64_t first, int64_t last) {
  const auto* bytes = static_cast<const unsigned char*>(args.data);
  const int64_t whole = args.bytes() / kFingerprintBytes;
  Fingerprint sum;
  for (int64_t block = first; block < std::min(last, whole); ++block)
    add_block(bytes + block * kFingerprintBytes, block, sum);
  if (last > whole) {
    unsigned char rest[kFingerprintBytes] = {};
    std::memcpy(rest, bytes + whole * kFingerprintBytes, size_t(args.bytes() - whole * kFingerprintBytes));
    add_block(rest, whole, sum);
  }
  return sum;
}

/// Brings a block's elements together, then does the same.
template <class Word>
Fingerprint of_strided(const FingerprintArgs& args, int64_t first, int64_t last) {
  constexpr int64_t kElements = kFingerprintBytes / int64_t(sizeof(Word));
  const Layout<1>& l = args.layout;
  const Word* data = static_cast<const Word*>(args.data);
  Fingerprint sum;
  for (int64_t block = first; block < last; ++block) {
    Word elements[kElements] = {};
    Word* to = elements;
    for_rows(l, block * kElements, std::min(l.numel, (block + 1) * kElements), [&](const int64_t(&at)[1], int64_t n) {
      const int64_t stride = l.strides[0][0];
      const Word* from = data + at[0];
      for (int64_t i = 0; i < n; ++i) *to++ = from[i * stride];
    });
    add_block(reinterpret_cast<const unsigned char*>(elements), block, sum);
  }
  return sum;
}

/// to[r, c] = from[c, r] for four rows and columns.
template <class Word>
void transpose_square(Word* to, int64_t to_stride, const Word* from, int64_t from_stride) {
  for (int64_t r = 0; r < kSquare; ++r)
    for (int64_t c = 0; c < kSquare; ++c) to[r * to_stride + c] = from[c * from_stride + r];
}
template <>
void transpose_square(uint32_t* to, int64_t to_stride, const uint32_t* from, int64_t from_stride) {
  using Four [[gnu::vector_size(16)]] = uint32_t;
  Four in[kSquare];
  for (int64_t c = 0; c < kSquare; ++c) std::memcpy(&in[c], from + c * from_stride, sizeof(Four));
  const Four low01 = __builtin_shufflevector(in[0], in[1], 0, 4, 1, 5),
             low23 = __builtin_shufflevector(in[2], in[3], 0, 4, 1, 5),
             high01 = __builtin_shufflevector(in[0], in[1], 2, 6, 3, 7),
             high23 = __builtin_shufflevector(in[2], in[3], 2, 6, 3, 7);
  const Four out[kSquare] = {
      __builtin_shufflevector(low01, low23, 0, 1, 4, 5), __builtin_shufflevector(low01, low23, 2, 3, 6, 7),
      __builtin_shufflevector(high01, high23, 0, 1, 4, 5), __builtin_shufflevector(high01, high23, 2, 3, 6, 7)};
  for (int64_t r = 0; r < kSquare; ++r) std::memcpy(to + r * to_stride, &out[r], sizeof(Four));
}

/// Brings some rows together, which lie in the same lines of the cache, then does the same.
template <class Word>
Fingerprint of_transposed(const FingerprintArgs& args, int64_t first, int64_t last) {
  constexpr int64_t kElements = kFingerprintBytes / int64_t(sizeof(Word));
  constexpr int64_t kLine = 64 / int64_t(sizeof(Word));
  const Layout<1>& l = args.layout;
  const int64_t columns = l.sizes[0], rows = l.sizes[1], stride = l.strides[0][0];
  const int64_t most = std::min<int64_t>(kLine, kTransposedBytes / int64_t(sizeof(Word)) / columns);  // rows
  alignas(64) Word elements[kTransposedBytes / sizeof(Word) + kElements];
  int64_t at = first * kElements, held = 0, block = first;
  const int64_t end = std::min(l.numel, last * kElements);
  Fingerprint sum;
  while (at < end) {
    const int64_t row = at / columns % rows, column = at % columns;
    int64_t offset[1];
    offsets_at(l, at, offset);
    const Word* from = static_cast<const Word*>(args.data) + offset[0];
    Word* to = elements + held;
    if (column != 0 || end - at < columns) {  // a part of a row
      const int64_t n = std::min(columns - column, end - at);
      for (int64_t c = 0; c < n; ++c) to[c] = from[c * stride];
      at += n, held += n;
    } else {
      const int64_t n = std::min({most - row % most, rows - row, (end - at) / columns});
      const int64_t square_rows = n / kSquare * kSquare, square_columns = columns / kSquare * kSquare;
      for (int64_t some = 0; some < square_columns; some += kSome)  // whose lines stay in the cache
        for (int64_t r = 0; r < square_rows; r += kSquare)
          for (int64_t c = some; c < std::min(some + kSome, square_columns); c += kSquare)
            transpose_square(to + r * columns + c, columns, from + c * stride + r, stride);
      for (int64_t r = 0; r < n; ++r)
        for (int64_t c = r < square_rows ? square_columns : 0; c < columns; ++c)
          to[r * columns + c] = from[c * stride + r];
      at += n * columns, held += n * columns;
    }
    int64_t done = 0;
    for (; held - done >= kElements; done += kElements)
      add_block(reinterpret_cast<const unsigned char*>(elements + done), block++, sum);
    held -= done;
    std::memmove(elements, elements + done, size_t(held) * sizeof(Word));
  }
  if (held > 0) {
    std::fill_n(elements + held, kElements - held, Word(0));
    add_block(reinterpret_cast<const unsigned char*>(elements), block, sum);
  }
  return sum;
}

Fingerprint of_blocks(const FingerprintArgs& args, int64_t first, int64_t last) {
  if (args.contiguous()) return of_contiguous(args, first, last);
  return dispatch_word(args.element_size, [&]<class Word>() {
    return is_transposed(args) ? of_transposed<Word>(args, first, last) : of_strided<Word>(args, first, last);
  });
}

}  // namespace

bool is_transposed(const FingerprintArgs& args) {
  const Layout<1>& l = args.layout;
  return l.rank > 1 && l.strides[0][0] != 1 && l.strides[0][1] == 1 &&
         l.sizes[0] * kSquare * int64_t(args.element_size) <= kTransposedBytes;
}

void fingerprints(const FingerprintArgs* args, int64_t count, Fingerprint* out) {
  for (int64_t k = 0; k < count; ++k) {
    std::atomic<uint64_t> low = 0, high = 0;
    const int64_t grain = args[k].contiguous() || is_transposed(args[k]) ? kGrain : kStridedGrain;
    parallel_for(0, args[k].blocks(), grain, [&](int64_t first, int64_t last) {
      const Fingerprint part = of_blocks(args[k], first, last);
      low.fetch_add(part.low, std::memory_order_relaxed);
      high.fetch_add(part.high, std::memory_order_relaxed);
    });
    out[k] = {high, low};
  }
}

}  // namespace ordo::kernels::cpu
