// Convolutions by `exact`: every element of the result and of the gradients of input and weight is the true sum of its products, rounded once.
#include "tests/kernels/accumulate/exact_reference.h"
#include "tests/support/op_samples.h"

namespace ordo::test::exact_convolution_test {
namespace {

struct Case {
  int64_t samples, groups, channels, filters, height, width, kernel_h, kernel_w, stride, padding, dilation;
};
constexpr Case kCases[] = {{1, 1, 1, 1, 3, 4, 1, 1, 1, 0, 1}, {2, 1, 3, 4, 7, 6, 3, 2, 1, 1, 1},
                           {2, 2, 2, 3, 9, 8, 3, 3, 2, 1, 1}, {1, 1, 2, 2, 11, 7, 2, 3, 3, 0, 2},
                           {3, 1, 1, 2, 5, 5, 1, 1, 2, 2, 1}, {2, 3, 1, 1, 6, 9, 3, 3, 1, 4, 2}};

/// Sums of products, element by element.
class Sums {
 public:
  explicit Sums(int64_t count) : left_(size_t(count)), right_(size_t(count)) {}
  void add(int64_t at, float a, float b) { left_[size_t(at)].push_back(a), right_[size_t(at)].push_back(b); }
  template <class T>
  Tensor rounded(const Dims& sizes) const {
    std::vector<T> all;
    for (size_t i = 0; i < left_.size(); ++i) all.push_back(rule5_of_products<T>(left_[i], right_[i]));
    return from_vector(all, sizes);
  }
  Tensor rounded(const Dims& sizes, DType dtype) const {
    if (dtype == float16) return rounded<Half>(sizes);
    return dtype == bfloat16 ? rounded<BFloat16>(sizes) : rounded<float>(sizes);
  }

 private:
  std::vector<std::vector<float>> left_, right_;
};

struct Operands {
  Tensor x, weight, bias, y;  // y: values of the output's sizes
};

Operands operands(const Case& c, DType dtype) {
  const Tensor x = test_mixed_values({c.samples, c.groups * c.channels, c.height, c.width}, 1).to(dtype);
  const Tensor weight = test_mixed_values({c.groups * c.filters, c.channels, c.kernel_h, c.kernel_w}, 2).to(dtype);
  const Tensor bias = test_mixed_values({c.groups * c.filters}, 3).to(dtype);
  const Tensor y =
      conv2d(x, weight, {}, {.stride = c.stride, .padding = c.padding, .dilation = c.dilation, .groups = c.groups});
  return {x, weight, bias, test_mixed_values(y.sizes(), 4).to(dtype)};
}

/// f(element of y, of x, of the weight) for each product of the convolution; x is -1 in the padding.
template <class F>
void each_product(const Case& c, const Dims& y, const F& f) {
  int64_t at = 0;
  for (int64_t n = 0; n < y[0]; ++n)
    for (int64_t o = 0; o < y[1]; ++o)
      for (int64_t i = 0; i < y[2]; ++i)
        for (int64_t j = 0; j < y[3]; ++j, ++at)
          for (int64_t ch = 0; ch < c.channels; ++ch)
            for (int64_t u = 0; u < c.kernel_h; ++u)
              for (int64_t v = 0; v < c.kernel_w; ++v) {
                const int64_t row = i * c.stride + u * c.dilation - c.padding,
                              column = j * c.stride + v * c.dilation - c.padding;
                const bool inside = row >= 0 && row < c.height && column >= 0 && column < c.width;
                const int64_t plane = (n * c.groups + o / c.filters) * c.channels + ch;
                f(at, inside ? (plane * c.height + row) * c.width + column : -1,
                  ((o * c.channels + ch) * c.kernel_h + u) * c.kernel_w + v);
              }
}

TEST(ExactConvolution, follows_rule5_with_its_gradients) {
  for (const Case& c : kCases)
    for (const DType dtype : {float32, bfloat16, float16}) {
      const Operands t = operands(c, dtype);
      const auto x = t.x.to_vector<float>(), w = t.weight.to_vector<float>(), b = t.bias.to_vector<float>(),
                 y = t.y.to_vector<float>();
      Sums of_y(t.y.numel()), of_x(t.x.numel()), of_weight(t.weight.numel());
      each_product(c, t.y.sizes(), [&](int64_t at_y, int64_t at_x, int64_t at_w) {
        of_y.add(at_y, w[size_t(at_w)], at_x < 0 ? 0 : x[size_t(at_x)]);
        of_weight.add(at_w, y[size_t(at_y)], at_x < 0 ? 0 : x[size_t(at_x)]);
        if (at_x >= 0) of_x.add(at_x, w[size_t(at_w)], y[size_t(at_y)]);
      });
      for (int64_t i = 0; i < t.x.numel(); ++i) of_x.add(i, 0, 1);  // cells that no output reads are +0
      const int64_t plane = t.y.size(2) * t.y.size(3);
      for (int64_t i = 0; i < t.y.numel(); ++i) of_y.add(i, b[size_t(i / plane % t.bias.numel())], 1);
      for (const Device device : test_devices()) {
        const MatmulAlgorithmGuard exact(Algorithm::exact);
        const Tensor leaf = t.x.detach().clone().to(device).requires_grad_(),
                     weight = t.weight.detach().clone().to(device).requires_grad_(), bias = t.bias.to(device);
        const Tensor out = conv2d(
            leaf, weight, bias, {.stride = c.stride, .padding = c.padding, .dilation = c.dilation, .groups = c.groups});
        EXPECT_EQ(bytes_of(out), bytes_of(of_y.rounded(t.y.sizes(), dtype))) << name(dtype) << " on " << device;
        out.backward(t.y.to(device));
        EXPECT_EQ(bytes_of(leaf.grad() + zeros_like(leaf)),
                  bytes_of(of_x.rounded(t.x.sizes(), dtype) + zeros_like(t.x)));
        EXPECT_EQ(bytes_of(weight.grad()), bytes_of(of_weight.rounded(t.weight.sizes(), dtype)));
      }
    }
}

TEST(ExactConvolution, of_other_dimensions_and_transposed_is_the_same) {
  const MatmulAlgorithmGuard exact(Algorithm::exact);
  const Tensor x = test_mixed_values({2, 3, 11}, 1).to(float32), w = test_mixed_values({4, 3, 3}, 2).to(float32);
  const Tensor line = conv1d(x, w, {}, {.stride = 2, .padding = 1});
  EXPECT_EQ(bytes_of(line),
            bytes_of(conv2d(x.unsqueeze(2), w.unsqueeze(2), {}, {.stride = {1, 2}, .padding = {0, 1}}).squeeze(2)));
  EXPECT_EQ(bytes_of(line), bytes_of(conv3d(x.unsqueeze(2).unsqueeze(2), w.unsqueeze(2).unsqueeze(2), {},
                                            {.stride = {1, 1, 2}, .padding = {0, 0, 1}})
                                         .squeeze(2)
                                         .squeeze(2)));
  // A transposed convolution is the gradient, and a bias is a product more.
  const Tensor g = test_mixed_values(line.sizes(), 3).to(float32), bias = test_mixed_values({3}, 4).to(float32);
  const Tensor back = conv_transpose1d(g, w, {}, {.stride = 2, .padding = 1});
  EXPECT_EQ(bytes_of(back), bytes_of(conv1d_input_grad(x.sizes(), w, g, {.stride = 2, .padding = 1})));
  const Tensor offset = conv_transpose1d(g, w, bias, {.stride = 2, .padding = 1});
  EXPECT_TRUE(allclose(offset, back + bias.view({3, 1}), 1e-5, 1e-5));
  const Tensor few = conv_transpose1d(ones({1, 1, 1}), ones({1, 1, 1}), full({1}, 7),
                                      {.stride = 3, .padding = 1, .output_padding = 2});
  EXPECT_TRUE(equal(few, full({1, 1, 1}, 7))) << "outputs that read nothing have the bias";
  // 2^24 + 1 + 1, rounded once; the bias is added last where it is not a product.
  const Tensor once = conv_transpose1d(full({1, 2, 1}, 1), tensor({16777216.0f, 1.0f}).view({2, 1, 1}), full({1}, 1));
  EXPECT_EQ(once.item<float>(), 16777218.0f);
  const Tensor grouped =
      conv_transpose2d(test_mixed_values({2, 4, 3, 3}, 5).to(float32), test_mixed_values({4, 3, 2, 3}, 6).to(float32),
                       {}, {.stride = 2, .output_padding = 1, .groups = 2});
  const Tensor in_two = cat({conv_transpose2d(test_mixed_values({2, 4, 3, 3}, 5).to(float32).narrow(1, 0, 2),
                                              test_mixed_values({4, 3, 2, 3}, 6).to(float32).narrow(0, 0, 2), {},
                                              {.stride = 2, .output_padding = 1}),
                             conv_transpose2d(test_mixed_values({2, 4, 3, 3}, 5).to(float32).narrow(1, 2, 2),
                                              test_mixed_values({4, 3, 2, 3}, 6).to(float32).narrow(0, 2, 2), {},
                                              {.stride = 2, .output_padding = 1})},
                            1);
  EXPECT_EQ(bytes_of(grouped), bytes_of(in_two));
  const Tensor alone = conv_transpose1d(zeros_like(g), w, bias, {.stride = 2, .padding = 1});
  EXPECT_TRUE(equal(alone, bias.view({1, 3, 1}).expand(alone.sizes())));
  EXPECT_EQ(conv_transpose1d(zeros({2, 4, 5}, float64), w.to(float64)).dtype(), float64);  // goes on as it did
}

TEST(ExactConvolution, has_second_derivatives) {
  const MatmulAlgorithmGuard exact(Algorithm::exact);
  const auto f = [](const TensorList& in) {
    return conv2d(in[0], in[1], {}, {.stride = 2, .padding = 1}).pow(2).sum();
  };
  Tensor x = test_values({1, 2, 5, 5}, 1).to(float32).requires_grad_(),
         w = test_values({2, 2, 3, 3}, 2).to(float32).requires_grad_();
  f({x, w}).backward({}, /*retain_graph=*/true, /*create_graph=*/true);
  const Tensor first = x.grad();
  x.set_grad({});
  first.sum().backward();
  EXPECT_TRUE(x.grad().defined());
  MatmulAlgorithmGuard automatic(Algorithm::automatic);
  Tensor x2 = x.detach().clone().requires_grad_(), w2 = w.detach().clone().requires_grad_();
  f({x2, w2}).backward({}, true, true);
  const Tensor first2 = x2.grad();
  x2.set_grad({});
  first2.sum().backward();
  EXPECT_TRUE(allclose(x.grad(), x2.grad(), 1e-4, 1e-4));
}

}  // namespace
}  // namespace ordo::test::exact_convolution_test
