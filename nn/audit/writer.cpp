#include <ordo/nn/audit/writer.h>

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/run/files.h>
#include <ordo/engine/run/fork.h>
#include <ordo/kernels/fingerprint/mix.h>
#include <ordo/nn/audit/trace.h>
#include <ordo/nn/state/whole_file.h>

namespace ordo::audit {

/// A new file in place of one that is there, which stays whole for a program that is still writing it.
static int open_new(const std::string& path) {
  const ordo::detail::FilePlace place = ordo::detail::place_to_write("trace", path);
  for (int tries = 0; place.replaceable && tries < 100; ++tries) {
    if (::unlink(place.path.c_str()) != 0 && errno != ENOENT) break;
    const int file = ::open(place.path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0) return file;
    if (errno != EEXIST) break;
  }
  return ordo::detail::open_to_write("trace", path, O_WRONLY | O_CREAT | O_TRUNC, path);
}

Writer::Writer(const std::string& path) : path_(path), process_(ordo::detail::forks()) {
  if (!path.empty()) file_ = open_new(path);
  pending_ = kMagic;
  pending_.append(little_endian(kFormat).data(), 4);
  flush();
}

Writer::~Writer() {
  if (file_ >= 0) ::close(file_);
}

bool Writer::forked() const { return ordo::detail::forks() != process_; }

void Writer::frame(const Encoder& body) {
  const std::string& b = body.body();
  pending_.append(little_endian(uint32_t(b.size())).data(), 4);
  const auto crc = uint32_t(crc32(0, reinterpret_cast<const Bytef*>(b.data()), uInt(b.size())));
  pending_.append(little_endian(crc).data(), 4);
  pending_ += b;
}

void Writer::flush() {
  if (path_.empty()) return;
  // A child shares the file, and would write between its parent's records.
  if (error_ == 0 && !forked()) error_ = nn::write_all(file_, pending_);
  pending_.clear();
}

size_t Writer::HashOfSizes::operator()(const Dims& sizes) const {
  uint64_t h = uint64_t(sizes.size());
  for (int64_t size : sizes) h = kernels::mixed(h ^ uint64_t(size));
  return h;
}

uint64_t Writer::text(std::string_view text) {
  if (text.empty()) return 0;
  if (const auto known = texts_.find(text); known != texts_.end()) return known->second;
  Encoder body(RecordType::text);
  body.text(text);
  frame(body);
  const uint64_t number = texts_.size() + 1;
  texts_.emplace(text, number);
  return number;
}

uint64_t Writer::sizes(const Dims& sizes) {
  const auto [at, added] = sizes_.try_emplace(sizes, sizes_.size());
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
  body_.begin(RecordType(kFirstEvent + uint8_t(r.kind)));
  if (r.kind == Record::Kind::draw) {
    const GeneratorState& from = r.draw_from;
    for (uint64_t v :
         {uint64_t(r.thread), uint64_t(r.step), name, path, from.seed, from.stream, from.offset, r.draw_blocks})
      body_.varint(v);
  } else if (r.kind == Record::Kind::summary) {
    body_.varint(uint64_t(r.step));
    body_.varint(name);
    body_.fingerprint(r.hash);
  } else {
    write_operation(r, name, path);
  }
  frame(body_);
  flush();
}

void Writer::write_operation(const Record& r, uint64_t name, uint64_t path) {
  const uint64_t node = text(r.node), device = text(r.device);
  body_.byte(uint8_t((r.backward ? 1 : 0) | (r.failed ? 2 : 0)));
  body_.byte(uint8_t(r.level));
  body_.byte(uint8_t(r.algorithm));
  for (uint64_t v : {uint64_t(r.depth), uint64_t(r.thread), uint64_t(r.step), name, path, node, device})
    body_.varint(v);
  body_.text(r.arguments);
  body_.varint(r.input_count);
  body_.varint(r.tensors.size() - r.input_count);
  for (const TensorRecord& t : r.tensors) {
    body_.byte(uint8_t(uint8_t(t.state) | uint8_t(t.dtype) << 4));
    if (t.state == TensorRecord::State::undefined) continue;
    body_.varint(sizes(*t.sizes));
    body_.varint(text(t.name));
    if (t.state == TensorRecord::State::read) body_.fingerprint(t.fingerprint);
  }
}

void Writer::close() {
  if (!path_.empty() && (file_ < 0 || forked())) return;
  frame(Encoder(RecordType::end));
  flush();
  if (path_.empty()) return;
  if (::close(std::exchange(file_, -1)) != 0 && error_ == 0) error_ = errno;
  ORDO_CHECK(error_ == 0, DataError, "trace", "{}: cannot be written: {}", path_, std::strerror(error_));
}

}  // namespace ordo::audit
