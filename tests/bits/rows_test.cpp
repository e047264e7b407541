// A row's result and gradients do not depend on the rows beside it: on how many there are, where it stands among them,
// what they hold, infinities and NaN included, and how the batch lies in memory. On every device: results at the level
// that the registry names, gradients at run_to_run at least.
#include "tests/bits/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include <ordo/engine/run/emulation.h>

#include "tests/bits/bits.h"
#include "tests/support/registry_test_base.h"
#include "tests/support/schedules.h"

namespace ordo::test::rows_test {
namespace {

ORDO_REGISTRY_TEST(RegistryRows);

// The emulator takes a hundred times as long: fewer sizes and dtypes.
std::vector<int64_t> batches(Device device) {
  if (few_are_tested() || device.is_cuda()) return {2, 17, 65};
  return {1, 2, 3, 5, 8, 16, 17, 33, 64, 65, 257, 1025};
}
/// Of a batch's largest tensor.
int64_t most_elements(Device device) { return device.is_cuda() ? 1 << 12 : 1 << 16; }

struct Computed {
  Tensor result;
  TensorList gradients;  // of the inputs that have rows; undefined where there is none
};

/// `gradient`: what comes from above; undefined: nothing is differentiated.
Computed compute(const Sample& sample, const TensorList& inputs, const RowDims& dims, const Tensor& gradient) {
  TensorList leaves;
  for (const Tensor& t : inputs)
    leaves.push_back(t.defined() && is_floating(t.dtype()) ? t.detach().requires_grad_(gradient.defined()) : t);
  Computed all{sample.run(leaves), {}};
  if (gradient.defined() && all.result.requires_grad()) all.result.backward(gradient);
  for (size_t i = 0; i < leaves.size(); ++i)
    all.gradients.push_back(dims.inputs[i] >= 0 && leaves[i].is_leaf() ? leaves[i].grad() : Tensor());
  return all;
}

enum class Neighbours : unsigned char { ordinary, strided, zeros, infinities, nan };
constexpr int kKinds = 5;

Tensor as(const Tensor& t, Neighbours kind) {
  if (kind <= Neighbours::strided || !t.defined() || !is_floating(t.dtype())) return t;
  const double value = kind == Neighbours::zeros        ? 0
                       : kind == Neighbours::infinities ? std::numeric_limits<double>::infinity()
                                                        : std::numeric_limits<double>::quiet_NaN();
  return full_like(t, value);
}

/// The same values, elsewhere in memory.
Tensor strided(const Tensor& t) {
  if (!t.defined() || t.dim() == 0) return t;
  return t.dim() == 1 ? stack({t, t}, 1).select(1, 0) : t.transpose(0, -1).contiguous().transpose(0, -1);
}

int64_t count_of(const TensorList& inputs, const RowDims& dims) {
  for (size_t i = 0; i < inputs.size(); ++i)
    if (dims.inputs[i] >= 0) return inputs[i].size(dims.inputs[i]);
  return 0;
}

class Rows {
 public:
  Rows(const Sample& sample, const TensorList& inputs, const RowDims& dims, bool gradients)
      : sample_(sample), dims_(dims), count_(count_of(inputs, dims)) {
    for (int64_t i = 0; i < count_; ++i) {
      rows_.push_back(row_of(inputs, dims, i));
      const Tensor alone = compute(sample, rows_.back(), dims, {}).result;
      gradients_.push_back(gradients && is_floating(alone.dtype()) ? test_gradient(alone.sizes(), alone) : Tensor());
      alone_.push_back(compute(sample, rows_.back(), dims, gradients_.back()));
    }
  }

  int64_t elements() const {
    int64_t most = alone_[0].result.numel();
    for (size_t i = 0; i < dims_.inputs.size(); ++i)
      if (dims_.inputs[i] >= 0) most = std::max(most, rows_[0][i].numel());
    return most;
  }

  /// A row among `batch`, at `place`. Nothing where the operation refuses such neighbours.
  void expect_same(int64_t batch, int64_t place, Neighbours kind) const {
    const int64_t row = (batch + place) % count_;
    std::vector<TensorList> rows;
    TensorList above;
    for (int64_t i = 0; i < batch; ++i) {
      const int64_t r = i == place ? row : (row + 1 + i) % count_;
      TensorList one = rows_[size_t(r)];
      for (size_t k = 0; i != place && k < one.size(); ++k)
        if (dims_.inputs[k] >= 0) one[k] = as(one[k], kind);
      rows.push_back(one);
      above.push_back(gradients_[size_t(r)]);
    }
    Computed all;
    Bytes bytes;
    try {
      TensorList inputs = batch_of_rows(rows, dims_);
      for (size_t k = 0; kind == Neighbours::strided && k < inputs.size(); ++k)
        if (dims_.inputs[k] >= 0) inputs[k] = strided(inputs[k]);
      all = compute(sample_, inputs, dims_, above[0].defined() ? cat(above, dims_.result) : Tensor());
      bytes = result_bytes(all.result.narrow(dims_.result, place, 1));  // a kernel's refusal comes with its result
    } catch (const Error& refused) {                                    // a number as an index, say
      ASSERT_GT(kind, Neighbours::strided) << sample_.label << ": " << refused.what();
      return;
    }
    const auto where = [&] {
      return fmt::format("{} row {} of {}, beside {}", sample_.label, place, batch, int(kind));
    };
    const Computed& alone = alone_[size_t(row)];
    ASSERT_EQ(difference(bytes, result_bytes(alone.result)), "") << where();
    for (size_t k = 0; k < dims_.inputs.size(); ++k) {
      if (!alone.gradients[k].defined()) continue;
      ASSERT_TRUE(all.gradients[k].defined()) << where();
      ASSERT_EQ(difference(result_bytes(all.gradients[k].narrow(dims_.inputs[k], place, 1)),
                           result_bytes(alone.gradients[k])),
                "")
          << where() << ", gradient of input " << k;
    }
  }

 private:
  const Sample& sample_;
  const RowDims& dims_;
  int64_t count_;
  std::vector<TensorList> rows_;
  TensorList gradients_;
  std::vector<Computed> alone_;
};

void expect_rows(const Sample& sample, const TensorList& inputs, const RowDims& dims, bool gradients) {
  const Rows rows(sample, inputs, dims, gradients);
  int turn = 0;
  const Device device = inputs[0].device();
  for (const int64_t batch : batches(device)) {
    if (batch > 2 && batch * rows.elements() > most_elements(device)) break;
    for (const int64_t place : {int64_t(0), batch / 2, batch - 1})
      rows.expect_same(batch, place, Neighbours(turn++ % kKinds));
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST_P(RegistryRows, are_those_of_the_file) {
  const auto written = rows_written(*op_);
  EXPECT_EQ(written.empty(), !op_->no_rows.empty())
      << "an operation without lines in tests/bits/rows.txt says why in its row of the registry (no_rows)";
  for (const Sample& sample : labelled_samples(*op_)) {
    const auto at = written.find(sample.label);
    const std::optional<RowDims> found = find_rows(sample);
    EXPECT_EQ(found ? found->str() : "", at == written.end() ? "" : at->second.str()) << sample.label;
  }
}

TEST_P(RegistryRows, do_not_depend_on_the_others) {
  const auto written = rows_written(*op_);
  for (const Sample& sample : labelled_samples(*op_)) {
    const auto at = written.find(sample.label);
    if (at == written.end()) continue;
    for (const Device device : devices()) {
      std::vector<DType> dtypes = tested_dtypes(*op_, sample);
      if (device.is_cuda() && dtypes.size() > 2) dtypes = {dtypes.front(), dtypes.back()};
      for (const DType dtype : dtypes) {
        SCOPED_TRACE(trace(sample, dtype, device) + " " + at->second.str());
        const TensorList inputs = convert(sample.inputs, dtype, device);
        if (!bytes_unless_refused(*op_, sample, inputs)) continue;
        const bool gradients = op_->differentiable && sample.gradient;
        if (!gradients || op_->row_level() == Determinism::not_guaranteed) {
          const DeterminismGuard guard(op_->row_level());
          expect_rows(sample, inputs, at->second, false);
        }
        if (gradients) {
          const DeterminismGuard guard(std::max(op_->row_level(), Determinism::run_to_run));
          expect_rows(sample, inputs, at->second, true);
        }
      }
    }
  }
}

// What cuBLAS adds up in which order depends on all sizes of a product, and so does its stand-in.
TEST(RowsOfTheLibrary, depend_on_those_beside_them) {
  if (cuda::build() != "cuda" || !cuda::is_simulated()) GTEST_SKIP() << "only the PTX machine has the stand-in";
  const Device device(Device::Type::cuda);
  const Tensor rows = test_mixed_values({6, 40}).to(float32).to(device);
  const Tensor weight = test_mixed_values({40, 5}, 1).to(float32).to(device);
  const auto differ = [&](Determinism level) {
    const DeterminismGuard guard(level);
    const Tensor all = matmul(rows, weight);
    for (int64_t count = 1; count < 6; ++count)
      if (!equal(matmul(rows.narrow(0, 0, count), weight), all.narrow(0, 0, count))) return true;
    return false;
  };
  EXPECT_TRUE(differ(Determinism::run_to_run));
  EXPECT_FALSE(differ(Determinism::device_to_device));
}

}  // namespace
}  // namespace ordo::test::rows_test
