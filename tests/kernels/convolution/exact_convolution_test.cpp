// Convolutions by `exact`: every element of the result and of the gradients of input and weight is the true sum of its
// products, rounded once.
#include "tests/kernels/accumulate/exact_reference.h"
#include "tests/kernels/convolution/convolution_reference.h"

namespace ordo::test::exact_convolution_test {
namespace {

const ConvCase<2> kCases[] = {{"one cell", {1, 1, 3, 4}, {1, 1, 1, 1}, true},
                              {"padded", {2, 3, 7, 6}, {4, 3, 3, 2}, true, 1, 1},
                              {"groups", {2, 4, 9, 8}, {6, 2, 3, 3}, true, 2, 1, 1, 2},
                              {"dilated", {1, 2, 11, 7}, {2, 2, 2, 3}, true, 3, 0, 2},
                              {"strided", {3, 1, 5, 5}, {2, 1, 1, 1}, true, 2, 2},
                              {"much padding", {2, 3, 6, 9}, {3, 1, 3, 3}, true, 1, 4, 2, 3}};

/// Sums of products, element by element.
class Sums {
 public:
  explicit Sums(int64_t count) : left_(size_t(count)), right_(size_t(count)) {}
  void add(size_t at, float a, float b) { left_[at].push_back(a), right_[at].push_back(b); }
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

TEST(ExactConvolution, follows_rule5_with_its_gradients) {
  for (const ConvCase<2>& c : kCases)
    for (const DType dtype : {float32, bfloat16, float16}) {
      const auto of = [&](const Dims& sizes, uint64_t stream) { return test_mixed_values(sizes, stream).to(dtype); };
      const Tensor x = of(c.x, 1), weight = of(c.w, 2), bias = of({c.w[0]}, 3), y = of(c.output_sizes(), 4);
      const auto pixels = x.to_vector<float>(), w = weight.to_vector<float>(), b = bias.to_vector<float>(),
                 g = y.to_vector<float>();
      Sums of_y(y.numel()), of_x(x.numel()), of_weight(weight.numel());
      c.for_each_cell([&](size_t in, size_t cell, size_t out) {
        const float pixel = in == c.kOutside ? 0 : pixels[in];
        of_y.add(out, w[cell], pixel);
        of_weight.add(cell, g[out], pixel);
        if (in != c.kOutside) of_x.add(in, w[cell], g[out]);
      });
      for (size_t i = 0; i < pixels.size(); ++i) of_x.add(i, 0, 1);  // cells that no output reads are +0
      const size_t plane = size_t(y.size(2) * y.size(3));
      for (size_t i = 0; i < g.size(); ++i) of_y.add(i, b[i / plane % b.size()], 1);
      for (const Device device : test_devices()) {
        const MatmulAlgorithmGuard exact(Algorithm::exact);
        const Tensor leaf = x.to(device).clone().requires_grad_(), filter = weight.to(device).clone().requires_grad_();
        const Tensor out = conv(leaf, filter, bias.to(device), c);
        EXPECT_EQ(bytes_of(out), bytes_of(of_y.rounded(y.sizes(), dtype)))
            << c.label << " " << name(dtype) << " on " << device;
        out.backward(y.to(device));
        EXPECT_EQ(bytes_of(leaf.grad() + zeros_like(leaf)), bytes_of(of_x.rounded(x.sizes(), dtype) + zeros_like(x)));
        EXPECT_EQ(bytes_of(filter.grad()), bytes_of(of_weight.rounded(weight.sizes(), dtype)));
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
  const Tensor many = test_mixed_values({2, 4, 3, 3}, 5).to(float32);
  const Tensor filters = test_mixed_values({4, 3, 2, 3}, 6).to(float32);
  const auto group = [&](int64_t at) {
    return conv_transpose2d(many.narrow(1, at, 2), filters.narrow(0, at, 2), {}, {.stride = 2, .output_padding = 1});
  };
  EXPECT_EQ(bytes_of(conv_transpose2d(many, filters, {}, {.stride = 2, .output_padding = 1, .groups = 2})),
            bytes_of(cat({group(0), group(2)}, 1)));
  const Tensor alone = conv_transpose1d(zeros_like(g), w, bias, {.stride = 2, .padding = 1});
  EXPECT_TRUE(equal(alone, bias.view({1, 3, 1}).expand(alone.sizes())));
  EXPECT_EQ(conv_transpose1d(zeros({2, 4, 5}, float64), w.to(float64)).dtype(), float64);  // goes on as it did
}

TEST(ExactConvolution, has_second_derivatives) {
  const auto second = [](Algorithm algorithm) {
    const MatmulAlgorithmGuard guard(algorithm);
    Tensor x = test_values({1, 2, 5, 5}, 1).to(float32).requires_grad_(),
           w = test_values({2, 2, 3, 3}, 2).to(float32).requires_grad_();
    const Tensor y = conv2d(x, w, {}, {.stride = 2, .padding = 1}).pow(2).sum();
    y.backward({}, /*retain_graph=*/true, /*create_graph=*/true);
    const Tensor first = x.grad();
    x.set_grad({});
    first.sum().backward();
    return x.grad();
  };
  EXPECT_TRUE(allclose(second(Algorithm::exact), second(Algorithm::automatic), 1e-4, 1e-4));
}

}  // namespace
}  // namespace ordo::test::exact_convolution_test
