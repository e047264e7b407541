// Mistakes that people make in their first programs: each is answered by an error that says what was wrong.
#include "tests/support/op_samples.h"

namespace ordo::test::mistakes_test {
namespace {

struct Net : nn::Module {
  nn::Linear fc = add("fc", nn::Linear(3, 2));
  Tensor forward(const Tensor& x) override { return fc(x); }
};

class Mistakes : public ::testing::Test {
 protected:
  Tensor x = randn({4, 3}), y = randn({4, 5}), images = randn({2, 3, 8, 8});
  Tensor scores = randn({4, 10}), labels = tensor({1, 2, 3, 9}), w = randn({3, 3}).requires_grad_();
  Net net;
};

TEST_F(Mistakes, shapes) {
  EXPECT_ORDO_ERROR(x + y, ShapeError, "[add] shapes [4, 3] and [4, 5] do not broadcast: sizes 3 and 5 at");
  EXPECT_ORDO_ERROR(x.view({5, 3}), ShapeError, "[view] 12 elements do not fit the shape [5, 3]");
  EXPECT_ORDO_ERROR(x.t().view(-1), ShapeError, "[view] a tensor of shape [3, 4] and strides [1, 3] cannot be");
  EXPECT_ORDO_ERROR(cat({x, y}, 0), ShapeError, "[cat] sizes must agree except in dimension 0, but tensor 1 has");
  EXPECT_ORDO_ERROR(cat({}, 0), ValueError, "[cat] needs at least one tensor");
  EXPECT_ORDO_ERROR(x.sum(2), IndexError, "[sum] dimension 2 is out of range for a tensor of 2 dimensions");
  EXPECT_ORDO_ERROR(x.expand({2, 4, 5}), ShapeError, "[expand] shape [4, 3] does not expand to [2, 4, 5]: only");
  EXPECT_ORDO_ERROR(x.item(), ShapeError, "[item] only a tensor of one element converts to a number; this");
  EXPECT_ORDO_ERROR(zeros({2, -1}), ShapeError, "[zeros] sizes must not be negative, given [2, -1]");
  EXPECT_ORDO_ERROR(linear(x, y), ShapeError, "[linear] the last dimension of the input must be 5 for a weight");
  EXPECT_ORDO_ERROR(from_vector(std::vector<float>{1, 2, 3}, {2, 2}), ShapeError, "[from_vector] 3 values do not");
  EXPECT_ORDO_ERROR(x.sizes()[2], IndexError, "there is no number 2 in [4, 3]");
  EXPECT_ORDO_ERROR(x.sizes()[-1], IndexError, "there is no number -1 in [4, 3]");
}

TEST_F(Mistakes, dtypes) {
  EXPECT_ORDO_ERROR(x.matmul(x.t().to(float64)), DTypeError, "[matmul] tensors are float32 and float64; convert");
  EXPECT_ORDO_ERROR(x[x], DTypeError, "[index] takes indices of dtype int32 or int64, not float32");
  EXPECT_ORDO_ERROR(x & x, DTypeError, "[&] combines masks or integers, not float32; compare first, as in");
  EXPECT_ORDO_ERROR(one_hot(labels, 5), IndexError, "[one_hot] target[3] = 9 is out of range for dimension 0 of");
  EXPECT_ORDO_ERROR(x.to(int64).requires_grad_(), DTypeError, "[requires_grad] only floating-point tensors have");
  EXPECT_ORDO_ERROR(from_blob(static_cast<float*>(nullptr), {3}), ValueError, "[from_blob] a tensor of shape [3]");
}

TEST_F(Mistakes, indices) {
  EXPECT_ORDO_ERROR(x[4], IndexError, "[select] index 4 is out of range for dimension 0 of size 4");
  EXPECT_ORDO_ERROR((x[{0, 3}]), IndexError, "[index] index 3 is out of range for dimension 0 of size 3");
  EXPECT_ORDO_ERROR((x[{0, 0, 0}]), IndexError, "[index] the index stands for 3 dimensions; the tensor of shape");
  EXPECT_ORDO_ERROR(x[tensor({0, 7})], IndexError, "[index] index[1] = 7 is out of range for dimension 0 of size 4");
  EXPECT_ORDO_ERROR(x.narrow(0, 3, 2), IndexError, "[narrow] start 3 and length 2 leave dimension 0 of size 4");
  EXPECT_ORDO_ERROR(embedding(tensor({10}), x), IndexError, "[embedding] input[0] = 10 is out of range for");
  EXPECT_ORDO_ERROR(x.topk(9), ValueError, "[topk] k must be from 0 to 3, the size of dimension -1, but is 9");
  EXPECT_ORDO_ERROR(multinomial(zeros({3}), 1), ValueError, "[multinomial] 1 samples need 1 categories with a");
  EXPECT_ORDO_ERROR(x.size(2), IndexError, "[size] dimension 2 is out of range for a tensor of 2 dimensions");
}

TEST_F(Mistakes, gradients) {
  EXPECT_ORDO_ERROR(x.backward(), AutogradError, "[backward] this tensor does not depend on any tensor that");
  EXPECT_ORDO_ERROR((w * 2).backward(), ShapeError, "[backward] a gradient must be given for a tensor of shape [3,");
  EXPECT_ORDO_ERROR(w.add_(1), AutogradError, "[add_] a leaf that requires a gradient cannot be changed in");
  EXPECT_ORDO_ERROR(grad({w.sum()}, {x}), AutogradError, "[backward] gradients are wanted with respect to a tensor");
  EXPECT_ORDO_ERROR((w * 2).grad(), AutogradError, "[grad] this is a result of mul, whose gradient is not kept; call");
  EXPECT_ORDO_ERROR((w * 2).requires_grad_(false), AutogradError, "[requires_grad] only leaves can be told (not)");
  const Tensor loss = w.square().sum(), z = w.exp();
  loss.backward();
  EXPECT_ORDO_ERROR(loss.backward(), AutogradError,
                    "[backward] this graph was freed by an earlier backward pass; pass");
  Tensor(z).add_(1);
  EXPECT_ORDO_ERROR(z.sum().backward(), AutogradError, "that \"add_\" changed in place after \"exp\" had saved it");
}

TEST_F(Mistakes, losses) {
  EXPECT_ORDO_ERROR(cross_entropy(scores, labels + 1), IndexError, "[cross_entropy] target[3] = 10 is out of range");
  EXPECT_ORDO_ERROR(mse_loss(x, y), ShapeError, "[mse_loss] input and target must have one shape, but have [4, 3]");
  EXPECT_ORDO_ERROR(cross_entropy(scores, labels, {.label_smoothing = 2}), ValueError, "[cross_entropy]");
}

TEST_F(Mistakes, layers) {
  EXPECT_ORDO_ERROR(nn::Linear(3, 4)(y), ShapeError, "[linear] the last dimension of the input must be 3 for a");
  EXPECT_ORDO_ERROR(nn::Conv2d(3, 8, 3)(randn({2, 8, 8, 3})), ShapeError, "[conv2d] an input of [2, 8, 8, 3] has 8");
  EXPECT_ORDO_ERROR(nn::Conv2d(3, 8, 9)(images), ShapeError, "[conv2d] a window of 9 cells does not fit into");
  EXPECT_ORDO_ERROR(nn::Conv2d(3, 8, 3, {.groups = 2}), ValueError, "[Conv2d] groups = 2 must divide in_channels =");
  EXPECT_ORDO_ERROR(nn::BatchNorm2d(4)(images), ShapeError, "[batch_norm] running_mean must have shape [3], one");
  EXPECT_ORDO_ERROR(nn::Embedding(10, 4)(x), DTypeError, "[embedding] takes indices of dtype int32 or int64, not");
  EXPECT_ORDO_ERROR(nn::Embedding(10, 4)(tensor({10})), IndexError, "[embedding] input[0] = 10 is out of range for");
  EXPECT_ORDO_ERROR(nn::LSTM(4, 8)(randn({5, 2, 3})), ShapeError, "[lstm] input has 3 features, but the first");
  EXPECT_ORDO_ERROR(nn::MultiheadAttention(10, 3), ValueError, "[MultiheadAttention] num_heads = 3 must be");
  EXPECT_ORDO_ERROR(nn::MaxPool2d(9)(images), ShapeError, "[max_pool2d] a window of 9 cells does not fit into");
  EXPECT_ORDO_ERROR((nn::Sequential{nn::Conv2d(3, 4, 3), nn::Flatten(), nn::Linear(100, 10)}(images)), ShapeError,
                    "[linear] the last dimension of the input must be 100 for a weight");
  EXPECT_ORDO_ERROR(nn::Conv2d(3, 4, 2, {.stride = 2, .padding = same})(images), ValueError, "[conv2d] padding `same`");
}

TEST_F(Mistakes, modules) {
  EXPECT_ORDO_ERROR(net.load_state_dict({}), ValueError, "[load_state_dict] missing: 'fc.weight', 'fc.bias'");
  EXPECT_ORDO_ERROR(net.load_state_dict({{"fc.weight", ones({9, 9})}, {"fc.bias", ones({2})}}), ShapeError,
                    "[load_state_dict] 'fc.weight' has sizes [2, 3], but [9, 9] were");
  EXPECT_ORDO_ERROR(net.load_state_dict({{"weight", ones({2, 3})}, {"bias", ones({2})}}), ValueError,
                    "[load_state_dict] missing: 'fc.weight', 'fc.bias'; unexpected:");
  EXPECT_ORDO_ERROR(net.to(int64), DTypeError, "[Module::to] takes a floating dtype, not int64");
  struct Twice : nn::Module {
    nn::Linear a = add("a", nn::Linear(1, 1)), b = add("a", nn::Linear(1, 1));
  };
  EXPECT_ORDO_ERROR(Twice(), ValueError, "[Module] the name 'a' is taken");
  struct NoForward : nn::Module {
  } without;
  EXPECT_ORDO_ERROR(without(x), ValueError, "[Module] this module has no forward(input) with exactly one tensor");
}

TEST_F(Mistakes, optimisers) {
  EXPECT_ORDO_ERROR(optim::SGD({}, {.lr = 0.1}), ValueError, "[SGD] there are no parameters to optimise");
  EXPECT_ORDO_ERROR(optim::SGD(net.parameters(), {.lr = -1}), ValueError, "[SGD] needs a learning rate of at least");
  EXPECT_ORDO_ERROR(optim::Adam({w, w}, {}), ValueError, "[Adam] parameter 1 is given twice");
  EXPECT_ORDO_ERROR(optim::SGD(net.parameters(), {.lr = 0.1, .nesterov = true}), ValueError,
                    "[SGD] nesterov needs momentum > 0 and dampening == 0, not 0 and 0");
  EXPECT_ORDO_ERROR(optim::Adam({w * 2}, {}), ValueError, "[Adam] parameter 0 is not a leaf: mul computed it");
}

TEST_F(Mistakes, files) {
  EXPECT_ORDO_ERROR(load_safetensors("missing.safetensors"), DataError, "[load_safetensors] missing.safetensors:");
  EXPECT_ORDO_ERROR(save_safetensors("/nowhere/x.safetensors", net.state_dict()), DataError,
                    "[save] /nowhere/x.safetensors: cannot be opened: No such file or");
  EXPECT_ORDO_ERROR(data::TensorDataset({x, labels, x.sum(0)}), ShapeError,
                    "[TensorDataset] needs tensors with as many");
  EXPECT_ORDO_ERROR(data::DataLoader(data::TensorDataset({x, labels}), {.batch_size = 0}), ValueError,
                    "[DataLoader] needs a batch size of at least 1, not 0");
}

TEST_F(Mistakes, settings) {
  EXPECT_ORDO_ERROR(zeros({3}, "gpu"), DeviceError, "[device] \"gpu\" is not a device; write \"cpu\", \"cuda\" or");
  EXPECT_ORDO_ERROR(set_num_threads(0), ValueError, "[set_num_threads] takes 1 to 4096 threads, not 0");
  EXPECT_ORDO_ERROR(rand({2}, int64), DTypeError, "[rand] takes floating-point tensors, not int64");
  EXPECT_ORDO_ERROR(x.clone().copy_(y), ShapeError, "[copy_] shapes [4, 3] and [4, 5] do not broadcast: sizes 3");
  EXPECT_ORDO_ERROR(zeros({3}, "cuda:99"), DeviceError, "[zeros] there is no device cuda:99");
}

}  // namespace
}  // namespace ordo::test::mistakes_test
