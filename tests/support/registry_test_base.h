// What the registry-driven tests share (tests/registry, tests/simt/registry_*): one test per operation and subject, and
// how a sample is run and compared.
#pragma once

#include <optional>

#include "tests/support/op_samples.h"

namespace ordo::test {

using Bytes = std::vector<uint8_t>;

/// The tests' parameter is the operation's name. A suite per file: ORDO_REGISTRY_TEST(RegistryReference);
class RegistryTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override;
  void TearDown() override { set_num_threads(threads_); }

  /// Those that the operation has.
  std::vector<Device> devices() const;
  bool has_cuda() const { return devices().size() > 1; }
  /// The samples of size n; none when there is no ORDO_OP_SIZES.
  std::vector<Sample> sized(int64_t n) const;

  const OpInfo* op_ = nullptr;
  std::vector<Sample> samples_;

 private:
  int threads_ = num_threads();
};

std::vector<std::string> op_names();
#define ORDO_REGISTRY_TEST(Suite) ORDO_REGISTRY_TEST_ON(Suite, RegistryTest)
#define ORDO_REGISTRY_TEST_ON(Suite, Base)                                                                          \
  class Suite : public Base {};                                                                                     \
  INSTANTIATE_TEST_SUITE_P(Ops, Suite, testing::ValuesIn(op_names()), [](const auto& info) { return info.param; }); \
  GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Suite)

/// Sizes on both sides of a warp, of every block and tile, and of a group of the ordered tree (64) and its square.
inline constexpr int64_t kSizes[] = {1, 31, 32, 33, 63, 64, 65, 127, 129, 255, 256, 257, 1023, 1025, 4097};
/// Whether this is a checked build, or ORDO_TEST_SIZES=few.
bool few_are_tested();
/// kSizes; where few are tested, some of them, of every magnitude up to that of a few blocks.
std::vector<int64_t> tested_sizes();
std::vector<int64_t> few_sizes();

bool any_floating(const TensorList& inputs);
/// The dtypes of the registry row in which the sample can run: floating ones first. Just float64 where no input is
/// floating, and so nothing converted.
std::vector<DType> dtypes_of(const OpInfo& op, const Sample& sample);
/// dtypes_of(); in checked builds only the first and the last.
std::vector<DType> tested_dtypes(const OpInfo& op, const Sample& sample);
std::vector<DType> floating_dtypes(const OpInfo& op, const Sample& sample);
/// Floating inputs become `dtype`, all go to `device`. For integers the values are scaled first, so that few are equal.
TensorList convert(const TensorList& inputs, DType dtype, Device device);

/// The distance of 1 from the next number; that of float64 for others.
double epsilon(DType dtype);
/// Compares with the reference's values; `dtype` is the inputs'.
void expect_close(const Tensor& got, const std::vector<double>& want, const Sample& sample, DType dtype);

/// Numbers by `atomic`: each of the `items` additions may round, to `dtype`.
void expect_near(const TensorList& got, const TensorList& want, int64_t items, DType dtype);

/// The bytes of a result, with one pattern for every NaN: a GPU makes others than an x86 processor
/// (docs/determinism.md).
Bytes result_bytes(const Tensor& t);

/// What to compute beside a result.
enum class Gradients : unsigned char {
  first,
  second  ///< the gradients, the same with their own graph, and the gradients of those
};
/// The result and all gradients that there are. Floating inputs are the leaves, with the layout they come in.
TensorList result_and_gradients(const OpInfo& op, const Sample& sample, const TensorList& inputs,
                                Gradients gradients = Gradients::first);
/// Their bytes, one after the other.
Bytes all_bytes(const OpInfo& op, const Sample& sample, const TensorList& inputs,
                Gradients gradients = Gradients::first);
/// all_bytes(); nothing where the operation refuses these inputs or their dtype.
std::optional<Bytes> bytes_unless_refused(const OpInfo& op, const Sample& sample, const TensorList& inputs,
                                          Gradients gradients = Gradients::first);
/// Empty when equal, else where the first difference is.
std::string difference(const Bytes& got, const Bytes& want);

/// "dim1 float32 cuda:0"
std::string trace(const Sample& sample, DType dtype, Device device);

}  // namespace ordo::test
