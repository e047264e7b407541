// docs/from-libtorch.md: what its tables have in their right columns stands here, is compiled, and runs.
#include <gtest/gtest.h>

#include <sstream>

#include <ordo/ordo.h>
#include "tests/support/folder_test_base.h"

namespace ordo::test::from_libtorch_test {
namespace {

using namespace indexing;

struct Net : nn::Module {
  nn::Linear fc = add("fc", nn::Linear(2, 1));
  nn::Parameter w = add_parameter("w", ones({1}));
  Tensor forward(const Tensor& x) override { return fc(x) * w; }
};

struct LaterNet : nn::Module {
  nn::Later<nn::Linear> fc{"fc"};
  LaterNet() { fc = add("fc", nn::Linear(2, 1)); }
};

class FromLibtorch : public FolderTest {};

TEST_F(FromLibtorch, tensors) {
  const Device device = cpu;
  EXPECT_EQ(zeros({2, 3}, int64).dtype(), int64);
  EXPECT_EQ(zeros({2, 3}, {float16, device}).dtype(), float16);
  EXPECT_TRUE(zeros({3}, {.requires_grad = true}).requires_grad());
  EXPECT_EQ(tensor({{1, 2}, {3, 4}}).sizes(), Dims({2, 2}));
  const std::vector<double> values{1, 2};
  EXPECT_EQ(tensor(values, float64).dtype(), float64);
  float memory[] = {0.25, 0.5, 0.75, 2};
  float* data = memory;
  int deleted = 0;
  const auto deleter = [&](void*) { ++deleted; };
  from_blob(data, {2, 2}, {.deleter = deleter});
  EXPECT_EQ(deleted, 1);
  Tensor x = from_blob(data, {2, 2});
  EXPECT_EQ(x.data_ptr<float>(), data);
  EXPECT_EQ((x.accessor<float, 2>()[0][1]), 0.5f);
  EXPECT_EQ(arange(0, 10, int64).numel(), 10);
  EXPECT_EQ(x.options().dtype, float32);
  EXPECT_EQ(x[0][0].item<float>(), 0.25f);
  EXPECT_EQ(x.to(device).device(), device);
  EXPECT_EQ(x.to(int64).dtype(), int64);
  EXPECT_EQ((x.sizes(), x.size(0)), 2);
  EXPECT_TRUE(x.index({Slice(), 0}).equal(x[{Slice(), 0}]));
  const Tensor mask = x > 1;
  x.index_put_({mask}, 0);
  x[mask] = 0;
  EXPECT_EQ(memory[3], 0);
  EXPECT_EQ(x.max(1).values.numel(), 2);
  auto [top, places] = x.topk(2);
  EXPECT_EQ(places.dtype(), int64);
  Tensor y = x.clone();
  EXPECT_TRUE(y.pow_(2).clamp_(0, 1).equal(x.square()));
  EXPECT_EQ(div(x, 2, RoundingMode::floor).max().item(), 0);
  EXPECT_TRUE((mask & mask).equal(mask) && !mask.equal(~mask));
  const Tensor a = tensor({{2.0, 0.0}, {0.0, 3.0}}), b = ones({2, 1}), q = ones({4, 2, 3}), k = ones({2, 2, 3});
  auto [l, v] = eigh(a);
  EXPECT_TRUE(l.equal(a.diagonal()) && v.equal(eye(2)));
  EXPECT_TRUE(allclose(matmul(a, lstsq(a, b).solution), b));
  EXPECT_TRUE(scaled_dot_product_attention(q, k, k, {}, 0, false, {}, nullptr, true).equal(q));
  manual_seed(1);
  NoGrad guard;
  testing::internal::CaptureStdout();
  std::cout << x;
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "[[0.25 0.5 ]\n [0.75 0.  ]]\nfloat32 [2, 2]");
}

TEST_F(FromLibtorch, gradients) {
  Tensor w = tensor({1.0f, 2.0f}).requires_grad_();
  Tensor z = w * 3;
  z.retain_grad();
  register_hook(z, [](const Tensor& g) { return g * 2; });
  Tensor loss = z.sum();
  loss.backward();
  EXPECT_EQ(w.grad().to_vector<float>(), (std::vector<float>{6, 6}));
  EXPECT_EQ(grad({w.square().sum()}, {w})[0].to_vector<float>(), (std::vector<float>{2, 4}));
}

TEST_F(FromLibtorch, models_and_training) {
  const Device device = cpu;
  const Tensor x = ones({4, 2}), labels = zeros({4}, int64), logits = zeros({4, 3});
  EXPECT_EQ(nn::Conv2d(1, 8, 3, {.padding = 1})(ones({1, 1, 5, 5})).sizes(), Dims({1, 8, 5, 5}));
  EXPECT_EQ(nn::LSTM(3, 4, {.proj_size = 2})(ones({1, 1, 3})).h.sizes(), Dims({1, 1, 2}));
  Net model;
  model.to(device);
  model.eval();
  Net target = nn::clone(model);
  EXPECT_TRUE(model(x).equal(target(x)));
  for (Tensor p : model.parameters()) p.requires_grad_(false);
  for (Tensor p : model.parameters()) p.requires_grad_();
  for (auto& [name, p] : model.named_parameters()) p.sizes();
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder());
  save_safetensors("model.safetensors", model.state_dict());
  model.load_state_dict(load_safetensors("model.safetensors").tensors);
  std::filesystem::current_path(before);
  Tensor w = ones({1}).requires_grad_();
  optim::Adam opt(model.parameters(), {.lr = 1e-3});
  opt.add_param_group({{w}, {.lr = 1e-4}});
  opt.set_lr(1e-4);
  const optim::Schedule schedule = optim::step_decay(10, 0.1);
  for (int64_t epoch = 0; epoch < 2; ++epoch) {
    opt.set_lr_factor(schedule(epoch));
    model(x).sum().backward();
    optim::clip_grad_norm_(model.parameters(), 1.0);
    opt.step();
  }
  EXPECT_EQ(LaterNet().parameters().size(), 2u);
  EXPECT_EQ(nn::Functional(square)(full({1}, 3.0)).item(), 9);
  optim::LBFGS lbfgs(model.parameters());
  const auto closure = [&] {
    lbfgs.zero_grad();
    const Tensor loss = (model(x) - 2).square().sum();
    loss.backward();
    return loss;
  };
  lbfgs.step(closure);
  EXPECT_LT(lbfgs.step(closure).item(), 1e-6);
  EXPECT_NEAR(cross_entropy(logits, labels).item(), std::log(3), 1e-6);
}

TEST_F(FromLibtorch, options_of_functions) {
  const Tensor logits = zeros({4, 3}), labels = zeros({4}, int64);
  EXPECT_NEAR(cross_entropy(logits, labels, {.label_smoothing = 0.1}).item(), std::log(3), 1e-6);
  const Tensor images = ones({1, 1, 5, 5}), kernel = ones({1, 1, 3, 3});
  EXPECT_EQ(conv2d(images, kernel, {}, {.padding = same}).sizes(), images.sizes());
  EXPECT_EQ(max_pool2d(images, 3, {.stride = 2}).sizes(), Dims({1, 1, 2, 2}));
  EXPECT_EQ(interpolate(images, {.size = {8, 8}, .mode = InterpolateMode::bilinear}).sum().item(), 64);
  const Tensor x = tensor({{0.0, 10.0}}), index = tensor({{0, 0}}), src = tensor({{3.0, 4.0}});
  EXPECT_EQ(gelu(x, GELUApproximate::tanh).to_vector<double>(), x.to_vector<double>());
  EXPECT_EQ(scatter_reduce(x, 0, index, src, Reduce::amax).to_vector<double>(), (std::vector<double>{3, 10}));
  const Tensor a = arange(3), b = arange(2);
  EXPECT_EQ(meshgrid({a, b}, MeshgridIndexing::xy)[0].sizes(), Dims({2, 3}));
  EXPECT_EQ(sum(x, float64).item(), 10);
  EXPECT_NEAR(softmax(x, 1, float64).sum(float32).item(), 1, 1e-6);
}

std::string flat(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  return text;
}

TEST_F(FromLibtorch, every_row_is_above) {
  const std::string root = ORDO_SOURCE_DIR;
  const std::string here = flat(read(root + "/tests/docs/from_libtorch_test.cpp"));
  std::istringstream page(read(root + "/docs/from-libtorch.md"));
  int rows = 0;
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with("| `")) continue;
    ++rows;
    std::istringstream cell(line.substr(line.find(" | `")));
    std::string code;
    std::getline(cell, code, '`');
    while (std::getline(cell, code, '`')) {
      const bool is_code = code != "autograd/function.h" && code != "Function";
      EXPECT_TRUE(!is_code || here.find(flat(code)) != std::string::npos) << code;
      std::getline(cell, code, '`');
    }
  }
  EXPECT_EQ(rows, 66);
}

}  // namespace
}  // namespace ordo::test::from_libtorch_test
