// Recording: what a Recorder does while it listens. Internal to nn.
#pragma once

#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <unordered_map>
#include <unordered_set>

#include <ordo/engine/calls/op_call.h>
#include <ordo/engine/run/fork.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/elementwise/layout.h>
#include <ordo/nn/audit/dump.h>
#include <ordo/nn/audit/recorder.h>
#include <ordo/nn/audit/writer.h>

namespace ordo::audit {

/// Fingerprints of memory that no operation has changed since. One thread's.
class KnownFingerprints {
 public:
  /// One that was read in a call with the number `since`, or a later one.
  std::optional<Fingerprint> find(const Tensor& t, uint64_t since) const;
  void keep(const Tensor& t, const Fingerprint& fingerprint, uint64_t call);

 private:
  struct View {                 // elements of the memory in an order
    kernels::Layout<1> layout;  // dimensions merged: reshaped, it is the same
    int64_t offset;
    size_t element_size;
    uint64_t call;  // that read it
    Fingerprint fingerprint;
  };
  struct Memory {
    std::weak_ptr<Storage> storage;
    uint32_t version;
    std::vector<View> views;
  };
  static bool is_of(const Memory& memory, const Storage& storage);
  static bool is_view(const View& view, const kernels::Layout<1>& layout, const TensorImpl& t);
  std::unordered_map<const Storage*, Memory> memories_;
  size_t limit_ = 0;  // of memories_, before those that are gone are forgotten
};

class Recording : public std::enable_shared_from_this<Recording> {
 public:
  explicit Recording(RecorderOptions options, std::optional<Dump> dump = {});
  void listen();
  void close();

  const RecorderOptions options;
  std::mutex& mutex =  // of what follows, but for what is one thread's
      ordo::detail::process_mutex(ordo::detail::ProcessLock::recordings);
  Writer writer;
  int64_t step = 1;

 private:
  struct Call {
    uint64_t number;
    std::vector<TensorRecord> tensors;      // the inputs; when it has ended, the outputs, too
    TensorList rows = {};                   // of the inputs, where only one row of each is read
    std::optional<TensorList> copies = {};  // of inputs, where the event may be the one to dump
  };
  struct ThreadState {
    uint32_t number;
    std::vector<Call> calls = {};  // that are open and recorded
    KnownFingerprints known = {};
    std::string arguments = {};  // of an event, in memory that is used again
  };

  void begin(const OpEvent& e);
  void end(const OpEvent& e);
  void draw(const RandomDraw& draw);
  /// Nothing more is recorded, and close() throws `error`.
  void lose(std::exception_ptr error);
  void write(const Record& record);
  void end_step(const OpEvent& e, const ThreadState& thread);

  bool records_step() const;
  bool records(const OpEvent& e) const;
  ThreadState& this_thread();
  void learn_names();
  Header header() const;
  /// What is read of these.
  TensorList first_rows(const OpEvent& e, const TensorList& tensors) const;
  static constexpr uint64_t kNever = UINT64_MAX;
  /// Adds a record of each tensor. `since` says of one in which call its fingerprint must have been read to do again;
  /// kNever: in none.
  template <class Since>
  void read(const OpEvent& e, std::span<const Tensor> tensors, const Since& since, ThreadState& thread,
            std::vector<TensorRecord>& to);
  void add_to_hash(const OpEvent& e, ThreadState& thread);
  void add_to_hash(uint64_t a, uint64_t b);

  std::optional<Dump> dump_;
  bool closed_ = false, has_header_ = false;
  std::exception_ptr lost_;  // why an event is missing
  std::unordered_map<std::thread::id, std::unique_ptr<ThreadState>> threads_;
  std::unordered_map<const TensorImpl*, std::string> names_;  // of parameters
  std::unordered_set<const void*> roots_;                     // whose parameters' names were learned in this step
  Fingerprint hash_;                                          // Detail::steps: of the step so far
  std::optional<OpListener> listener_;
};

/// Numbers the step under way in all recordings that are open.
void number_step(int64_t step);

/// Whether `text` is `pattern`, in which "*" stands for any text.
bool matches(std::string_view pattern, std::string_view text);

// -- what ORDO_TRACE and the variables beside it say

/// None without ORDO_TRACE. "%p" in it is the process's number; under mpirun
/// files of ranks above 0 end in ".rank" and the rank. Throws: ValueError when a variable has no valid value.
std::optional<RecorderOptions> options_of_environment();
/// Of ORDO_TRACE_DUMP and ORDO_TRACE_DUMP_TO. None without the first. ValueError where the second or ORDO_TRACE is
/// missing.
std::optional<Dump> dump_of_environment();

}  // namespace ordo::audit
