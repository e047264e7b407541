#include "tools/ptx/fat_binary.h"

#include <cstdint>
#include <cstring>
#include <stdexcept>

#include <zstd.h>

namespace ordo::ptx {
namespace {

// The layout as cuobjdump shows it; the same as tests/ptx/fatbin.py reads.
struct Header {
  uint32_t magic;
  uint16_t version, bytes;
  uint64_t size;
};
struct Entry {
  uint16_t kind, version;
  uint32_t bytes;
  uint64_t stored;
  uint32_t unknown[3], architecture;
  uint64_t source, flags, unknown2, size;
};
static_assert(sizeof(Header) == 16 && sizeof(Entry) == 64);
constexpr uint32_t kMagic = 0xba55ed50;
constexpr uint16_t kPtx = 1;
constexpr uint64_t kZstd = 0x8000, kOtherCompression = 0x7000;

template <class T>
T read(const uint8_t* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

}  // namespace

std::vector<PtxText> ptx_of(const void* data) {
  const auto* at = static_cast<const uint8_t*>(data);
  const auto header = read<Header>(at);
  if (header.magic != kMagic) throw std::runtime_error("no fat binary");
  std::vector<PtxText> texts;
  at += header.bytes;
  for (const uint8_t* const end = at + header.size; at + sizeof(Entry) <= end;) {
    const auto entry = read<Entry>(at);
    const auto* content = reinterpret_cast<const char*>(at + entry.bytes);
    at += entry.bytes + entry.stored;
    if (entry.kind != kPtx) continue;
    std::string text(content, entry.stored);
    if (entry.flags & kOtherCompression) throw std::runtime_error("PTX that is compressed in an unknown way");
    if (entry.flags & kZstd) {
      text.resize(entry.size);
      const size_t frame = ZSTD_findFrameCompressedSize(content, entry.stored);  // padding follows
      if (ZSTD_isError(frame) || ZSTD_decompress(text.data(), text.size(), content, frame) != entry.size)
        throw std::runtime_error("PTX that does not decompress");
    }
    text.resize(std::strlen(text.c_str()));
    texts.push_back({int(entry.architecture), std::move(text)});
  }
  return texts;
}

}  // namespace ordo::ptx
