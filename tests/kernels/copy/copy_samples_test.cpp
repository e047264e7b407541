// Samples of copies and fills.
#include "tests/kernels/samples.h"
#include "tests/support/threads_scope.h"

namespace ordo::test::copy_samples_test {
namespace {

std::vector<double> values_of(const Tensor& t) { return t.to_vector<double>(); }

const std::vector<Dims> kShapes{{}, {0, 3}, {7}, {3, 5}, {33, 35}, {2, 40, 41}};

Sample clone_sample(const Dims& sizes) {
  return {.label = sizes.str(),
          .inputs = {test_values(sizes)},
          .run = [](const TensorList& in) { return in[0].clone(); },
          .reference = [](const TensorList& in) { return values_of(in[0]); },
          .gradient = sizes.product() < 100};
}
ORDO_OP_SIZES(clone) { return {clone_sample({n})}; }
ORDO_OP_SAMPLES(clone) { return samples_of(kShapes, clone_sample); }

Sample transposed_sample(const Dims& sizes) {
  return {.label = "transposed " + sizes.str(),
          .inputs = {test_values(sizes)},
          .run = [](const TensorList& in) { return in[0].transpose(0, -1).contiguous(); },
          .reference = [](const TensorList& in) { return values_of(in[0].transpose(0, -1)); },
          .gradient = sizes.product() < 100};
}
ORDO_OP_SIZES(contiguous) {
  return {transposed_sample({n, 3}), transposed_sample({3, n}), transposed_sample({n, 33}),
          transposed_sample({2, 3, n})};
}
ORDO_OP_SAMPLES(contiguous) { return samples_of<Dims>({{5, 3}, {35, 40}, {64, 8}, {3, 70, 33}}, transposed_sample); }

Sample to_sample(DType dtype, const Tensor& input, double (*value)(double)) {
  return {.label = std::string(name(dtype)),
          .inputs = {input},
          .run = [dtype](const TensorList& in) { return in[0].to(dtype); },
          .reference = [value](const TensorList& in) { return each_value(in[0], value); },
          .gradient = is_floating(dtype)};
}
std::vector<Sample> to_samples(const Dims& sizes) {
  return {to_sample(float64, test_values(sizes), [](double x) { return x; }),
          to_sample(int32, test_values(sizes, 0, -100, 100), [](double x) { return std::trunc(x); }),
          to_sample(boolean, test_indices(sizes, 3).to(float64), [](double x) { return double(x != 0); })};
}
ORDO_OP_SAMPLES(to) { return to_samples({3, 15}); }
ORDO_OP_SIZES(to) { return to_samples({n}); }

Sample copy_sample(const Dims& to, const Dims& from) {
  return {.label = to.str() + " from " + from.str(),
          .inputs = {test_values(to, 1), test_values(from, 2)},
          .run =
              [](const TensorList& in) {
                Tensor t = in[0].clone();
                return t.copy_(in[1]);
              },
          .reference = [](const TensorList& in) { return values_of(in[1].expand(in[0].sizes())); },
          .gradient = to.product() < 100};
}
ORDO_OP_SIZES(copy_) { return {copy_sample({n}, {n}), copy_sample({3, n}, {3, 1}), copy_sample({n, 3}, {3})}; }
ORDO_OP_SAMPLES(copy_) {
  return {copy_sample({5}, {5}),   copy_sample({3, 4}, {4}), copy_sample({3, 4}, {3, 1}),
          copy_sample({2, 3}, {}), copy_sample({0, 3}, {3}), copy_sample({3, 7, 31}, {7, 1})};
}

Sample fill_sample(const Dims& sizes) {
  return {.label = sizes.str(),
          .inputs = {test_values(sizes)},
          .run =
              [](const TensorList& in) {
                Tensor t = in[0].clone();
                return t.fill_(3);
              },
          .reference = [](const TensorList& in) { return std::vector<double>(size_t(in[0].numel()), 3.0); },
          .gradient = sizes.product() < 100,
          .second_order = false};
}
ORDO_OP_SIZES(fill_) { return {fill_sample({n}), fill_sample({3, n})}; }
ORDO_OP_SAMPLES(fill_) { return samples_of(kShapes, fill_sample); }

/// The input gives dtype and device; make(options) are `numbers` from -1, `step` apart.
Sample numbers_sample(int64_t numbers, double step, const std::function<Tensor(const TensorOptions&)>& make) {
  return {.label = "like the input",
          .inputs = {test_values({1})},
          .run = [=](const TensorList& in) { return make({.dtype = in[0].dtype(), .device = in[0].device()}); },
          .reference =
              [=](const TensorList&) {
                std::vector<double> v;
                for (int64_t i = 0; i < numbers; ++i) v.push_back(-1 + step * double(i));
                return v;
              },
          .gradient = false};
}

/// In quarters, or whole numbers from 0.
Sample arange_sample(int64_t numbers) {
  return numbers_sample(numbers, 0.25, [=](const TensorOptions& options) {
    return is_floating(options.dtype) ? arange(-1, -1 + 0.25 * double(numbers), 0.25, options)
                                      : arange(0, numbers, 1, options);
  });
}
ORDO_OP_SAMPLES(arange) { return {arange_sample(12)}; }
ORDO_OP_SIZES(arange) { return {arange_sample(n)}; }

Sample linspace_sample(double end, int64_t numbers) {
  return numbers_sample(numbers, (end + 1) / double(std::max<int64_t>(1, numbers - 1)),
                        [=](const TensorOptions& options) { return linspace(-1, end, numbers, options); });
}
ORDO_OP_SAMPLES(linspace) { return {linspace_sample(2, 7)}; }
ORDO_OP_SIZES(linspace) { return {linspace_sample(2, n)}; }

// Conversions between all dtypes, copies between layouts and devices, and what they refuse.

constexpr DType kAll[] = {boolean, uint8, int32, int64, float16, bfloat16, float32, float64};

TEST(Copy, small_integers_survive_every_conversion) {
  const Tensor values = tensor<int64_t>({0, 1, 2, 3, 17, 100});
  for (Device device : test_devices())
    for (DType from : kAll)
      for (DType to : kAll) {
        SCOPED_TRACE(std::string(name(from)) + " to " + std::string(name(to)) + " on " + device.str());
        const Tensor t = values.to(device, from).to(to);
        EXPECT_EQ(t.dtype(), to);
        const bool logical = from == boolean || to == boolean;
        EXPECT_EQ(t.to_vector<int64_t>(),
                  logical ? (std::vector<int64_t>{0, 1, 1, 1, 1, 1}) : values.to_vector<int64_t>());
      }
}

TEST(Copy, floating_to_integer_truncates_and_saturates) {
  const Tensor v = tensor<double>(
      {-1.9, -0.5, 0.5, 1.9, 255.5, 256, -300, 2147483647.5, -2147483649.0, 1e30, -1e30, INFINITY, -INFINITY, NAN});
  constexpr int64_t m32 = std::numeric_limits<int32_t>::max(), l32 = std::numeric_limits<int32_t>::min();
  constexpr int64_t m64 = std::numeric_limits<int64_t>::max(), l64 = std::numeric_limits<int64_t>::min();
  for (Device device : test_devices()) {
    SCOPED_TRACE(device.str());
    const Tensor t = v.to(device);
    EXPECT_EQ(t.to(uint8).to_vector<int64_t>(),
              (std::vector<int64_t>{0, 0, 0, 1, 255, 255, 0, 255, 0, 255, 0, 255, 0, 0}));
    EXPECT_EQ(t.to(int32).to_vector<int64_t>(),
              (std::vector<int64_t>{-1, 0, 0, 1, 255, 256, -300, m32, l32, m32, l32, m32, l32, 0}));
    EXPECT_EQ(t.to(int64).to_vector<int64_t>(),
              (std::vector<int64_t>{-1, 0, 0, 1, 255, 256, -300, 2147483647, -2147483649, m64, l64, m64, l64, 0}));
    EXPECT_EQ(t.to(float32).to(int32).to_vector<int64_t>()[7], m32);
    EXPECT_EQ(t.to(boolean).to_vector<int64_t>(), std::vector<int64_t>(14, 1));
    EXPECT_EQ(tensor<int64_t>({256, -1, 511}).to(device).to(uint8).to_vector<int64_t>(),
              (std::vector<int64_t>{0, 255, 255}));
  }
}

TEST(Copy, conversions_have_the_same_bits_on_every_device) {
  const Tensor values = test_mixed_values({999}, 3) * 3000;
  for (DType from : kAll)
    for (DType to : kAll) {
      SCOPED_TRACE(std::string(name(from)) + " to " + std::string(name(to)));
      const Tensor source = values.to(from);
      for (Device device : test_devices()) EXPECT_EQ(bytes_of(source.to(device).to(to)), bytes_of(source.to(to)));
    }
}

/// Large enough for tiles, several threads and both index widths of the loops.
TEST(Copy, permuted_copies_move_every_element) {
  const ThreadsScope scope;
  for (Device device : test_devices())
    for (int n : {1, 3}) {
      set_num_threads(n);
      const Tensor t = arange(6 * 67 * 131).view({6, 67, 131}).to(device);
      for (const Dims& order : {Dims{0, 2, 1}, Dims{2, 1, 0}, Dims{1, 0, 2}, Dims{2, 0, 1}, Dims{1, 2, 0}}) {
        const Tensor p = t.permute(order), c = p.contiguous();
        ASSERT_TRUE(c.is_contiguous());
        const auto got = c.to_vector<int64_t>();
        const Dims s = p.strides(), z = p.sizes();
        size_t at = 0;
        for (int64_t i = 0; i < z[0]; ++i)
          for (int64_t j = 0; j < z[1]; ++j)
            for (int64_t k = 0; k < z[2]; ++k, ++at)
              ASSERT_EQ(got[at], i * s[0] + j * s[1] + k * s[2]) << order.str() << " on " << device.str();
        // And back, into strided memory.
        Tensor target = zeros({6, 67, 131}, {int64, device});
        target.permute(order).copy_(c);
        EXPECT_EQ(bytes_of(target), bytes_of(t));
      }
    }
}

TEST(Copy, copies_between_devices_convert_and_broadcast) {
  for (Device a : test_devices())
    for (Device b : test_devices()) {
      SCOPED_TRACE(a.str() + " to " + b.str());
      const Tensor source = tensor<float>({1.5f, -2.5f, 3}).to(a);
      Tensor target = zeros({3, 2}, {float64, b});
      target.t().copy_(source);
      EXPECT_EQ(target.to_vector<double>(), (std::vector<double>{1.5, 1.5, -2.5, -2.5, 3, 3}));
      EXPECT_EQ(source.to(b, int32).to_vector<int64_t>(), (std::vector<int64_t>{1, -2, 3}));
      EXPECT_TRUE(source.to(a).is_same(source));
    }
}

TEST(Copy, overlapping_memory_is_read_first) {
  for (Device device : test_devices()) {
    Tensor t = arange(9).view({3, 3}).to(device);
    t.copy_(t.t());
    EXPECT_EQ(t.to_vector<int64_t>(), (std::vector<int64_t>{0, 3, 6, 1, 4, 7, 2, 5, 8}));
    Tensor line = arange(5).to(device);
    line.slice(0, 1, 5).copy_(line.slice(0, 0, 4));
    EXPECT_EQ(line.to_vector<int64_t>(), (std::vector<int64_t>{0, 0, 1, 2, 3}));
  }
}

TEST(Copy, refuses) {
  EXPECT_ORDO_ERROR(Tensor().fill_(1), ValueError, "[fill_]");
  EXPECT_ORDO_ERROR(zeros_like(Tensor()), ValueError, "like");
  EXPECT_ORDO_ERROR(zeros({2}, {.dtype = int64, .requires_grad = true}), Error, "int64");
}

TEST(Copy, factories) {
  EXPECT_EQ(full({2}, 3, {int32}).to_vector<int64_t>(), (std::vector<int64_t>{3, 3}));
  EXPECT_EQ(ones({0, 4}).numel(), 0);
  EXPECT_EQ(scalar_tensor(2.5).dim(), 0);
  EXPECT_EQ(full_like(zeros({2}, {float64}), 0.1).to_vector<double>(), (std::vector<double>{0.1, 0.1}));
}

TEST(Arange, counts_and_defaults) {
  EXPECT_EQ(arange(5).dtype(), int64);
  EXPECT_EQ(arange(0, 1, 0.5).dtype(), float32);
  EXPECT_EQ(arange(5, -1, -2).to_vector<int64_t>(), (std::vector<int64_t>{5, 3, 1}));
  EXPECT_EQ(arange(3, 3).numel(), 0);
  EXPECT_EQ(linspace(0, 1, 1).to_vector<float>(), std::vector<float>{0});
  EXPECT_EQ(linspace(0, 1, 0).numel(), 0);
}

}  // namespace
}  // namespace ordo::test::copy_samples_test
