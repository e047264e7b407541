// Programs that are drawn from a seed and compared with what they must do. `ordo_fuzz NAME` runs one kind for as long
// as one likes; the tests run a few thousand of each. A failure names the seed, and that seed alone replays it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <ordo/engine/tensor/device.h>

namespace ordo::test {

struct FuzzResult {
  std::string failure;   ///< empty, or what went wrong and the program that led there
  bool complete = true;  ///< false: ended early by an error that is allowed there
};

struct Fuzzer {
  const char* summary;
  int programs;  ///< how many a test runs
  FuzzResult (*run)(uint64_t seed, Device device);
  bool on_cuda = false;  ///< whether it computes on `device`; the others know the CPU only
};

/// By name, for the command line.
const std::map<std::string, Fuzzer>& fuzzers();

/// `ordo_tests fuzz [NAME] [--device D] [--seconds N] [--programs N] [--seed N]`: runs programs of a kind, or of every
/// kind that knows the device (cpu), one seed after the other. A failure prints the program and how to replay it. 0
/// when none failed, else 1; 2: bad arguments.
int fuzz_command(const std::vector<std::string>& arguments);

/// Views, in-place and ordinary operations, their gradients and second gradients, against numbers that know what they
/// were computed from.
FuzzResult fuzz_views(uint64_t seed, Device device);
/// A sample of any operation with some inputs bent: it gives a result, the same twice and with any number of threads,
/// or an error of the library, and leaves its inputs alone. A tensor changed in place before a gradient, a result or an
/// input, does not change the gradient, unless the backward pass refuses.
FuzzResult fuzz_calls(uint64_t seed, Device device);
/// Sums by the algorithm `exact` of values that are spread, cancel or meet boundaries of rounding: ordering rule 5.
FuzzResult fuzz_sums(uint64_t seed, Device device);

/// Products of matrices by `exact`, of such factors: ordering rule 5.
FuzzResult fuzz_products(uint64_t seed, Device device);

/// Draws for one program.
class Draw {
 public:
  explicit Draw(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 0x1234567) {}
  uint64_t bits() {  // splitmix64
    uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  }
  /// In [low, high].
  int64_t in(int64_t low, int64_t high) { return low + int64_t(bits() % uint64_t(high - low + 1)); }
  bool chance(int percent) { return in(1, 100) <= percent; }

 private:
  uint64_t state_;
};

}  // namespace ordo::test
