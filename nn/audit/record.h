// What a trace holds: a header, and a record for each event in the order in which the events ended.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/run/determinism.h>
#include <ordo/engine/run/generator.h>
#include <ordo/engine/tensor/dims.h>
#include <ordo/engine/tensor/dtype.h>
#include <ordo/kernels/fingerprint/fingerprint.h>

namespace ordo::audit {

/// How much of every step is recorded.
enum class Detail : unsigned char {
  operations,  ///< every operation
  steps,       ///< batches, and for each step one hash: the first phase of a search for where two runs part
  parameters,  ///< what each optimiser's step got and gave: of runs that come to the same by other operations
};
std::string_view name(Detail);
std::optional<Detail> detail_from_name(std::string_view name);

/// Where and how a trace was made: what was in force at its first event.
struct Header {
  int format = 0;             ///< version of the file format
  std::string version = {};   ///< Ordo's
  int ordering_contract = 0;  ///< version of docs/ordering.md
  Determinism level{};
  std::string device = {};            ///< names of the devices, joined by ", "
  int threads = 0;                    ///< of CPU operations
  std::optional<uint64_t> seed = {};  ///< of the default generator
  std::string instruction_set = {};   ///< that products and convolutions use on the CPU
  std::vector<std::string> command_line = {};
  bool emulated = false;              ///< cuda:0 is the emulator, or the PTX machine
  std::string library_settings = {};  ///< of products and CUDA's libraries: "NVIDIA_TF32_OVERRIDE=0, ..."
  std::string schedule = {};          ///< of the emulator: "ORDO_EMULATOR_SEED=1 ..."
  Detail detail{};
  int64_t rows = 0;                                ///< of the batch of which only row 0 was read; 0: all is read
  std::string filters = {};                        ///< "steps=3-5 modules=net.layer2* ops=add"; empty: none
  std::map<std::string, std::string> others = {};  ///< what this version of Ordo does not know
};

/// A tensor of an event.
struct TensorRecord {
  enum class State : unsigned char {
    undefined,  ///< no tensor
    unread,     ///< its old values mean nothing: it is overwritten, or was never written
    read
  };
  State state = State::undefined;
  DType dtype{};
  const Dims* sizes = nullptr;  ///< never null in a record that was read; lives as long as the Trace or Reader
  std::string_view name = {};   ///< of a parameter: "Net.layer2.weight"; "" where unknown
  Fingerprint fingerprint = {};
  /// Bits, sizes and dtype.
  friend bool operator==(const TensorRecord& a, const TensorRecord& b) {
    return a.state == b.state && a.dtype == b.dtype && a.fingerprint == b.fingerprint && *a.sizes == *b.sizes;
  }
};

/// An event. Texts live as long as the Trace or Reader that they are from.
struct Record {
  enum class Kind : unsigned char {
    operation,  ///< of any kind, forward or backward
    draw,       ///< random numbers were taken from a generator: `draw`, and `name` of the operation that took them
    batch,      ///< a loader delivered `outputs()`
    step,       ///< an optimiser's step ended. Inputs: parameters and their gradients. Outputs: parameters, with names
    summary,    ///< Detail::steps, after each step: `hash` of all that the step was
  };
  Kind kind{};
  bool backward = false;            ///< a recorded operation's backward function
  bool failed = false;              ///< left by an exception
  Determinism level{};              ///< in force
  Algorithm algorithm{};            ///< that computed
  int depth = 0;                    ///< how many operations are open around it
  uint32_t thread = 0;              ///< in the order in which threads first took part; 0 is the first
  int64_t step = 0;                 ///< under way, from 1: one more than the optimiser steps before
  std::string_view name = {};       ///< "conv2d"
  std::string_view path = {};       ///< of the module; in a backward pass of the one whose operation it goes back to
  std::string_view node = {};       ///< in a backward pass: the operation whose gradient is computed
  std::string_view device = {};     ///< "cpu", "cuda:0"
  std::string_view arguments = {};  ///< those that are not tensors: "[1, 1], 2, true"
  std::vector<TensorRecord> tensors = {};  ///< inputs, then outputs
  uint32_t input_count = 0;
  GeneratorState draw_from = {};  ///< of a draw: the stream before it
  uint64_t draw_blocks = 0;       ///< of four 32-bit numbers
  Fingerprint hash = {};          ///< of a summary
  uint64_t index = 0;             ///< of the record in the trace, from 0
  uint64_t place = 0;             ///< of the record in the file, bytes from its beginning

  std::span<const TensorRecord> inputs() const { return {tensors.data(), input_count}; }
  std::span<const TensorRecord> outputs() const { return std::span(tensors).subspan(input_count); }
};
std::string_view name(Record::Kind);

}  // namespace ordo::audit
