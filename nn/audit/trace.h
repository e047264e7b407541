// Traces on disk, and how they are read.
//
//   const audit::Trace trace = audit::read("a.trace");
//   for (const audit::Record& r : trace.records) ...
//
// A file is written as the program runs: what a crash leaves can be read up to its last whole record, and says so. The
// format, all numbers little-endian:
//
//   file     "ORDOTRC\n"  u32 version, 1  records
//   record   u32 length of the body  u32 CRC-32 of the body  body
//   body     u8 type, then by type; numbers are LEB128 varints unless a width is given:
//     0 header     count of pairs, then for each a name and a value, both texts: length, bytes. The first record, once
//     1 text       text: it has the next number, from 1; number 0 is ""
//     2 sizes      rank, sizes: they have the next number, from 0
//     3 operation  u8 flags (1 backward, 2 failed)  u8 level  u8 algorithm  depth  thread  step
//                  numbers of the texts name, path, node, device  text of the arguments
//                  count of inputs, count of outputs, tensors
//     4 draw       thread  step  numbers of the texts name and path  seed  stream  offset  blocks
//     5 batch      as operation
//     6 step       as operation
//     7 summary    step  number of the text name  u64 high  u64 low
//     8 end        nothing: the trace was closed
//   A head of zeros is read as the end of a file: the trace was not closed.
//   tensor   u8 state (0 undefined, 1 unread, 2 read) + 16 * dtype; unless undefined: number of the sizes, number of
//            the text name; if read: u64 high  u64 low
#pragma once

#include <memory>

#include <ordo/nn/audit/record.h>

namespace ordo::audit {

/// The version of the format, which a file names in its header.
inline constexpr uint32_t kFormat = 1;

/// Reads a trace record by record, in little memory.
///
/// Throws: DataError when the file cannot be read, is no trace or of another version, or is damaged at its beginning.
class Reader {
 public:
  /// Of a file.
  explicit Reader(const std::string& path);
  /// Of a trace in memory; errors call it `name`.
  static Reader of_bytes(std::string bytes, const std::string& name);
  ~Reader();
  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;

  const Header& header() const;
  /// The next record; false at the end. Names, sizes and texts are valid as long as the Reader.
  ///
  /// Throws: DataError with file, place and reason when a record is damaged.
  bool next(Record& record);
  /// After the end: why the trace has none, "FILE: at byte 1234: ..."; empty for a trace that was closed.
  const std::string& incomplete() const;
  /// Keeps the texts and sizes of the records read so far.
  std::shared_ptr<const void> keep_alive() const;

 private:
  struct State;
  explicit Reader(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

/// A whole trace in memory, some 300 bytes for an operation.
struct Trace {
  Header header;
  std::vector<Record> records;
  std::string incomplete = {};  ///< as Reader::incomplete()
  std::shared_ptr<const void> texts = {};
};
/// All of it.
///
/// Throws: as Reader.
Trace read(const std::string& path);
Trace read(Reader reader);

}  // namespace ordo::audit
