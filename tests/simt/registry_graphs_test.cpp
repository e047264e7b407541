// Every operation in a graph, with its gradients: replays have the bytes of the same calls without one, also after inputs
// have changed. Operations that wait for the device, or copy from the host, are refused, and leave everything as it was.
#include "tests/support/registry_test_base.h"

namespace ordo::test::registry_graphs_test {
namespace {

ORDO_REGISTRY_TEST(RegistryGraphs);

/// None of whose samples can be captured: they wait for values, draw random numbers, or are computed on the CPU; and of
/// the last four, the samples themselves copy from the host.
constexpr std::string_view kRefused =
    " allclose equal gaussian_nll_loss unique_consecutive bernoulli dropout multinomial normal_ rand randint randn "
    "randperm uniform_ cholesky det eigh inverse lstsq matrix_power pinv qr slogdet solve solve_triangular svd "
    "svd_lowrank batch_norm histogram instance_norm sparse_mm ";

/// What a sample computes of leaves with these values: the result, and where it has one the gradients for `above`.
TensorList computed(const Sample& sample, const TensorList& values, const Tensor& above) {
  TensorList leaves;
  for (const Tensor& v : values) {
    leaves.push_back(v.detach());
    if (is_floating(v.dtype()) && above.defined()) leaves.back().requires_grad_();
  }
  const Tensor y = sample.run(leaves);
  TensorList all{y.detach()};
  if (!above.defined() || !y.requires_grad()) return all;
  y.backward(above);
  for (const Tensor& leaf : leaves)
    if (leaf.requires_grad() && leaf.grad().defined()) all.push_back(leaf.grad());
  return all;
}

std::vector<Bytes> bytes_of_all(const TensorList& all) {
  std::vector<Bytes> bytes;
  for (const Tensor& t : all) bytes.push_back(bytes_of(t));
  return bytes;
}

TEST_P(RegistryGraphs, have_the_bytes_of_the_calls) {
  if (!has_cuda()) GTEST_SKIP() << "there is no CUDA device, or none of this operation";
  const DeterminismGuard guard(Determinism::run_to_run);
  int captured = 0, refused = 0;
  for (const Sample& sample : samples_) {
    SCOPED_TRACE(sample.label);
    const TensorList inputs = convert(sample.inputs, tested_dtypes(*op_, sample)[0], Device("cuda"));
    Tensor above;
    std::vector<Bytes> want;
    try {
      const Tensor y = sample.run(inputs);
      if (is_floating(y.dtype()) && op_->differentiable && sample.gradient) above = test_gradient(y.sizes(), y);
      want = bytes_of_all(computed(sample, inputs, above));
    } catch (const Error&) {  // a sample of what is refused
      continue;
    }
    cuda::Graph graph;
    TensorList results;
    try {
      graph.capture([&] { results = computed(sample, inputs, above); });
    } catch (const CudaError& error) {
      EXPECT_NE(std::string(error.what()).find("a graph cannot hold"), std::string::npos) << error.what();
      ++refused;
      EXPECT_EQ(bytes_of_all(computed(sample, inputs, above)), want) << "after a capture that failed";
      continue;
    }
    ++captured;
    for (int replay = 0; replay < 2; ++replay) {
      graph.replay();
      EXPECT_EQ(bytes_of_all(results), want) << "replay " << replay;
    }
    // Other values at the same places.
    for (const Tensor& input : inputs)
      if (is_floating(input.dtype()) && input.numel() > 1 && input.dim() > 0) {
        std::vector<int64_t> dims;
        for (int64_t d = 0; d < input.dim(); ++d) dims.push_back(d);
        Tensor(input).copy_(flip(input, dims));
        break;
      }
    try {
      want = bytes_of_all(computed(sample, inputs, above));
    } catch (const Error&) {
      continue;
    }
    graph.replay();
    EXPECT_EQ(bytes_of_all(results), want) << "with other values";
  }
  const bool can = kRefused.find(" " + std::string(op_->name) + " ") == std::string_view::npos;
  EXPECT_EQ(captured > 0, can && captured + refused > 0) << captured << " samples captured, " << refused << " refused";
}

}  // namespace
}  // namespace ordo::test::registry_graphs_test
