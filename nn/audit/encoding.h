// Numbers, texts and the header as a trace holds them (nn/audit/trace.h). Internal to nn.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include <ordo/nn/audit/record.h>

namespace ordo::audit {

enum class RecordType : uint8_t { header, text, sizes, operation, draw, batch, step, summary, end };
/// Events lie in the order of Record::Kind.
inline constexpr uint8_t kFirstEvent = uint8_t(RecordType::operation);

inline constexpr std::string_view kMagic = "ORDOTRC\n";
inline constexpr uint32_t kMostBody = 1u << 26;  // bytes of a record
inline constexpr size_t kHead = 8;               // bytes before a body: its length and checksum

template <class N>
std::array<char, sizeof(N)> little_endian(N v) {
  std::array<char, sizeof(N)> bytes;
  for (size_t i = 0; i < sizeof(N); ++i) bytes[i] = char(v >> (8 * i));
  return bytes;
}

/// The body of a record.
class Encoder {
 public:
  explicit Encoder(RecordType type) { begin(type); }
  /// Another body, in the same memory.
  void begin(RecordType type) {
    body_.clear();
    byte(uint8_t(type));
  }
  void byte(uint8_t v) { body_ += char(v); }
  void varint(uint64_t v) {
    for (; v >= 0x80; v >>= 7) byte(uint8_t(v | 0x80));
    byte(uint8_t(v));
  }
  void fingerprint(const Fingerprint& f) {
    for (uint64_t v : {f.high, f.low}) body_.append(little_endian(v).data(), 8);
  }
  void text(std::string_view text) {
    varint(text.size());
    body_ += text;
  }
  const std::string& body() const { return body_; }

 private:
  std::string body_;
};

/// What is wrong with a record's body; the reader adds where it is.
struct Damage {
  std::string reason;
};

/// Reads a body. Every function throws Damage at its end; none reads beyond.
class Decoder {
 public:
  explicit Decoder(std::string_view body) : rest_(body) {}
  uint8_t byte() {
    if (rest_.empty()) throw Damage{"it ends too early"};
    const auto v = uint8_t(rest_[0]);
    rest_.remove_prefix(1);
    return v;
  }
  uint64_t varint() {
    uint64_t v = 0;
    for (int shift = 0;; shift += 7) {
      const uint64_t next = byte();
      if (shift == 63 && next > 1) throw Damage{"a number has more than 64 bits"};
      v |= (next & 0x7f) << shift;
      if (next < 0x80) return v;
    }
  }
  /// At most `most`, which `what` has.
  uint64_t varint(uint64_t most, const char* what);
  void fingerprint(Fingerprint& f) {
    for (uint64_t* v : {&f.high, &f.low}) {
      *v = 0;
      for (int shift = 0; shift < 64; shift += 8) *v |= uint64_t(byte()) << shift;
    }
  }
  std::string_view text() {
    const uint64_t length = varint();
    expect_most(length, rest_.size(), "the length of a text");  // of what is left behind the length
    const std::string_view text = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return text;
  }
  size_t left() const { return rest_.size(); }
  static void expect_most(uint64_t value, uint64_t most, const char* what);

 private:
  std::string_view rest_;
};

/// Of this process, as it is now.
Header current_header(Detail detail, const std::string& filters);
Encoder encode(const Header& header);
/// Throws Damage. The type has been read.
Header decode_header(Decoder& body);

}  // namespace ordo::audit
