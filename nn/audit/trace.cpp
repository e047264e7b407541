#include <ordo/nn/audit/trace.h>

#include <fmt/format.h>
#include <zlib.h>

#include <deque>
#include <fstream>
#include <limits>
#include <sstream>
#include <unordered_set>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/memory/out_of_memory.h>
#include <ordo/engine/run/files.h>
#include <ordo/nn/audit/encoding.h>

namespace ordo::audit {

uint64_t Decoder::varint(uint64_t most, const char* what) {
  const uint64_t v = varint();
  expect_most(v, most, what);
  return v;
}
void Decoder::expect_most(uint64_t value, uint64_t most, const char* what) {
  if (value > most) throw Damage{fmt::format("{} is {}; it can be at most {}", what, value, most)};
}

struct Reader::State {
  std::string path;
  std::unique_ptr<std::istream> in;
  uint64_t size = 0, at = 0;  // of the file; of the next record
  Header header;
  uint64_t records = 0;
  bool ended = false;
  std::string incomplete;
  std::string body;
  std::deque<std::string> texts{""};
  std::deque<Dims> sizes;
  std::unordered_set<std::string> arguments;

  [[noreturn]] void fail(uint64_t place, const std::string& reason) const {
    ordo::detail::fail<DataError>("trace", "{}: at byte {}: {}", path, place, reason);
  }

  void read_bytes(char* to, uint64_t n) {
    if (!in->read(to, std::streamsize(n))) fail(at, "the file cannot be read");
    at += n;
  }
  static uint32_t fixed32(const char* p) {
    uint32_t v = 0;
    for (int i = 0; i < 4; ++i) v |= uint32_t(uint8_t(p[i])) << (8 * i);
    return v;
  }

  void open() {
    char start[12];
    if (size < sizeof start) fail(0, fmt::format("a trace begins with 12 bytes; the file has {}", size));
    read_bytes(start, sizeof start);
    if (std::string_view(start, 8) != kMagic) fail(0, "this is no trace: it does not begin with ORDOTRC");
    const uint32_t version = fixed32(start + 8);
    if (version != kFormat)
      fail(8, fmt::format("the trace has version {} of the format, {} than this Ordo's, which reads version {}",
                          version, version > kFormat ? "newer" : "older", kFormat));
    const uint64_t place = at;
    if (!next_body()) ordo::detail::fail<DataError>("trace", "{}", incomplete);
    decode(place, [&](Decoder& d) {
      if (RecordType(d.byte()) != RecordType::header) throw Damage{"the first record is no header"};
      header = decode_header(d);
      header.format = int(version);
    });
  }

  /// Reads the next record's body; false, and says why, where the file ends before the record does.
  bool next_body() {
    const auto ends = [this](uint64_t place, const std::string& how) {
      incomplete = fmt::format("{}: at byte {}: {}", path, place, how);
      return false;
    };
    if (at == size) return ends(at, "the trace was not closed");
    if (size - at < kHead)
      return ends(at, fmt::format("the file ends inside a record's head, {} of {} bytes", size - at, kHead));
    const uint64_t place = at;
    char head[kHead];
    read_bytes(head, sizeof head);
    const uint32_t length = fixed32(head), crc = fixed32(head + 4);
    if (length == 0 && crc == 0) return ends(place, "the trace was not closed");  // room for more records
    if (length == 0) fail(place, "a record without content");
    if (length > kMostBody) fail(place, fmt::format("a record of {} bytes; it can have {}", length, kMostBody));
    if (length > size - at)
      return ends(place, fmt::format("the file ends inside a record, {} of {} bytes", size - at, length));
    body.resize(length);
    read_bytes(body.data(), length);
    if (uint32_t(crc32(0, reinterpret_cast<const Bytef*>(body.data()), uInt(length))) != crc)
      fail(place, "a record's checksum is wrong: its bytes were changed");
    return true;
  }

  template <class F>
  void decode(uint64_t place, const F& f) {
    Decoder d(body);
    try {
      f(d);
      if (d.left() > 0) throw Damage{fmt::format("{} bytes follow its content", d.left())};
    } catch (const Damage& damage) {
      fail(place, fmt::format("record {}: {}", records, damage.reason));
    }
  }

  std::string_view text(Decoder& d) { return texts[d.varint(texts.size() - 1, "the number of a text")]; }
  static uint8_t enumerator(Decoder& d, int count, const char* what) {
    const uint8_t v = d.byte();
    if (v >= count) throw Damage{fmt::format("{} is {}; there are {}", what, v, count)};
    return v;
  }

  void decode_tensor(Decoder& d, TensorRecord& t) {
    static const Dims none;
    const uint8_t both = d.byte();
    if ((both & 15) > 2) throw Damage{fmt::format("a tensor's state is {}", both & 15)};
    if (both >> 4 >= kDTypeCount) throw Damage{fmt::format("a tensor's dtype is {}", both >> 4)};
    t.state = TensorRecord::State(both & 15);
    t.dtype = DType(both >> 4);
    t.sizes = &none;
    if (t.state == TensorRecord::State::undefined) return;
    const uint64_t number = d.varint();
    if (number >= sizes.size()) throw Damage{fmt::format("sizes {} of {}", number, sizes.size())};
    t.sizes = &sizes[number];
    t.name = text(d);
    if (t.state == TensorRecord::State::read) d.fingerprint(t.fingerprint);
  }

  void decode_operation(Decoder& d, Record& r) {
    const uint8_t flags = enumerator(d, 4, "the flags");
    r.backward = flags & 1;
    r.failed = flags & 2;
    r.level = Determinism(enumerator(d, 3, "the level"));
    r.algorithm = Algorithm(enumerator(d, int(Algorithm::library) + 1, "the algorithm"));
    r.depth = int(d.varint(std::numeric_limits<int>::max(), "the depth"));
    r.thread = uint32_t(d.varint(UINT32_MAX, "the thread"));
    r.step = int64_t(d.varint(INT64_MAX, "the step"));
    r.name = text(d);
    r.path = text(d);
    r.node = text(d);
    r.device = text(d);
    r.arguments = *arguments.emplace(d.text()).first;
    const uint64_t inputs = d.varint(d.left(), "the number of inputs");
    const uint64_t outputs = d.varint(d.left(), "the number of outputs");
    if (inputs + outputs > d.left()) throw Damage{"it has more tensors than bytes"};
    r.input_count = uint32_t(inputs);
    r.tensors.resize(inputs + outputs);
    for (TensorRecord& t : r.tensors) decode_tensor(d, t);
  }

  void decode_draw(Decoder& d, Record& r) {
    r.thread = uint32_t(d.varint(UINT32_MAX, "the thread"));
    r.step = int64_t(d.varint(INT64_MAX, "the step"));
    r.name = text(d);
    r.path = text(d);
    for (uint64_t* v : {&r.draw_from.seed, &r.draw_from.stream, &r.draw_from.offset, &r.draw_blocks}) *v = d.varint();
  }

  void decode_summary(Decoder& d, Record& r) {
    r.step = int64_t(d.varint(INT64_MAX, "the step"));
    r.name = text(d);
    d.fingerprint(r.hash);
  }

  void decode_sizes(Decoder& d) {
    Dims dims;
    for (uint64_t rank = d.varint(kMaxDims, "the number of dimensions"); rank > 0; --rank)
      dims.push_back(int64_t(d.varint(INT64_MAX, "a size")));
    sizes.push_back(dims);
  }

  /// Whether the body was an event's.
  bool decode_event(Decoder& d, Record& r) {
    const uint8_t type = d.byte();
    if (type > uint8_t(RecordType::end)) throw Damage{fmt::format("its type {} is unknown", type)};
    if (RecordType(type) == RecordType::header) throw Damage{"a second header"};
    if (RecordType(type) == RecordType::text) return texts.emplace_back(d.text()), false;
    if (RecordType(type) == RecordType::sizes) return decode_sizes(d), false;
    if (RecordType(type) == RecordType::end) return ended = true, false;
    r.kind = Record::Kind(type - kFirstEvent);
    if (r.kind == Record::Kind::draw)
      decode_draw(d, r);
    else if (r.kind == Record::Kind::summary)
      decode_summary(d, r);
    else
      decode_operation(d, r);
    return true;
  }
};

Reader::Reader(std::shared_ptr<State> state) : state_(std::move(state)) { state_->open(); }
Reader::~Reader() = default;
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;

Reader::Reader(const std::string& path) {
  const ordo::detail::LibraryCall library;
  state_ = std::make_shared<State>();
  state_->path = path;
  ordo::detail::expect_file("trace", path);
  auto file = std::make_unique<std::ifstream>(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = *file ? std::streamoff(file->tellg()) : -1;
  ORDO_CHECK(size >= 0, DataError, "trace", "{}: cannot be read", path);
  state_->size = uint64_t(size);
  file->seekg(0);
  state_->in = std::move(file);
  state_->open();
}

Reader Reader::of_bytes(std::string bytes, const std::string& name) {
  const ordo::detail::LibraryCall library;
  auto state = std::make_shared<State>();
  state->path = name;
  state->size = bytes.size();
  state->in = std::make_unique<std::istringstream>(std::move(bytes));
  return Reader(std::move(state));
}

const Header& Reader::header() const { return state_->header; }
const std::string& Reader::incomplete() const { return state_->incomplete; }
std::shared_ptr<const void> Reader::keep_alive() const { return state_; }

bool Reader::next(Record& record) {
  const ordo::detail::LibraryCall library;
  State& s = *state_;
  if (!s.incomplete.empty()) return false;
  for (bool found = false; !found;) {
    const uint64_t place = s.at;
    if (s.ended) {
      if (s.at < s.size) s.fail(place, "the file goes on after the trace's end");
      return false;
    }
    if (!s.next_body()) return false;
    std::vector<TensorRecord> tensors = std::move(record.tensors);
    tensors.clear();
    record = Record{};
    record.tensors = std::move(tensors);
    record.index = s.records;
    record.place = place;
    s.decode(place, [&](Decoder& d) { found = s.decode_event(d, record); });
  }
  ++s.records;
  return true;
}

Trace read(Reader reader) {
  const ordo::detail::LibraryCall library;
  Trace trace;
  trace.header = reader.header();
  for (Record record; reader.next(record);) {
    trace.records.push_back(record);  // a copy has no memory to spare
  }
  trace.incomplete = reader.incomplete();
  trace.texts = reader.keep_alive();
  return trace;
}

Trace read(const std::string& path) { return read(Reader(path)); }

}  // namespace ordo::audit
