// Memory runs out at each allocation in turn, and the library says so: with an OutOfMemoryError, after which everything
// goes on as before, with the same bits.
#include <limits>

#include "tests/support/failing_new.h"
#include "tests/support/folder_test_base.h"
#include "tests/support/schedules.h"
#include "tests/support/threads_scope.h"

namespace ordo::test::out_of_memory_test {
namespace {

class OutOfMemory : public FolderTest {
 protected:
  OutOfMemory() { set_determinism(Determinism::run_to_run); }
  ~OutOfMemory() override { set_determinism(Determinism::not_guaranteed); }
  static void expect_survival(const std::function<double()>& program,
                              const std::function<void()>& before_each_run = {}) {
    const int64_t times = checked_build() ? 40 : std::numeric_limits<int64_t>::max();
    EXPECT_EQ(fail_each_allocation(program, times, before_each_run), "");
  }
};

/// A test of a program, which gives its number.
#define ORDO_SURVIVES(name)                                      \
  double program_##name();                                       \
  TEST_F(OutOfMemory, name) { expect_survival(program_##name); } \
  double program_##name()

double gradients_of(const nn::ModuleBase& model) {
  double sum = 0;
  for (const Tensor& p : model.parameters())
    if (p.grad().defined()) sum += sum_of(p.grad());
  return sum;
}

ORDO_SURVIVES(a_graph_that_grows) {
  Tensor x = ones({3}, {.requires_grad = true}), y = x;
  for (int i = 0; i < 30; ++i) y = y * 1.5 + x;
  return sum_of(y);
}

ORDO_SURVIVES(backward_passes) {
  Tensor w = randn({4, 3}, {.requires_grad = true}), x = randn({5, 4});
  for (int i = 0; i < 2; ++i) softmax(relu(matmul(x, w)), 1).pow(2).sum().backward();
  return sum_of(w.grad());
}

ORDO_SURVIVES(second_derivatives) {
  const Tensor x = randn({4}, {.requires_grad = true});
  const Tensor first = grad({(x * x * x).sum()}, {x}, {}, false, true)[0];
  return sum_of(grad({first.sum()}, {x})[0]);
}

ORDO_SURVIVES(hooks) {
  const Tensor x = randn({4}, {.requires_grad = true}), y = x * 2;
  register_hook(x, [](const Tensor& g) { return g * 2; });
  register_hook(y, [](const Tensor& g) { return g + 1; });
  register_post_accumulate_grad_hook(x,
                                     [](const Tensor& leaf) { const_cast<Tensor&>(leaf).set_grad(leaf.grad() * 3); });
  y.sum().backward();
  return sum_of(x.grad());
}

ORDO_SURVIVES(changes_in_place) {
  const Tensor x = randn({4}, {.requires_grad = true});
  Tensor y = x * 2;
  y.mul_(3).add_(x).index_add_(0, from_vector(std::vector<int64_t>{0, 3}, {2}), x.slice(0, 0, 2));
  y.sum().backward();
  return sum_of(x.grad()) + sum_of(y);
}

// Where the memory has changed and the change is not recorded, the gradient is an error, not that of the old value.
ORDO_SURVIVES(changes_in_place_that_are_not_recorded) {
  const Tensor x = full({4}, 3.0, {.requires_grad = true}), z = x * 1;
  Tensor y = x * 2;
  try {
    y.mul_(z);
  } catch (const OutOfMemoryError&) {
    bool lost = false;
    try {
      y.sum().backward();
    } catch (const AutogradError&) {
      lost = true;
    }
    const bool changed = y.to_vector<float>()[0] != 6;
    if (changed != lost || (!lost && x.grad().to_vector<float>()[0] != 2)) return -1;
    throw;
  }
  y.sum().backward();
  return sum_of(x.grad());
}

ORDO_SURVIVES(averages_of_weights) {
  Tensor p = full({4}, 3.0);
  optim::EMA average({p}, {.decay = 0.5});
  p.fill_(5);
  try {
    average.update();
    average.swap();
  } catch (const OutOfMemoryError&) {
    const std::vector<float> here = p.to_vector<float>(), there = average.averages()[0].to_vector<float>();
    const bool before = here[0] == 5 && there[0] == 3, between = here[0] == 5 && there[0] == 4,
               after = here[0] == 4 && there[0] == 5;
    if (!before && !between && !after) return -1;
    throw;
  }
  return sum_of(p) + 2 * sum_of(average.averages()[0]);
}

ORDO_SURVIVES(views) {
  const Tensor x = randn({4, 6}, {.requires_grad = true});
  Tensor base = x * 1;
  Tensor part = base.transpose(0, 1).slice(0, 1, 4).select(1, 2), row = base.view({2, 12}).narrow(1, 0, 3);
  part.mul_(2);
  row.add_(1);
  (part.sum() + row.pow(2).sum() + base.unsqueeze(0).expand({2, 4, 6}).sum()).backward();
  return sum_of(x.grad());
}

ORDO_SURVIVES(modules) {
  nn::Sequential model{nn::Linear(4, 6), nn::BatchNorm1d(6), nn::ReLU(), nn::Dropout(0.3), nn::Linear(6, 2)};
  model(randn({5, 4})).sum().backward();
  model.zero_grad();
  model.eval();
  model.to(float64);
  model(randn({5, 4}, {.dtype = float64})).sum().backward();
  return gradients_of(model) + double(model.str().size());
}

struct Tied : nn::Module {
  nn::Linear one = add("one", nn::Linear(3, 3)), two = add("two", nn::Linear(3, 3));
  nn::Parameter scale = add_parameter("scale", ones({3}));
  Tied() { two.weight = one.weight; }
  Tensor forward(const Tensor& x) override { return two(relu(one(x))) * scale; }
};

ORDO_SURVIVES(parameters_that_are_shared) {
  Tied model;
  Tied copy = model;
  nn::Parameter handle = copy.scale, moved = std::move(handle);
  model.scale = full({3}, 2.0);
  copy(randn({2, 3})).sum().backward();
  return gradients_of(model) + sum_of(moved);
}

template <class Optimizer, class Options>
double train(Options options) {
  nn::Sequential model{nn::Linear(3, 4), nn::Tanh(), nn::Linear(4, 1)};
  Optimizer optimizer(model.parameters(), options);
  optim::EMA average(model.parameters(), {.decay = 0.5});
  const Tensor x = randn({6, 3}), y = randn({6, 1});
  double last = 0;
  for (int i = 0; i < 3; ++i) {
    optimizer.zero_grad();
    const Tensor loss = mse_loss(model(x), y);
    loss.backward();
    optim::clip_grad_norm_(model.parameters(), 0.5);
    optimizer.step();
    average.update();
    last = loss.item();
  }
  average.swap();
  return last + sum_of(model(x));
}

ORDO_SURVIVES(training_by_sgd) { return train<optim::SGD>(optim::SGDOptions{.lr = 0.1, .momentum = 0.9}); }

ORDO_SURVIVES(training_by_adam) { return train<optim::Adam>(optim::AdamOptions{.lr = 0.1}); }

ORDO_SURVIVES(mixed_precision) {
  nn::Linear model(3, 2);
  optim::SGD optimizer(model.parameters(), {.lr = 0.1});
  amp::GradScaler scaler({.init_scale = 8});
  const Tensor x = randn({4, 3});
  for (int i = 0; i < 2; ++i) {
    optimizer.zero_grad();
    const Tensor loss = [&] {
      const amp::Autocast guard(bfloat16);
      return model(x).pow(2).mean();
    }();
    scaler.scale(loss).backward();
    scaler.step(optimizer);
    scaler.update();
  }
  return sum_of(model.weight);
}

ORDO_SURVIVES(attention) {
  nn::TransformerEncoderLayer layer(8, 2, {.dim_feedforward = 8, .dropout = 0.1});
  layer(randn({2, 3, 8})).sum().backward();
  return gradients_of(layer);
}

ORDO_SURVIVES(recurrent_networks) {
  nn::LSTM lstm(3, 4);
  lstm(randn({5, 2, 3})).output.sum().backward();
  return gradients_of(lstm);
}

ORDO_SURVIVES(convolutions) {
  nn::Sequential model{nn::Conv2d(1, 2, 3), nn::ReLU(), nn::MaxPool2d(2), nn::Flatten(), nn::Linear(8, 2)};
  cross_entropy(model(randn({2, 1, 6, 6})), zeros({2}, {.dtype = int64})).backward();
  return gradients_of(model);
}

TEST_F(OutOfMemory, several_threads_of_an_operation) {
  const ThreadsScope scope;
  set_num_threads(4);
  expect_survival([] {
    const Tensor x = randn({300, 300}, {.requires_grad = true});
    (matmul(x, x).sum(0).exp().mean() + x.sum()).backward();
    return sum_of(x.grad());
  });
}

ORDO_SURVIVES(text_of_tensors) {
  return double(randn({3, 4}).str().size()) + double(arange(5).to_vector<int64_t>().size());
}

double read_all(data::DataLoader& loader) {
  double sum = 0;
  for (const auto& batch : loader)
    for (const Tensor& t : batch.tensors) sum = sum / 2 + sum_of(t);
  return sum;
}

TEST_F(OutOfMemory, loaders) {
  const Tensor x = arange(30).view({10, 3}), y = arange(10);
  expect_survival([&] {
    data::DataLoader loader(x, y, {.batch_size = 3, .shuffle = true});
    const double sum = read_all(loader);
    loader.load_state_dict(loader.state_dict());
    return sum + read_all(loader);
  });
}

struct Squares : data::Dataset {
  int64_t size() const override { return 8; }
  data::Sample get(int64_t i) const override { return {full({1}, double(i)), full({2}, double(i * i))}; }
};

ORDO_SURVIVES(workers_of_loaders) {
  data::DataLoader loader(Squares(), {.batch_size = 2, .shuffle = true, .workers = 2});
  return read_all(loader);
}

double small_training() {
  Tensor p = ones({2}, {.requires_grad = true});
  optim::SGD sgd({p}, {.lr = 0.5});
  nn::Linear layer(2, 2);
  (layer(p) * rand({2})).sum().backward();
  p.detach().add_(1);
  sgd.step();
  return sum_of(p);
}

ORDO_SURVIVES(traces_in_memory) {
  audit::Recorder recorder;
  const double result = small_training();
  return result + double(recorder.trace().records.size());
}

TEST_F(OutOfMemory, traces_in_files) {
  const std::string file = path("a.trace");
  expect_survival([&] {
    audit::Recorder recorder({.path = file, .detail = audit::Detail::steps});
    const double result = small_training();
    recorder.close();
    return result + double(audit::read(file).records.size());
  });
}

ORDO_SURVIVES(listeners) {
  int64_t calls = 0;
  const OpListener listener([&](const OpEvent& e) { calls += int64_t(e.outputs.size()); });
  const double result = small_training();
  return result + 0 * double(calls);
}

TEST_F(OutOfMemory, checkpoints) {
  const std::string file = path("a.safetensors");
  expect_survival([&] {
    nn::Linear model(2, 2);
    optim::Adam optimizer(model.parameters(), {.lr = 0.1});
    model(ones({1, 2})).sum().backward();
    optimizer.step();
    Checkpoint checkpoint;
    checkpoint.add("model", model);
    checkpoint.add("optimizer", optimizer);
    checkpoint.add("generator", default_generator());
    checkpoint.save(file);
    const double before = sum_of(model.weight);
    optimizer.step();
    checkpoint.load(file);
    return before + sum_of(model.weight);
  });
}

TEST_F(OutOfMemory, arrays_in_files) {
  const std::string npz = path("a.npz"), npy = path("a.npy");
  const nn::NamedTensorList tensors{{"x", arange(4)}, {"y", ones({2, 2})}};
  expect_survival([&] {
    save_npz(npz, tensors);
    save_npy(npy, tensors[0].tensor);
    return double(load_npz(npz).size()) + sum_of(load_npy(npy));
  });
}

TEST_F(OutOfMemory, tables_and_text) {
  const std::string file = write("a.csv", "a,b\n1,x\n2,yes\n3,x\n");
  const data::CsvOptions options{.types = {{"b", data::CsvType::text}}};
  expect_survival([&] {
    const data::CsvTable table = data::read_csv(file, options);
    return sum_of(table.columns[0].values) + sum_of(table.columns[1].values);
  });
}

TEST_F(OutOfMemory, the_trainer) {
  const std::string run = path("run"), log = run + "/log.jsonl";
  const std::string loss = "loss";
  const Tensor x = arange(16).to(float32).view({8, 2}), y = remainder(arange(8), 2);
  const auto program = [&] {
    TrainerOptions options{.epochs = 2, .clip_grad_norm = 1};
    options.ema = optim::EMAOptions{.decay = 0.7};
    options.randomness = RandomnessOptions{.seed = 1};
    options.folder = run;
    options.log = log;
    options.progress = false;
    Trainer trainer(std::move(options));
    nn::Linear model(2, 2);
    optim::SGD optimizer(model.parameters(), {.lr = 0.1});
    data::DataLoader loader(x, y, {.batch_size = 4, .shuffle = true, .generator = Generator(3)});
    trainer.validate(model, loader, {{loss, nn::CrossEntropyLoss()}});
    return trainer.fit(model, optimizer, loader, nn::CrossEntropyLoss()).loss + sum_of(model.weight);
  };
  expect_survival(program, [&] { std::filesystem::remove_all(run); });
}

}  // namespace
}  // namespace ordo::test::out_of_memory_test
