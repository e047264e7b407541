#include <ordo/engine/tensor/printable.h>

#include <fmt/format.h>

#include <cstdint>

namespace ordo {
namespace {

struct Character {
  uint32_t code = 0;
  size_t bytes = 0;  // 0: not UTF-8
};

Character first_of(std::string_view text) {
  const auto lead = uint8_t(text[0]);
  if (lead < 0x80) return {lead, 1};
  const size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {};
  uint32_t code = lead & (0x7fu >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    const auto next = uint8_t(text[i]);
    if ((next & 0xc0) != 0x80) return {};
    code = code << 6 | (next & 0x3fu);
  }
  constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  if (code < kLeast[bytes] || code > 0x10ffff || surrogate) return {};
  return {code, bytes};
}

bool is_obeyed(uint32_t code) {
  if (code == '\t') return false;
  if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return true;        // C0, DEL, C1
  if (code == 0x2028 || code == 0x2029) return true;                    // ends of lines and paragraphs
  if (code == 0x061c || code == 0x200e || code == 0x200f) return true;  // directions of writing
  return (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

}  // namespace

size_t character_bytes(std::string_view text) { return text.empty() ? 0 : first_of(text).bytes; }

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Character c = first_of(text);
    const size_t bytes = c.bytes == 0 ? 1 : c.bytes;
    if (c.bytes == 0)
      out += fmt::format("\\x{:02x}", uint8_t(text[0]));
    else if (!is_obeyed(c.code))
      out += text.substr(0, bytes);
    else if (c.code == '\n')
      out += "\\n";
    else
      out += c.code < 0x80 ? fmt::format("\\x{:02x}", c.code) : fmt::format("\\u{{{:x}}}", c.code);
    text.remove_prefix(bytes);
  }
  return out;
}

}  // namespace ordo
