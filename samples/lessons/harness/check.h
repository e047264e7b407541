// What the check of a lesson uses. A check.cu defines check(), which returns when all is well and otherwise ends by
// fail(), by itself or from one of the functions here.
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace lesson {

/// The lesson's check.
void check();

/// What a check's program returns: DONE; one schedule of only_seed() ended well. All else is a verdict.
inline constexpr int kDone = 10, kLooked = 11;
/// Runs a check and prints its verdict, whatever ends it.
int judge(void (*check)());
/// The verdict for what the emulator reports, and what its words do not say.
const char* verdict_of(const std::string& message);
const char* explanation(std::string_view verdict);

/// Where say() and fail() print: not where the learner's code does.
extern FILE* g_out;
/// How often run_schedules() runs something.
inline constexpr int kSchedules = 20;

/// Where a function of the learner's begins, "yours.cu:12"; its name where that is not known.
std::string place_of(const void* function, const char* name);
#define LESSON_PLACE(function) lesson::place_of(reinterpret_cast<const void*>(&function), #function "()")
/// Prints "VERDICT: what" and ends the check.
[[noreturn]] void fail(const std::string& verdict, const std::string& what);
/// Prints a line that is no verdict.
void say(const std::string& line);
/// "0.1 (0x3dcccccd)"
std::string bits_text(float value);

/// What `kSchedules` runs gave.
struct Runs {
  std::vector<std::vector<float>> results;  ///< of each run
  int distinct = 0;                         ///< how many of them differ in a bit
  /// For each run, the place in the program that last wrote each number; empty where results are not simply the
  /// values() of arrays, one after the other.
  std::vector<std::vector<const void*>> writers;
  uint64_t float_atomics = 0;  ///< atomic additions of floating-point numbers in the last run
  uint64_t in_a_row = 0;       ///< accesses to memory of each kernel's busiest thread, added, in the last run
  std::string busiest_at;      ///< " at yours.cu:12", where the busiest thread has many of them
  std::function<std::vector<float>()> run;  ///< what was run
  const std::vector<float>& first() const { return results.front(); }
};
/// Runs `run` under schedules of the emulator with seeds 1, 2, ...; on a GPU, as often. Says how many results differ.
Runs run_schedules(const std::function<std::vector<float>()>& run);
/// The seed of ./run lesson N --seed: run_schedules() runs this schedule only, prints what it gave, and nothing is
/// judged but what one schedule shows. Otherwise 0.
uint64_t only_seed();

/// " It was last written at yours.cu:12.", of number i of a run's results; empty where that is not known.
std::string written_at(const Runs& runs, size_t run, size_t i);

/// Fails with WRONG RESULT unless every result is within `tolerance[i]` of `reference[i]`.
void expect_close(const Runs& runs, const std::vector<double>& reference, const std::vector<double>& tolerance);
/// Fails with WRONG RESULT unless the result, of what `place` names, has the reference's bits.
void expect_bits(const std::vector<float>& result, const std::vector<float>& reference, const std::string& place,
                 const std::string& why);
/// Fails with ORDER unless all runs have the same bits; says what they depend on.
void expect_one_result(const Runs& runs);
/// Fails with ATOMICS when a run made more than `most` atomic additions of floating-point numbers.
void expect_float_atomics(const Runs& runs, uint64_t most);
/// Fails with SERIAL when the busiest threads used memory more often than `most` times, one after the other.
void expect_shared_work(const Runs& runs, uint64_t most);

/// Numbers in [0, n) and floats of mixed magnitude and sign: the same on every machine.
std::vector<int> random_indices(size_t count, int n, uint64_t seed);
std::vector<float> random_floats(size_t count, uint64_t seed);

/// The sums by destination in double, and a bound for the error of float sums in any order: count * 2^-24 * sum of |v|.
struct Reference {
  std::vector<double> sums, tolerance;
};
Reference reference_sums(const std::vector<int>& destination, const std::vector<float>& values, int destinations);

}  // namespace lesson
