// Graphs: what they keep, what they refuse, and that memory, errors and threads come out of them as they should.
#include <thread>

#include "tests/engine/cuda/device_array.h"
#include "tests/support/op_samples.h"

namespace ordo::test::graph_test {
namespace {

using Graphs = CudaTest;
constexpr Device device = kCuda;

TEST_F(Graphs, train_a_network_whose_optimiser_is_outside) {
  const auto trained = [&](bool in_graph) {
    const DeterminismGuard guard(Determinism::device_to_device);
    manual_seed(5);
    nn::Sequential model{nn::Linear(20, 30), nn::BatchNorm1d(30), nn::ReLU(), nn::LayerNorm({30}), nn::Linear(30, 4)};
    model.to(device);
    optim::Adam optimizer(model.parameters(), {.lr = 0.01});
    Tensor x = zeros({8, 20}, device), labels = zeros({8}, {int64, device}), loss;
    const auto step = [&] {
      loss = cross_entropy(model(x), labels);
      loss.backward();
    };
    cuda::Graph graph;
    if (in_graph) {
      step();
      optimizer.zero_grad();
      graph.capture(step, device);
    }
    std::vector<float> losses;
    for (uint64_t i = 0; i < 6; ++i) {
      x.copy_(test_values({8, 20}, i).to(float32));
      labels.copy_(test_indices({8}, 4, i));
      if (in_graph)
        graph.replay();
      else
        step();
      optimizer.step();
      losses.push_back(loss.item<float>());
      if (!in_graph) optimizer.zero_grad();
    }
    return std::pair(losses, sha256_hex(model.parameters()));
  };
  EXPECT_EQ(trained(true), trained(false));
}

TEST_F(Graphs, keep_their_memory_from_others) {
  const Tensor x = test_values({1000}).to(float32).to(device);
  Tensor y;
  const auto f = [&] { y = exp(x) + sin(x) * 2 - cos(x); };  // frees what it makes on the way
  f();
  const auto want = bytes_of(y);
  auto graph = std::make_unique<cuda::Graph>();
  graph->capture(f, device);
  empty_cache(device);
  std::vector<Tensor> others;
  for (int i = 0; i < 50; ++i) others.push_back(full({1000}, double(i), {float32, device}));
  for (int i = 0; i < 3; ++i) graph->replay();
  EXPECT_EQ(bytes_of(y), want);
  for (int i = 0; i < 50; ++i) EXPECT_TRUE(equal(others[size_t(i)], full({1000}, double(i), {float32, device}))) << i;
  const size_t before = memory_stats(device).cached_bytes;
  graph.reset();
  empty_cache(device);
  EXPECT_LT(memory_stats(device).cached_bytes, before);
  EXPECT_EQ(memory_stats(device).cached_bytes, 0u);
}

TEST_F(Graphs, name_a_bad_index_whenever_it_comes) {
  const Tensor table = test_values({10, 4}).to(float32).to(device), at = zeros({3}, {int64, device});
  Tensor rows;
  const auto f = [&] { rows = embedding(at, table); };
  f();
  cuda::Graph graph;
  graph.capture(f, device);
  for (int i = 0; i < 2; ++i) {
    Tensor(at).fill_(2);
    graph.replay();
    cuda::synchronize(device);
    Tensor(at).fill_(11);
    graph.replay();
    EXPECT_ORDO_ERROR(cuda::synchronize(device), IndexError, "embedding");
  }
  Tensor(at).fill_(3);
  graph.replay();
  EXPECT_TRUE(equal(rows, embedding(at, table)));
  (void)embedding(Tensor(at).clone().fill_(-1), table);
  EXPECT_ORDO_ERROR(cuda::synchronize(device), IndexError, "-1");
}

TEST_F(Graphs, refuse_what_a_replay_cannot_repeat) {
  const Tensor x = test_values({6}).to(float32).to(device);
  const auto refused = [&](const std::function<void()>& f, const char* part) {
    cuda::Graph graph;
    EXPECT_ORDO_ERROR(graph.capture(f, device), CudaError, part);
    EXPECT_ORDO_ERROR(graph.replay(), CudaError, "has captured nothing");
    EXPECT_EQ(bytes_of(x + x), bytes_of(x * 2)) << "the stream goes on";
  };
  refused([&] { (void)x.sum().item(); }, "a wait for the device");
  refused([&] { (void)x.to(cpu); }, "a wait for the device");
  refused([&] { cuda::synchronize(device); }, "a wait for the device");
  refused([&] { (void)nonzero(x); }, "a wait for the device");
  refused([&] { (void)ones({3}).to(device); }, "a copy from the host");
  refused([&] { (void)x.index({tensor({1, 2})}); }, "an index of the host");
  refused([&] { (void)dropout(x, 0.5); }, "random numbers");
  refused([&] { (void)randn({3}, device); }, "random numbers");
  refused(
      [&] {
        cuda::Graph inner;
        inner.capture([] {});
      },
      "another graph");
  Tensor parameter = x.clone().requires_grad_();
  optim::SGD optimizer({parameter}, {.lr = 0.1});
  parameter.sum().backward();
  refused([&] { optimizer.step(); }, "an optimiser's step");
  refused([&] { parameter.sum().backward(); }, "a sum with a gradient from before");
  cuda::Graph graph;
  graph.capture([&] { (void)(x + x); }, device);
  EXPECT_THROW(graph.capture([] { throw std::runtime_error("mine"); }), std::runtime_error);
  EXPECT_ORDO_ERROR(graph.replay(), CudaError, "has captured nothing");
  EXPECT_EQ(bytes_of(x + x), bytes_of(x * 2));
  EXPECT_ORDO_ERROR(graph.capture([] {}, cpu), DeviceError, "is of a CUDA device, not of cpu");
}

TEST_F(Graphs, keep_numbers_of_the_host) {
  const Tensor x = test_values({6}).to(float32).to(device);
  Tensor y;
  const auto f = [&] { y = x + arange(0, 6, 1, {float32, device}); };
  auto graph = std::make_unique<cuda::Graph>();
  graph->capture(f, device);
  for (int i = 0; i < 2; ++i) {
    y.fill_(0);
    graph->replay();
    EXPECT_EQ(bytes_of(y), bytes_of(x + arange(0, 6, 1, {float32, device})));
  }
  graph->replay();
  graph.reset();  // while its work is queued
  EXPECT_EQ(bytes_of(y), bytes_of(x + arange(0, 6, 1, {float32, device})));
}

TEST_F(Graphs, are_replayed_by_the_thread_that_captured_them) {
  const Tensor x = test_values({6}).to(float32).to(device);
  Tensor y, made_elsewhere;
  std::thread([&] { made_elsewhere = x * 3; }).join();
  cuda::Graph graph;
  graph.capture([&] { y = made_elsewhere + x; }, device);
  std::thread([&] { EXPECT_ORDO_ERROR(graph.replay(), CudaError, "another thread"); }).join();
  graph.replay();
  EXPECT_EQ(bytes_of(y), bytes_of(x * 3 + x));
}

}  // namespace
}  // namespace ordo::test::graph_test
