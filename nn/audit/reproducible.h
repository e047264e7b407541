// Does a piece of a program repeat? For tests:
//
//   EXPECT_TRUE(audit::reproducible([] { manual_seed(1); train_a_little(); }));
//
// and, in a training, now and then:
//
//   audit::watch(trainer, {.folder = "runs/digits/audit", .first = 3, .every = 1000});
#pragma once

#include <functional>
#include <iosfwd>
#include <string>

#include <ordo/nn/audit/recorder.h>

namespace ordo {
class Trainer;
}

namespace ordo::audit {

/// True when all runs were alike.
struct Comparison {
  bool equal = true;
  std::string message = {};  ///< what parted first: "run 2 parts from run 1 at operation relu ..."; empty when equal
  int64_t operations = 0;    ///< events that were compared
  explicit operator bool() const { return equal; }
};
/// The message, or "equal".
std::ostream& operator<<(std::ostream& out, const Comparison& comparison);

struct ReproducibleOptions {
  int times = 2;                ///< at least 2
  RecorderOptions record = {};  ///< `path` is not used
};
/// Runs `f` several times, recording into memory, and compares every run with the first by diff(): operations, random
/// numbers, batches and steps, and the bits of what went in and came out. `f` seeds what it draws from.
///
/// Throws: ValueError when `times` is below 2 or `f` is empty; what `f` throws.
Comparison reproducible(const std::function<void()>& f, ReproducibleOptions options = {});

struct AuditOptions {
  std::string folder = "";      ///< for the traces step-17.trace; made where it is missing
  int64_t first = 1;            ///< so many steps from the run's beginning, and from where it is resumed
  int64_t every = 0;            ///< after them the steps that this divides; 0: none
  RecorderOptions record = {};  ///< `path` and `steps` are not used
};
/// Records steps of the run that `trainer` will make, each to a file of its own.
///
/// Throws: ValueError when the folder has no name or a number is negative; fit() then DataError when a file cannot be
/// written.
void watch(Trainer& trainer, AuditOptions options);

}  // namespace ordo::audit
