#include <ordo/nn/audit/writer.h>

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>
#include <zlib.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include <ordo/engine/check.h>
#include <ordo/nn/audit/header.h>
#include <ordo/nn/audit/trace.h>

namespace ordo::audit {

/// How many forks made this process of the one that first asked.
static int processes_begun() {
  static std::atomic<int> forks = 0;
  static const int registered = ::pthread_atfork(nullptr, nullptr, [] { ++forks; });
  (void)registered;
  return forks;
}

Writer::Writer(const std::string& path) : path_(path), process_(processes_begun()) {
  if (!path.empty()) {
    file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    ORDO_CHECK(file_ >= 0, DataError, "trace", "{}: cannot be made: {}", path, std::strerror(errno));
  }
  pending_ = kMagic;
  for (int shift = 0; shift < 32; shift += 8) pending_ += char(kFormat >> shift);
  flush();
}

Writer::~Writer() {
  if (file_ >= 0) ::close(file_);
}

void Writer::frame(const Encoder& body) {
  const std::string& b = body.body();
  Encoder head(RecordType::header);
  head.fixed32(uint32_t(b.size()));
  head.fixed32(uint32_t(crc32(0, reinterpret_cast<const Bytef*>(b.data()), uInt(b.size()))));
  pending_.append(head.body(), 1);  // without its type
  pending_ += b;
}

void Writer::flush() {
  if (path_.empty()) return;
  const bool forked =
      processes_begun() != process_;  // a child shares the file, and would write between its parent's records
  for (std::string_view rest = pending_; !rest.empty() && error_ == 0 && !forked;) {
    const ssize_t n = ::write(file_, rest.data(), rest.size());
    if (n >= 0)
      rest.remove_prefix(size_t(n));
    else if (errno != EINTR)
      error_ = errno;
  }
  pending_.clear();
}

uint64_t Writer::text(std::string_view text) {
  if (text.empty()) return 0;
  const auto [at, added] = texts_.try_emplace(std::string(text), texts_.size() + 1);
  if (added) {
    Encoder body(RecordType::text);
    body.text(text);
    frame(body);
  }
  return at->second;
}

uint64_t Writer::sizes(const Dims& sizes) {
  std::string key(reinterpret_cast<const char*>(sizes.begin()), size_t(sizes.size()) * sizeof(int64_t));
  const auto [at, added] = sizes_.try_emplace(std::move(key), sizes_.size());
  if (added) {
    Encoder body(RecordType::sizes);
    body.varint(uint64_t(sizes.size()));
    for (int64_t s : sizes) body.varint(uint64_t(s));
    frame(body);
  }
  return at->second;
}

void Writer::write(const Header& header) {
  frame(encode(header));
  flush();
}

void Writer::write(const Record& r) {
  const uint64_t name = text(r.name), path = text(r.path);
  switch (r.kind) {
    case Record::Kind::draw: {
      Encoder body(RecordType::draw);
      for (uint64_t v : {uint64_t(r.thread), uint64_t(r.step), name, path, r.draw_from.seed, r.draw_from.stream,
                         r.draw_from.offset, r.draw_blocks})
        body.varint(v);
      frame(body);
      break;
    }
    case Record::Kind::summary: {
      Encoder body(RecordType::summary);
      body.varint(uint64_t(r.step));
      body.varint(name);
      body.fixed64(r.hash.high);
      body.fixed64(r.hash.low);
      frame(body);
      break;
    }
    default: {
      const uint64_t node = text(r.node), device = text(r.device);
      Encoder body(r.kind == Record::Kind::batch  ? RecordType::batch
                   : r.kind == Record::Kind::step ? RecordType::step
                                                  : RecordType::operation);
      body.byte(uint8_t((r.backward ? 1 : 0) | (r.failed ? 2 : 0)));
      body.byte(uint8_t(r.level));
      body.byte(uint8_t(r.algorithm));
      for (uint64_t v : {uint64_t(r.depth), uint64_t(r.thread), uint64_t(r.step), name, path, node, device})
        body.varint(v);
      body.text(r.arguments);
      body.varint(r.input_count);
      body.varint(r.tensors.size() - r.input_count);
      for (const TensorRecord& t : r.tensors) {
        body.byte(uint8_t(uint8_t(t.state) | uint8_t(t.dtype) << 4));
        if (t.state == TensorRecord::State::undefined) continue;
        body.varint(sizes(*t.sizes));
        body.varint(text(t.name));
        if (t.state != TensorRecord::State::read) continue;
        body.fixed64(t.fingerprint.high);
        body.fixed64(t.fingerprint.low);
      }
      frame(body);
    }
  }
  flush();
}

void Writer::close() {
  if (file_ < 0 && !path_.empty()) return;
  frame(Encoder(RecordType::end));
  flush();
  if (path_.empty()) return;
  if (::close(std::exchange(file_, -1)) != 0 && error_ == 0) error_ = errno;
  ORDO_CHECK(error_ == 0, DataError, "trace", "{}: cannot be written: {}", path_, std::strerror(error_));
}

}  // namespace ordo::audit
