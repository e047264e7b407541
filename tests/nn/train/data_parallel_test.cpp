// A loop of one's own gives the Trainer's weights; tests/distributed/mpirun_test.py runs one in several processes.
#include "tests/support/names_of.h"

namespace ordo::test::data_parallel_test {
namespace {

struct Net : nn::Module {
  nn::Linear first = add("first", nn::Linear(4, 8)), last = add("last", nn::Linear(8, 3));
  nn::BatchNorm1d norm = add("norm", nn::BatchNorm1d(8));
  nn::Dropout dropout = add("dropout", nn::Dropout(0.25));
  Tensor forward(const Tensor& x) override { return last(dropout(relu(norm(first(x))))); }
};

constexpr int64_t kRows = 40, kBatch = 20;

void expect_the_weights_of_the_trainer(bool frozen) {
  const Tensor x = test_values({kRows, 4}, 1).to(float32), y = test_indices({kRows}, 3);
  const auto loss_of = [&](nn::Module& model, int64_t begin, int64_t end) {
    return cross_entropy(model(x.slice(0, begin, end)), y.slice(0, begin, end));
  };
  manual_seed(3);
  Net model, other = nn::clone(model);
  const Tensor before = model.first.weight.detach().clone();
  for (Net* net : {&model, &other}) net->first.weight.requires_grad_(!frozen);
  const GeneratorState drawn = default_generator().state();

  optim::SGD optimizer(model.parameters(), {.lr = 0.1, .momentum = 0.9});
  const data::TensorDataset samples({x, y});
  data::DataLoader loader(samples, {.batch_size = kBatch});
  Trainer trainer({.epochs = 2, .shard_rows = 5, .progress = false});
  trainer.fit(model, optimizer, loader, nn::CrossEntropyLoss());

  default_generator().set_state(drawn);
  optim::SGD other_optimizer(other.parameters(), {.lr = 0.1, .momentum = 0.9});
  nn::DataParallel parallel(other, 5);
  for (int epoch = 0; epoch < 2; ++epoch)
    for (int64_t first = 0; first < kRows; first += kBatch) {
      parallel.backward(kBatch, [&](int64_t begin, int64_t end) { return loss_of(other, first + begin, first + end); });
      other_optimizer.step();
    }
  expect_same_tensors(other.state_dict(), model.state_dict());
  EXPECT_EQ(bytes_of(model.first.weight) == bytes_of(before), frozen);
}

TEST(DataParallel, gives_the_weights_of_the_trainer) {
  expect_the_weights_of_the_trainer(false);
  expect_the_weights_of_the_trainer(true);
}

TEST(DataParallel, one_shard_is_plain_backward_and_parameters_may_be_frozen) {
  const Tensor x = test_values({6, 4}, 1).to(float32);
  nn::Sequential model{nn::Linear(4, 8), nn::ReLU(), nn::Linear(8, 1)}, other = nn::clone(model);
  nn::DataParallel parallel(model, 6);
  for (bool frozen : {false, true, false}) {
    for (nn::Sequential* m : {&model, &other}) {
      m->zero_grad();
      m->parameters()[0].requires_grad_(!frozen);
    }
    const double loss =
        parallel.backward(6, [&](int64_t begin, int64_t end) { return model(x.slice(0, begin, end)).square().mean(); });
    const Tensor expected = other(x).square().mean();
    expected.backward();
    EXPECT_EQ(loss, expected.item());
    for (size_t i = 0; i < 4; ++i) {
      const Tensor a = model.parameters()[i].grad(), b = other.parameters()[i].grad();
      ASSERT_EQ(a.defined(), b.defined()) << i;
      if (!a.defined()) continue;
      EXPECT_EQ(bytes_of(a), bytes_of(b)) << i;
    }
  }
}

TEST(DataParallel, errors) {
  nn::Linear model(2, 1);
  EXPECT_ORDO_ERROR(nn::DataParallel(model, 0), ValueError, "[DataParallel] needs shards of at least 1 row, not 0");
  nn::DataParallel parallel(model, 1);
  EXPECT_ORDO_ERROR(parallel.backward(65537, [](int64_t, int64_t) { return Tensor(); }), ValueError, "65536 shards");
  EXPECT_ORDO_ERROR(parallel.backward(0, [](int64_t, int64_t) { return Tensor(); }), ValueError, "at least 1 row");
  EXPECT_ORDO_ERROR(parallel.backward(4, {}), ValueError, "a loss to call");
  EXPECT_THROW(parallel.backward(4, [](int64_t, int64_t) -> Tensor { throw std::runtime_error("mine"); }),
               std::runtime_error);
  const auto loss = [&](int64_t begin, int64_t end) { return model(ones({end - begin, 2})).square().mean(); };
  EXPECT_GT(parallel.backward(4, loss), 0);
}

}  // namespace
}  // namespace ordo::test::data_parallel_test
