#include "tests/kernels/samples.h"
#include "tests/support/integer_arguments.h"

namespace ordo::test::segment_reduce_samples_test {
namespace {

struct Case {
  const char* label;
  Reduce reduce;
  Dims data;
  std::vector<int64_t> numbers;  // lengths, or offsets
  Dims sizes;                    // of those
  bool offsets = false;
  int axis = 0;
  std::optional<double> initial = {};
  DType index_dtype = int64;
};

std::vector<double> reference(const Case& c, const std::vector<double>& x) {
  const int64_t per_row = c.sizes[c.axis] - (c.offsets ? 1 : 0), size = c.data[c.axis];
  int64_t rows = 1, columns = 1;
  for (int d = 0; d < c.axis; ++d) rows *= c.data[d];
  for (int d = c.axis + 1; d < c.data.size(); ++d) columns *= c.data[d];
  const Reduce reduce = c.reduce;
  std::vector<double> out;
  for (int64_t row = 0; row < rows; ++row) {
    int64_t begin = 0;
    for (int64_t s = 0; s < per_row; ++s) {
      const int64_t* number = &c.numbers[size_t(row * c.sizes[c.axis] + s)];
      if (c.offsets) begin = number[0];
      const int64_t end = c.offsets ? number[1] : begin + number[0];
      for (int64_t j = 0; j < columns; ++j) {
        const double inf = std::numeric_limits<double>::infinity();
        double v = reduce == Reduce::prod ? 1 : reduce == Reduce::max ? -inf : reduce == Reduce::min ? inf : 0;
        const auto take = [&](double next) {
          v = reduce == Reduce::prod  ? v * next
              : reduce == Reduce::max ? std::max(v, next)
              : reduce == Reduce::min ? std::min(v, next)
                                      : v + next;
        };
        for (int64_t i = begin; i < end; ++i) take(x[size_t((row * size + i) * columns + j)]);
        if (c.initial) take(*c.initial);
        if (reduce == Reduce::mean && end > begin) v /= double(end - begin);
        out.push_back(v);
      }
      begin = end;
    }
  }
  return out;
}

Sample sample_of(const Case& c) {
  Sample s;
  s.label = std::string(name(c.reduce)) + " " + c.label;
  const int64_t items = c.data.product();
  s.inputs = {c.reduce == Reduce::prod && items > 60 ? test_values(c.data, 1, 0.95, 1.05) : test_values(c.data, 1)};
  s.run = [c](const TensorList& in) {
    const Tensor numbers = from_vector(c.numbers, c.sizes).to(in[0].device(), c.index_dtype);
    return segment_reduce(in[0], c.reduce, c.offsets ? Tensor() : numbers, c.offsets ? numbers : Tensor(), c.axis,
                          false, c.initial);
  };
  s.reference = [c](const TensorList& in) { return reference(c, in[0].to_vector<double>()); };
  s.gradient = items <= 60;
  const Reduce reduce = c.reduce;
  // A product rounds at every factor; a sum's roundings mostly cancel.
  s.tolerance =
      reduce == Reduce::max || reduce == Reduce::min ? 0 : 4 + double(items) / (reduce == Reduce::prod ? 1 : 16);
  return s;
}

constexpr Reduce kReductions[] = {Reduce::sum, Reduce::mean, Reduce::max, Reduce::min, Reduce::prod};

ORDO_OP_SAMPLES(segment_reduce) {
  std::vector<Case> cases;
  for (const Reduce reduce : kReductions)
    cases.insert(cases.end(), {{"lengths", reduce, {7, 3}, {2, 4, 1}, {3}},
                               {"offsets", reduce, {7, 5}, {1, 3, 6}, {3}, true, 0, {}, int32},
                               {"initial", reduce, {6}, {2, 0, 4}, {3}, false, 0, 0.75},
                               {"axis 1", reduce, {2, 5, 2}, {2, 3, 4, 1}, {2, 2}, false, 1},
                               {"hot", reduce, {300}, {65, 3, 232}, {3}}});
  cases.insert(cases.end(), {{"no slices", Reduce::sum, {0, 3}, {0, 0}, {2}},
                             {"no segments", Reduce::prod, {0, 3}, {}, {0}},
                             {"no columns", Reduce::mean, {3, 0}, {2, 1}, {2}},
                             {"empty segments", Reduce::sum, {3, 2}, {0, 3, 0}, {3}},
                             {"wide", Reduce::sum, {200, 7}, {129, 0, 71}, {3}},
                             {"long", Reduce::sum, {4300}, {4299, 1}, {2}, false, 0, {}, int32}});
  return samples_of(cases, sample_of);
}
ORDO_OP_SIZES(segment_reduce) {
  std::vector<Case> cases;
  for (const Reduce reduce : {Reduce::sum, Reduce::min, Reduce::prod})
    cases.insert(cases.end(), {{"slices", reduce, {n + 1, 2}, {n, 1}, {2}},
                               {"slices of columns", reduce, {n, 5}, {n}, {1}},
                               {"segments", reduce, {n}, std::vector<int64_t>(size_t(n), 1), {n}},
                               {"columns", reduce, {5, n}, {2, 3}, {2}},
                               {"rows", reduce, {n, 3}, std::vector<int64_t>(size_t(n), 3), {n, 1}, false, 1}});
  return samples_of(cases, sample_of);
}
ORDO_OP_INTEGER(segment_reduce, "lengths", segment_reduce(some(d), Reduce::sum, one_index(v, d)));
ORDO_OP_INTEGER(segment_reduce, "second of the lengths",
                segment_reduce(some(d), Reduce::max, tensor<int64_t>({1, v, 1}).to(d), {}, 0, true));
ORDO_OP_INTEGER(segment_reduce, "offsets", segment_reduce(some(d), Reduce::prod, {}, tensor<int64_t>({0, v, 2}).to(d)));
ORDO_OP_INTEGER(segment_reduce, "axis", segment_reduce(some(d), Reduce::mean, tensor<int64_t>({1, 1}).to(d), {}, v));

std::string text(const Tensor& t) {
  std::string out;
  for (double v : t.to_vector<double>())
    out += (out.empty() ? "" : " ") + (v != v ? "nan" : std::to_string(v).substr(0, 5));
  return out;
}

TEST(SegmentReduce, empty_segments_ties_zeros_and_initial_as_torch) {
  for (Device device : test_devices()) {
    const Tensor lengths = tensor<int64_t>({2, 3, 2, 0}).to(device);
    const auto both = [&](Reduce reduce, std::optional<double> initial) {
      const Tensor x = tensor<double>({1, 1, 2, 0, 0, 3, 0}).to(device).set_requires_grad();
      const Tensor y = segment_reduce(x, reduce, lengths, {}, 0, false, initial);
      y.sum().backward();
      return text(y) + " | " + text(x.grad());
    };
    EXPECT_EQ(both(Reduce::sum, {}), "2.000 2.000 3.000 0.000 | 1.000 1.000 1.000 1.000 1.000 1.000 1.000");
    EXPECT_EQ(both(Reduce::mean, {}), "1.000 0.666 1.500 nan | 0.500 0.500 0.333 0.333 0.333 0.500 0.500");
    EXPECT_EQ(both(Reduce::mean, 3), "2.500 1.666 3.000 3.000 | 0.500 0.500 0.333 0.333 0.333 0.500 0.500");
    EXPECT_EQ(both(Reduce::max, {}), "1.000 2.000 3.000 -inf | 0.500 0.500 1.000 0.000 0.000 1.000 0.000");
    EXPECT_EQ(both(Reduce::max, 3), "3.000 3.000 3.000 3.000 | 0.000 0.000 0.000 0.000 0.000 1.000 0.000");
    EXPECT_EQ(both(Reduce::min, {}), "1.000 0.000 0.000 inf | 0.500 0.500 0.000 0.500 0.500 0.000 1.000");
    EXPECT_EQ(both(Reduce::prod, {}), "1.000 0.000 0.000 1.000 | 1.000 1.000 0.000 0.000 0.000 0.000 3.000");
    EXPECT_EQ(both(Reduce::prod, 3), "3.000 0.000 0.000 3.000 | 3.000 3.000 0.000 0.000 0.000 0.000 9.000");
    const Tensor odd = tensor<double>({1, NAN, 2, -INFINITY, INFINITY}).to(device).set_requires_grad();
    const Tensor most = segment_reduce(odd, Reduce::max, tensor<int64_t>({3, 2}).to(device));
    EXPECT_EQ(text(most), "nan inf");
    most.sum().backward();
    EXPECT_EQ(text(odd.grad()), "0.000 1.000 0.000 0.000 1.000");
    EXPECT_EQ(text(segment_reduce(odd, Reduce::min, tensor<int64_t>({3, 2}).to(device))), "nan -inf");
  }
}

TEST(SegmentReduce, unsafe_lengths_may_leave_slices_out) {
  const Tensor x = ones({5}).set_requires_grad();
  const Tensor y = segment_reduce(x, Reduce::sum, tensor<int64_t>({2, 1}), {}, 0, true);
  EXPECT_EQ(y.to_vector<double>(), (std::vector<double>{2, 1}));
  y.sum().backward();
  EXPECT_EQ(x.grad().to_vector<double>(), (std::vector<double>{1, 1, 1, 0, 0}));
}

TEST(SegmentReduce, slices_in_no_segment_have_gradient_0) {
  for (Device device : test_devices())
    for (const Reduce reduce : kReductions)
      for (bool create_graph : {false, true}) {
        const Tensor x = tensor<double>({NAN, -1, 2, -3, NAN, -INFINITY}).to(device).set_requires_grad();
        const Tensor y = segment_reduce(x, reduce, {}, tensor<int64_t>({1, 3}).to(device));
        const Tensor g = grad({y.sum()}, {x}, {}, false, create_graph)[0];
        for (int64_t i : {0, 3, 4, 5}) EXPECT_EQ(g[i].item(), 0) << name(reduce) << " " << i;
      }
}

TEST(SegmentReduce, gradients_with_ties_and_zeros_have_the_same_bits_however_they_are_found) {
  for (DType dtype : {float32, float64, float16, bfloat16})
    for (const Reduce reduce : {Reduce::max, Reduce::min, Reduce::prod})
      for (const Dims& sizes : {Dims{150}, Dims{150, 3}, Dims{150, 600}}) {
        Tensor few = test_indices(sizes, 5, 4).to(float64) - 1;  // -1, 0, 1, 2, 3
        few = where(gt(test_values(sizes, 5), -1.9), few.clamp(1, 1.25), few);
        const Tensor weights = test_values({5}, 6).view(sizes.size() == 1 ? Dims{5} : Dims{5, 1});
        std::vector<uint8_t> want;
        for (Device device : test_devices())
          for (bool create_graph : {false, true}) {
            const Tensor x = few.detach().to(device, dtype).set_requires_grad();
            const Tensor y =
                segment_reduce(x, reduce, {}, tensor<int64_t>({2, 9, 9, 40, 109, 148}).to(device), 0, false, 0.5);
            const Tensor g = grad({y}, {x}, {weights.expand(y.sizes()).to(device, dtype)}, false, create_graph)[0];
            if (want.empty()) want = bytes_of(g);
            EXPECT_EQ(bytes_of(g), want) << name(reduce) << " " << name(dtype) << " " << sizes.str() << " "
                                         << device.str();
          }
      }
}

// Groups of groups.
TEST(SegmentReduce, long_segments_have_the_same_bits_on_every_device) {
  for (DType dtype : {float32, float64, float16, bfloat16})
    for (const Reduce reduce : {Reduce::sum, Reduce::mean, Reduce::max, Reduce::min, Reduce::prod}) {
      const Tensor x = test_values({9000}, 7) * 0.001 + 1;
      std::vector<uint8_t> want;
      for (Device device : test_devices()) {
        const Tensor y = segment_reduce(x.to(device, dtype), reduce, tensor<int64_t>({3, 8990, 7}).to(device));
        if (want.empty()) want = bytes_of(y);
        EXPECT_EQ(bytes_of(y), want) << name(reduce) << " " << name(dtype) << " " << device.str();
      }
    }
}

TEST(SegmentReduce, second_derivative_of_several_zeros_is_refused) {
  const Tensor x = tensor<double>({0, 0, 2}).set_requires_grad();
  const Tensor y = segment_reduce(x, Reduce::prod, tensor<int64_t>({3}));
  const Tensor g = grad({y.sum()}, {x}, {}, false, true)[0];
  EXPECT_ORDO_ERROR(g.sum().backward(), AutogradError, "second derivative of prod");
}

TEST(SegmentReduce, wrong_offsets_are_errors_of_both_devices) {
  for (Device device : test_devices())
    for (int64_t columns : {1, 3}) {
      const Tensor x = ones({1000, columns}).to(device);
      for (const std::vector<int64_t>& wrong :
           {std::vector<int64_t>{0, 900, 100, 1000}, {0, -5, 700, 2000}, {999, 0, 1}})
        EXPECT_ORDO_ERROR(segment_reduce(x, Reduce::max, {}, from_vector(wrong, {int64_t(wrong.size())}).to(device))
                              .to_vector<float>(),
                          IndexError, "[segment_reduce] offsets");
    }
}

TEST(SegmentReduce, refuses) {
  const Tensor x = ones({5, 2}), lengths = tensor<int64_t>({2, 3});
  EXPECT_ORDO_ERROR(segment_reduce(x, Reduce::sum), ValueError, "either lengths or offsets, and has neither");
  EXPECT_ORDO_ERROR(segment_reduce(x, Reduce::sum, lengths, lengths), ValueError, "not both");
  EXPECT_ORDO_ERROR(segment_reduce(x, Reduce(5), lengths), ValueError, "number 5");
  EXPECT_ORDO_ERROR(segment_reduce(x, Reduce::sum, ones({2})), DTypeError, "segment_reduce");
  EXPECT_ORDO_ERROR(segment_reduce(x, Reduce::sum, {}, zeros({0}, int64)), ShapeError, "at least one offset");
}

}  // namespace
}  // namespace ordo::test::segment_reduce_samples_test
