#include "tests/kernels/samples.h"
#include "tests/support/threads_scope.h"

namespace ordo::test::bincount_samples_test {
namespace {

struct Case {
  const char* label;
  int64_t items, bins, minlength;
  bool weighted;
  DType dtype = int64;
  bool small = true;
};

Sample sample_of(const Case& c) {
  Sample sample = new_sample(c.label, {test_indices({c.items}, c.bins, 2, c.dtype)});
  if (c.weighted) sample.inputs.push_back(test_mixed_values({c.items}, 3));
  const auto run = [c](const TensorList& in, Algorithm algorithm) {
    return bincount(in[0], c.weighted ? in[1] : Tensor(), c.minlength, algorithm);
  };
  sample.run = [run](const TensorList& in) { return run(in, Algorithm::automatic); };
  sample.forced = run;
  sample.reference = [c](const TensorList& in) {
    const auto values = in[0].to_vector<int64_t>();
    std::vector<double> weights(values.size(), 1.0), sums(size_t(c.minlength));
    if (c.weighted) weights = in[1].to_vector<double>();
    for (size_t i = 0; i < values.size(); ++i) {
      if (sums.size() <= size_t(values[i])) sums.resize(size_t(values[i]) + 1);
      sums[size_t(values[i])] += weights[i];
    }
    return sums;
  };
  sample.gradient = c.small && c.weighted;
  // n random roundings of partial sums stay within n/16 of the largest here.
  sample.tolerance = 4 + double(c.items) / 16;
  sample.order_sensitive = std::string_view(c.label) == "many";
  return sample;
}

ORDO_OP_SIZES(bincount) {
  return {sample_of({"items", n, 5, 0, true}), sample_of({"bins", 40, n, n, true}),
          sample_of({"counts", n, 7, 0, false})};
}
ORDO_OP_SAMPLES(bincount) {
  return samples_of<Case>({{"counts", 30, 7, 0, false},
                           {"minlength", 10, 4, 9, false, int32},
                           {"empty", 0, 1, 3, false},
                           {"weights", 25, 5, 0, true},
                           {"weights_of_int32", 20, 5, 8, true, int32},
                           {"weights_of_uint8", 20, 5, 2, true, uint8},
                           {"empty_weights", 0, 1, 2, true},
                           {"one", 1, 1, 0, true},
                           {"one_bin", 4200, 1, 0, true, int64, false},
                           {"many", 5000, 60, 0, true, int32, false},
                           {"sparse", 100, 4000, 0, true, int64, false},
                           {"many_counts", 20000, 300, 0, false, int32, false}},
                          sample_of);
}

TEST(Bincount, result_dtypes) {
  const Tensor x = tensor<int64_t>({1, 0, 1});
  EXPECT_EQ(bincount(x).dtype(), int64);
  EXPECT_EQ(bincount(x, ones({3})).dtype(), float32);
  for (DType t : {float64, float16, bfloat16, int32, uint8, int64})
    EXPECT_EQ(bincount(x, ones({3}, {.dtype = t})).dtype(), float64) << name(t);
}

TEST(Bincount, minlength_changes_no_sum) {
  const DeterminismGuard guard(Determinism::device_to_device);
  const ThreadsScope scope;
  for (int threads : {1, 2})
    for (int64_t bins : {3, 5000, 40000})
      for (int64_t largest : {bins - 1, bins, 2 * bins})  // of one value, as much or more than minlength says
        for (DType dtype : {int32, int64}) {
          set_num_threads(threads);
          constexpr int64_t kCount = 50000;
          auto values = test_indices({kCount}, bins, 1).to_vector<int64_t>();
          values[kCount / 3 + 1] = largest;
          const Tensor x = from_vector(values, {kCount}).to(dtype),
                       weights = test_mixed_values({kCount}, 2).to(float32);
          auto want = bincount(x, weights).to_vector<float>();
          want.resize(size_t(std::max(bins, largest + 1)));
          EXPECT_EQ(bytes_of(bincount(x, weights, bins)), bytes_of(from_vector(want, {int64_t(want.size())})))
              << threads << " threads, " << bins << " bins, largest " << largest;
        }
}

}  // namespace
}  // namespace ordo::test::bincount_samples_test
