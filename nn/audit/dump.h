// Internal to nn and to the tools: the values of one event, for which a trace has fingerprints only. A program that runs
// again with
//
//   ORDO_TRACE=again.trace
//   ORDO_TRACE_DUMP=step=3,call=1,thread=0,kind=operation,phase=forward,name=mean,node=,module=Net
//   ORDO_TRACE_DUMP_TO=FOLDER
//
// writes the tensors of that event to FOLDER/input-0.npy, ..., FOLDER/output-0.npy, ..., and where the program called it
// to FOLDER/calls.txt (a line for each call, innermost first: module, tab, address in it). It ends there with exit
// status 3.
#pragma once

#include <optional>
#include <string>

#include <ordo/engine/calls/op_call.h>
#include <ordo/nn/audit/record.h>

namespace ordo::audit {

/// What a record of this event is.
Record::Kind kind_of(const OpEvent& e);

/// Which event: nothing of it depends on time, but for the numbers of threads that begin in any order.
struct DumpPosition {
  int64_t step = 1, call = 1;  ///< the `call`th event of this kind, phase, name, node, module and thread in this step
  uint32_t thread = 0;
  Record::Kind kind{};  ///< operation, batch or step
  bool backward = false;
  std::string name, node, module;

  /// What ORDO_TRACE_DUMP takes.
  std::string str() const;
  /// Throws: ValueError when the text is not a position.
  static DumpPosition parse(const std::string& text);
  friend bool operator==(const DumpPosition&, const DumpPosition&) = default;
};

struct Position;
/// Of an event that a comparison names (nn/audit/diff.h). None where it has no tensors.
std::optional<DumpPosition> dump_position(const Position& place);

/// How a program ends whose dump is written: not well, so that nothing takes it for a whole run.
inline constexpr int kDumpStatus = 3;

/// Writes the tensors of one event as files of NumPy.
class Dump {
 public:
  /// Makes the folder; DataError where it cannot.
  Dump(DumpPosition place, std::string folder, bool ends_program = false);
  /// Whether this is such an event, whichever call.
  bool is_place(const OpEvent& e, int64_t step, uint32_t thread) const;
  /// What `inputs` hold, on the CPU: an operation may change them.
  static TensorList copies(const TensorList& inputs);
  /// For each event of the place, when it has ended. Writes the one; then the program ends, where it is to. Says on
  /// stderr when a file cannot be written.
  void end(const TensorList& inputs, const TensorList& outputs);

 private:
  void save(const char* what, size_t number, const Tensor& tensor) const;
  void save_calls() const;
  const DumpPosition place_;
  const std::string folder_;
  const bool ends_program_;
  int64_t ended_ = 0;
};

}  // namespace ordo::audit
