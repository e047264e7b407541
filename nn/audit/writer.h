// Writer: a trace as it grows, in a file or in memory. Internal to nn.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include <ordo/engine/dims.h>
#include <ordo/nn/audit/encoding.h>
#include <ordo/nn/audit/record.h>

namespace ordo::audit {

class Writer {
 public:
  /// Makes the file, or empties it; without a path the trace is kept in memory. DataError when it cannot be made.
  explicit Writer(const std::string& path);
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void write(const Header& header);
  /// `tensors` of the record need sizes where they are defined. What is written stays when the program crashes: nothing
  /// is kept back. A failed write shows in close(); nothing is written after it. Nor does a process
  /// that this one forks write.
  void write(const Record& record);
  /// The end. DataError when a write failed.
  void close();
  std::string& bytes() { return pending_; }  ///< of a trace in memory

 private:
  uint64_t text(std::string_view text);
  uint64_t sizes(const Dims& sizes);
  void frame(const Encoder& body);
  void flush();

  std::string path_;
  int file_ = -1;
  int process_;
  int error_ = 0;  // errno of the first write that failed
  std::string pending_;
  std::unordered_map<std::string, uint64_t> texts_;
  std::unordered_map<std::string, uint64_t> sizes_;
};

}  // namespace ordo::audit
