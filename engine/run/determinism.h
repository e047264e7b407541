// The switch, Determinism: how much the bits of a result may depend on the run, the thread count and the machine.
#pragma once

#include <string_view>

namespace ordo {

enum class Determinism : unsigned char {
  not_guaranteed,    ///< fastest; last bits may change from run to run
  run_to_run,        ///< same bits on every run of one build on one device model, with any number of host threads
  device_to_device,  ///< same bits on every CPU and GPU, thread count, instruction set and compiler
};

/// "not_guaranteed", "run_to_run" or "device_to_device".
std::string_view name(Determinism);
/// The inverse of name().
/// Throws: ValueError when no level has this name.
Determinism determinism_from_name(std::string_view);

/// Sets the process's level, run_to_run or, with false, not_guaranteed. With warn_only an operation that cannot meet it
/// warns on stderr, once per operation, instead of throwing NondeterministicError.
void use_deterministic_algorithms(bool on, bool warn_only = false);
template <class T>
void use_deterministic_algorithms(T*, bool = false) = delete;  ///< a level's name would be `true`; set_determinism()
/// Sets the process's level, which starts as ORDO_DETERMINISM (a level's name) or not_guaranteed. Thread-safe.
/// Throws: ValueError when the number or the variable names no level.
void set_determinism(Determinism level, bool warn_only = false);
/// The level in force for the calling thread: the innermost guard's, else the process's.
Determinism determinism();
inline bool deterministic() { return determinism() != Determinism::not_guaranteed; }
bool determinism_warn_only();

/// Overrides the level for this thread until the end of the scope. Several may end in any order: the youngest that
/// lives is in force. One that ends on another thread than it began on warns on stderr, and stays in force where it
/// began. Throws: ValueError when the number is no level's.
class DeterminismGuard {
 public:
  explicit DeterminismGuard(Determinism level);
  ~DeterminismGuard();
  DeterminismGuard(const DeterminismGuard&) = delete;
  DeterminismGuard& operator=(const DeterminismGuard&) = delete;
};

/// While a level above not_guaranteed is on, memory nobody initialised (empty, empty_like, empty_strided, the tail of
/// resize_) is filled with NaN, or the maximum for integers. On by default.
void set_fill_uninitialized_memory(bool on);
bool fill_uninitialized_memory();

/// cuDNN: `benchmark` lets it time its algorithms and choose (ignored while a deterministic level is on);
/// `deterministic` restricts it to deterministic algorithms at every level.
struct CudnnSettings {
  bool benchmark = false;
  bool deterministic = false;
};
CudnnSettings cudnn_settings();
void set_cudnn_settings(CudnnSettings);

/// For operations: compares `strongest`, the best that this one can do, with the level in force. `hint` says what to do
/// instead. Throws: NondeterministicError when it is below; with warn_only it warns.
void require_determinism(const char* op, Determinism strongest, const char* hint);

}  // namespace ordo
