// Records of what a program computes.
//
//   audit::Recorder recorder("a.trace");                               // until it is destroyed
//   audit::Recorder recorder({.path = "a.trace", .steps = {{17, 17}}});   // of step 17 only
//   audit::Recorder memory;                                            // no file: memory.trace()
//
// ORDO_TRACE=a.trace in the environment records a whole program; ORDO_TRACE_STEPS=17-17,
// ORDO_TRACE_MODULES=net.layer2*, ORDO_TRACE_OPS=conv2d,add*, ORDO_TRACE_DETAIL=steps, ORDO_TRACE_READ_AGAIN=1 and
// ORDO_TRACE_ROWS=8 are the options. docs/audit.md has the format, the events and what they cost.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <ordo/nn/audit/trace.h>

namespace ordo::audit {

class Recording;

/// From first to last, both included.
struct StepRange {
  int64_t first = 1, last = 1;
};

struct RecorderOptions {
  std::string path = "";  ///< of the file; none: into memory
  Detail detail = Detail::operations;
  std::vector<StepRange> steps = {};         ///< to record; none: all
  std::vector<std::string> modules = {};     ///< paths to record, "*" stands for any text; none: all
  std::vector<std::string> operations = {};  ///< names to record, "*" stands for any text; none: all
  /// Reads inputs again whose memory no operation has changed since they were last read. This finds what writes past
  /// its own memory, and costs up to twice as much.
  bool read_again = false;
  bool loader_operations = false;  ///< record the operations that make batches, in the order of the worker threads
  /// Reads row 0 only of tensors with this number of rows, or a multiple of it, in dimension 0; parameters as a whole,
  /// and no arguments. So traces of batches of different sizes can be compared: the rows of a size should divide no
  /// other size of the program. 0: all is read.
  int64_t rows = 0;
};

/// Writes down every operation of all threads as it runs, with fingerprints of all that went in and came out, from its
/// construction to its destruction. Draws, batches and steps are recorded whatever `modules` and `operations` say.
/// Recording changes no result.
///
/// Throws: DataError when the file cannot be made; ValueError when a range of steps ends before it begins, or rows are
/// negative.
class Recorder {
 public:
  explicit Recorder(RecorderOptions options = {});
  explicit Recorder(const std::string& path) : Recorder(RecorderOptions{.path = path}) {}
  /// Closes the trace.
  ~Recorder();
  Recorder(Recorder&&) = delete;

  /// Closes the trace; what runs later is not recorded.
  ///
  /// Throws: DataError when a write failed, at whatever time.
  void close();
  /// Closes, and reads what was recorded.
  Trace trace();
  /// Numbers the step under way; where nobody does, the steps of optimisers are counted from 1.
  void set_step(int64_t step);
  int64_t step() const;

 private:
  std::shared_ptr<Recording> state_;
};

}  // namespace ordo::audit
