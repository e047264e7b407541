#include "simulators/ptx/fat_binary.h"

#include <array>
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
constexpr uint16_t kPtx = 1, kElf = 2;
constexpr uint64_t kZstd = 0x8000, kOtherCompression = 0x7000;

// ELF, 64 bits: what the sections of machine code say of its kernels (.nv.info; the same as tests/ptx/cubin.py reads).
struct ElfHeader {
  uint8_t ident[16];
  uint16_t type, machine;
  uint32_t version;
  uint64_t entry, programs, sections;
  uint32_t flags;
  uint16_t bytes, program_bytes, program_count, section_bytes, section_count, names;
};
struct Section {
  uint32_t name, type;
  uint64_t flags, address, offset, size;
  uint32_t link, info;
  uint64_t alignment, entry_bytes;
};
struct Symbol {
  uint32_t name;
  uint8_t info, other;
  uint16_t section;
  uint64_t value, size;
};
static_assert(sizeof(ElfHeader) == 64 && sizeof(Section) == 64 && sizeof(Symbol) == 24);
constexpr uint8_t kSized = 4, kRegisters = 0x2f;  // an attribute's format, and which it is

template <class T>
T read(const void* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

/// What an entry holds, decompressed.
std::string content_of(const Entry& entry, const char* stored) {
  if (entry.flags & kOtherCompression) throw std::runtime_error("device code that is compressed in an unknown way");
  if ((entry.flags & kZstd) == 0) return std::string(stored, entry.stored);
  std::string content(entry.size, '\0');
  const size_t frame = ZSTD_findFrameCompressedSize(stored, entry.stored);  // padding follows
  if (ZSTD_isError(frame) || ZSTD_decompress(content.data(), content.size(), stored, frame) != entry.size)
    throw std::runtime_error("device code that does not decompress");
  return content;
}

/// f(entry, what is stored) for all of a kind.
template <class F>
void for_entries(const void* data, uint16_t kind, const F& f) {
  const auto* at = static_cast<const char*>(data);
  const auto header = read<Header>(at);
  if (header.magic != kMagic) throw std::runtime_error("no fat binary");
  at += header.bytes;
  for (const char* const end = at + header.size; at + sizeof(Entry) <= end;) {
    const auto entry = read<Entry>(at);
    if (entry.kind == kind) f(entry, at + entry.bytes);
    at += entry.bytes + entry.stored;
  }
}

}  // namespace

std::vector<PtxText> ptx_of(const void* data) {
  std::vector<PtxText> texts;
  for_entries(data, kPtx, [&](const Entry& entry, const char* stored) {
    std::string text = content_of(entry, stored);
    text.resize(std::strlen(text.c_str()));
    texts.push_back({int(entry.architecture), std::move(text)});
  });
  return texts;
}

std::map<std::string, uint32_t> registers_of(const void* data, int architecture) {
  std::map<std::string, uint32_t> registers;
  for_entries(data, kElf, [&](const Entry& entry, const char* stored) {
    if (int(entry.architecture) != architecture) return;
    const std::string image = content_of(entry, stored);
    const auto in_image = [&](uint64_t offset, uint64_t bytes) {
      if (offset > image.size() || bytes > image.size() - offset) throw std::runtime_error("machine code cut short");
      return image.data() + offset;
    };
    const auto elf = read<ElfHeader>(in_image(0, sizeof(ElfHeader)));
    std::map<std::string, Section> sections;
    const auto section = [&](uint64_t i) {
      return read<Section>(in_image(elf.sections + i * sizeof(Section), sizeof(Section)));
    };
    const Section names = section(elf.names);
    for (uint64_t i = 0; i < elf.section_count; ++i) {
      const Section s = section(i);
      sections[in_image(names.offset + s.name, 1)] = s;
    }
    const Section info = sections[".nv.info"], symbols = sections[".symtab"], strings = sections[".strtab"];
    for (uint64_t at = 0; at + 4 <= info.size;) {
      const char* const attribute = in_image(info.offset + at, 4);
      const bool is_sized = uint8_t(attribute[0]) == kSized;
      const auto size = read<uint16_t>(attribute + 2);
      at += 4;
      if (is_sized && uint8_t(attribute[1]) == kRegisters) {
        const auto words = read<std::array<uint32_t, 2>>(in_image(info.offset + at, 8));
        const auto symbol = read<Symbol>(in_image(symbols.offset + words[0] * sizeof(Symbol), sizeof(Symbol)));
        registers[in_image(strings.offset + symbol.name, 1)] = words[1];
      }
      if (is_sized) at += size;
    }
  });
  return registers;
}

}  // namespace ordo::ptx
