// Random number streams. Number i of a stream depends on (seed, stream, i) only, so the CPU and CUDA draw the same
// numbers with any thread count and any launch shape.
#pragma once

#include <cstdint>
#include <memory>

namespace ordo {

/// The whole state of a stream: save it, restore it later, and the same numbers follow.
struct GeneratorState {
  uint64_t seed = 0;
  uint64_t stream = 0;
  uint64_t offset = 0;  ///< numbers drawn so far, in blocks of four
  friend bool operator==(const GeneratorState&, const GeneratorState&) = default;
};

/// A handle on a stream of random numbers; copies share the stream. Thread-safe.
class Generator {
 public:
  explicit Generator(uint64_t seed = 0, uint64_t stream = 0);
  void manual_seed(uint64_t seed);  ///< restarts at the beginning of the seed's stream
  GeneratorState state() const;
  void set_state(const GeneratorState& state);
  /// For kernels: takes `blocks` Philox blocks (four 32-bit numbers each) and returns the state before them.
  GeneratorState reserve(uint64_t blocks);

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

/// The stream that operations draw from when no generator is given. One for all devices.
Generator& default_generator();
/// Seeds the default generator.
void manual_seed(uint64_t seed);

}  // namespace ordo
