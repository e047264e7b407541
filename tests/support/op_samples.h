// Samples of an operation, from which the registry-driven tests follow (tests/registry, tests/simt/registry_*). In the
// operation's own test file:
//
//   ORDO_OP_SAMPLES(index_add) {
//     return {{.label = "dim1", .inputs = {...}, .run = [](const TensorList& in) { return index_add(in[0], 1, ...); },
//              .reference = [](const TensorList& in) { ... plain loops in double ... }}};
//   }
//   ORDO_OP_SIZES(index_add) { return {items(n), columns(n)}; }  // the same at any size n
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include <ordo/ordo.h>

namespace ordo::test {

struct Sample {
  std::string label;
  /// float64 and integer CPU tensors. Tests convert the floating ones to the dtype under test, and move them.
  TensorList inputs;
  std::function<Tensor(const TensorList&)> run;
  /// The result's elements in row-major order, by plain double-precision loops. It gets the same inputs, rounded to the
  /// dtype under test, as float64 CPU tensors.
  std::function<std::vector<double>(const TensorList&)> reference;
  bool gradient = true;          ///< small and smooth enough for finite differences
  bool second_order = true;      ///< also differentiate the gradient
  double tolerance = 4;          ///< error allowed, in units of the dtype's epsilon times the largest |reference|
  bool order_sensitive = false;  ///< at not_guaranteed, `atomic` gives different bits on different schedules
  /// What the algorithms of the registry row compute, the result or a gradient, by the one given. For operations with
  /// more than one that can be asked for.
  std::function<Tensor(const TensorList&, Algorithm)> forced = {};
};

using SampleFunction = std::vector<Sample> (*)();
std::map<std::string, SampleFunction>& op_samples();

/// A sample of each case.
template <class Case>
std::vector<Sample> samples_of(const std::vector<Case>& cases, Sample (*make)(const Case&)) {
  std::vector<Sample> samples;
  for (const Case& c : cases) samples.push_back(make(c));
  return samples;
}

/// Samples whose every dimension that a kernel divides among threads is n in one of them: items, destinations, rows,
/// columns, window, ... n is 1 or more.
using SizedSampleFunction = std::vector<Sample> (*)(int64_t n);
std::map<std::string, SizedSampleFunction>& op_sizes();

struct RegisterSamples {
  RegisterSamples(const char* op, SampleFunction f) { op_samples()[op] = f; }
};
#define ORDO_OP_SAMPLES(op)                                                            \
  static std::vector<::ordo::test::Sample> samples_##op();                             \
  static const ::ordo::test::RegisterSamples register_samples_##op{#op, samples_##op}; \
  static std::vector<::ordo::test::Sample> samples_##op()

struct RegisterSizes {
  RegisterSizes(const char* op, SizedSampleFunction f) { op_sizes()[op] = f; }
};
#define ORDO_OP_SIZES(op)                                                        \
  static std::vector<::ordo::test::Sample> sizes_##op(int64_t n);                \
  static const ::ordo::test::RegisterSizes register_sizes_##op{#op, sizes_##op}; \
  static std::vector<::ordo::test::Sample> sizes_##op([[maybe_unused]] int64_t n)

inline constexpr Determinism kLevels[] = {Determinism::not_guaranteed, Determinism::run_to_run,
                                          Determinism::device_to_device};

/// cpu, and cuda:0 where there is one (real or emulated).
std::vector<Device> test_devices();

/// Fixed pseudo-random numbers in [low, high), the same everywhere; different `stream`s are independent.
Tensor test_values(const Dims& sizes, uint64_t stream = 0, double low = -2, double high = 2);
/// Fixed pseudo-random numbers of mixed magnitudes (sign * 2^[-12, 12)), so that the order of a sum shows in its bits.
Tensor test_mixed_values(const Dims& sizes, uint64_t stream = 0);
/// Mixed values of that shape, with the dtype and on the device of `like`: a gradient that comes from above.
Tensor test_gradient(const Dims& sizes, const Tensor& like);
/// Fixed pseudo-random integers in [0, bound).
Tensor test_indices(const Dims& sizes, int64_t bound, uint64_t stream = 0, DType dtype = int64);

/// Dims for lambdas that one line holds, which clang-format breaks around braces.
template <class... N>
Dims dims(N... n) {
  return {int64_t(n)...};
}

/// The bytes of the elements in row-major order.
std::vector<uint8_t> bytes_of(const Tensor& t);
/// FNV-1a of bytes_of(t), for golden values: sixteen hexadecimal digits.
std::string hash_of(const Tensor& t);

/// Runs f under `seeds` schedules of the emulator and returns the number of distinct byte patterns of its result. On a
/// real GPU the runs are repeats. Call for CUDA tensors only.
int distinct_results(int seeds, const std::function<Tensor()>& f);

}  // namespace ordo::test

/// EXPECT_ORDO_ERROR(index_add(...), IndexError, "index_add"): throws that type, and the message holds the text.
#define EXPECT_ORDO_ERROR(statement, ErrorType, text)                                       \
  do {                                                                                      \
    try {                                                                                   \
      (void)(statement);                                                                    \
      ADD_FAILURE() << #statement " did not throw";                                         \
    } catch (const ::ordo::ErrorType& e) {                                                  \
      EXPECT_NE(std::string(e.what()).find(text), std::string::npos) << e.what();           \
    } catch (const std::exception& e) {                                                     \
      ADD_FAILURE() << #statement " threw another error than " #ErrorType ": " << e.what(); \
    }                                                                                       \
  } while (false)
