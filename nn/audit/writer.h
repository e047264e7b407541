// Writer: a trace as it grows, in a file or in memory. Internal to nn.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include <ordo/engine/tensor/dims.h>
#include <ordo/nn/audit/encoding.h>
#include <ordo/nn/audit/record.h>

namespace ordo::audit {

class Writer {
 public:
  /// Makes the file, in place of one that is there, also where a link leads; without a path the trace is kept in
  /// memory. DataError when it cannot be made.
  explicit Writer(const std::string& path);
  ~Writer();
  Writer(Writer&&) = delete;

  void write(const Header& header);
  /// `tensors` of the record need sizes where they are defined. What is written stays when the program crashes: nothing
  /// is kept back. A failed write shows in close(); nothing is written after it. Nor does a process
  /// that this one forks write.
  void write(const Record& record);
  /// The end. DataError when a write failed.
  void close();
  std::string& bytes() { return pending_; }  ///< of a trace in memory

 private:
  struct HashOfText {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  struct HashOfSizes {
    size_t operator()(const Dims& sizes) const;
  };

  void write_operation(const Record& record, uint64_t name, uint64_t path);
  uint64_t text(std::string_view text);
  uint64_t sizes(const Dims& sizes);
  void frame(const Encoder& body);
  void flush();
  bool forked() const;

  std::string path_;
  int file_ = -1;
  int process_;
  int error_ = 0;  // errno of the first write that failed
  std::string pending_;
  Encoder body_{RecordType::end};  // of the event being written
  std::unordered_map<std::string, uint64_t, HashOfText, std::equal_to<>> texts_;
  std::unordered_map<Dims, uint64_t, HashOfSizes> sizes_;
};

}  // namespace ordo::audit
