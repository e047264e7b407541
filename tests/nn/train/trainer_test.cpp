// Trainer: the loop that it stands for, callbacks, ends, errors, and memory.
#include <cmath>
#include <csignal>

#include "tests/nn/train/toy_run.h"
#include "tests/support/folder_test_base.h"
#include "tests/support/op_samples.h"

namespace ordo::test::trainer_test {
namespace {

/// A line to fit: 12 rows in 4 batches.
struct Line {
  Line() { manual_seed(4); }
  Tensor x = arange(12).to(float32).unsqueeze(1) * 0.1, y = x * 3;
  nn::Linear model{1, 1};
  optim::SGD optimizer{model.parameters(), {.lr = 0.05}};
  data::DataLoader loader{x, y, {.batch_size = 3}};
};

TEST(Trainer, does_what_a_loop_of_ones_own_does) {
  const DeterminismGuard guard(Determinism::run_to_run);
  TrainerOptions options = toy_options("");
  ToyRun run(options);
  const TrainResult result = run.go();

  seed_everything(*options.randomness);
  ToyRun own({.epochs = 1, .progress = false});  // for its model and loaders
  optim::EMA average(own.model.parameters(), *options.ema);
  optim::Plateau plateau(*options.plateau);
  std::vector<double> losses;
  int64_t step = 0;
  double epoch_loss = 0;
  const auto validate = [&] {
    average.swap();
    losses.push_back(evaluate(own.model, own.test, {{"loss", nn::CrossEntropyLoss()}})[0].value);
    average.swap();
    plateau.update(losses.back());
  };
  data::DataLoader loader{
      ToyRun::rows(), ToyRun::classes(), {.batch_size = 8, .shuffle = true, .generator = Generator(3)}};
  nn::DataParallel in_fours(own.model, 4);
  for (int epoch = 0; epoch < 3; ++epoch) {
    epoch_loss = 0;
    for (const data::Batch& batch : loader) {
      const Tensor inputs = batch[0], targets = batch[1];
      const double loss = in_fours.backward(batch.size(), [&](int64_t begin, int64_t end) {
        return cross_entropy(own.model(inputs.slice(0, begin, end)), targets.slice(0, begin, end));
      });
      epoch_loss += loss * double(batch.size());
      optim::clip_grad_norm_(own.model.parameters(), 1);
      own.optimizer.set_lr_factor(options.schedule(step) * plateau.factor());
      own.optimizer.step();
      average.update();
      ++step;
      if (batch.size() == 8 && step % 2 == 0) validate();
    }
    validate();
  }
  EXPECT_EQ(result.weights, sha256_hex(own.model.parameters()));
  EXPECT_EQ(sha256_hex(run.trainer.average()->averages()), sha256_hex(average.averages()));
  EXPECT_EQ(result.steps, 9);
  EXPECT_EQ(result.loss, epoch_loss / 19);
  EXPECT_EQ(result.metrics.at(0).value, losses.back());
  EXPECT_EQ(result.best, *std::min_element(losses.begin(), losses.end()));
  EXPECT_LT(plateau.factor(), 1);
  EXPECT_EQ(result.epoch_weights.size(), 3u);
  EXPECT_EQ(result.epoch_weights.back(), result.weights);
  EXPECT_TRUE(run.model.is_training());
}

TEST(Trainer, calls_back) {
  Line line;
  Trainer trainer({.epochs = 2, .accumulate = 2, .validate_every = {.epochs = 2}, .progress = false});
  trainer.validate([] { return NamedNumbers{{"answer", 42}}; });
  std::string calls;
  const std::pair<On, const char*> moments[] = {{On::run_begin, "run("},      {On::run_end, ")"},
                                                {On::epoch_begin, "epoch["},  {On::epoch_end, "]"},
                                                {On::step_begin, "step<"},    {On::step_end, ">"},
                                                {On::validation_begin, "v{"}, {On::validation_end, "}"},
                                                {On::step_end, "!"},          {On::checkpoint_begin, "never"}};
  for (const auto& [moment, text] : moments) trainer.on(moment, [&calls, text = text](Trainer&) { calls += text; });
  trainer.on(On::step_end, [&](Trainer& t) { calls += std::to_string(t.status().step); });
  trainer.fit(line.model, line.optimizer, line.loader, [&](nn::Linear& model, const data::Batch& batch) {
    calls += ".";
    const auto [inputs, targets] = batch;
    return mse_loss(model(inputs), targets);
  });
  EXPECT_EQ(calls, "run(epoch[step<..>!1step<..>!2]epoch[step<..>!3step<..>!4v{}])");
  EXPECT_EQ(trainer.status().metrics.at(0).value, 42);
  EXPECT_EQ(trainer.status().epoch, 2);
  EXPECT_EQ(trainer.status().batch, 4);
}

TEST(Trainer, ends_by_steps_and_by_patience) {
  Line line;
  Trainer by_steps({.steps = 6, .progress = false});
  TrainResult result = by_steps.fit(line.model, line.optimizer, line.loader, nn::MSELoss());
  EXPECT_EQ(result.end, TrainEnd::finished);
  EXPECT_EQ(result.steps, 6);
  EXPECT_EQ(result.epochs, 1);

  Trainer trainer({.epochs = 100, .monitor = "score", .larger_is_better = true, .patience = 2, .progress = false});
  double scores[] = {NAN, 1, 3, 2, 3, 4, 5};
  trainer.validate([&, i = 0]() mutable { return NamedNumbers{{"score", scores[i++]}}; });
  result = trainer.fit(line.model, line.optimizer, line.loader, nn::MSELoss());
  EXPECT_EQ(result.end, TrainEnd::early_stopped);
  EXPECT_EQ(result.epochs, 5);
  EXPECT_EQ(result.best, 3);
}

TEST(Trainer, a_loss_that_is_no_number_stops_before_it_spoils_the_weights) {
  for (const double bad : {double(NAN), double(INFINITY)}) {
    Line line;
    const auto go = [&](bool allow) {
      Trainer trainer({.epochs = 2, .allow_nonfinite = allow, .progress = false});
      return trainer.fit(line.model, line.optimizer, line.loader, [&, n = 0](auto& model, auto& batch) mutable {
        const auto [inputs, targets] = batch;
        const Tensor loss = mse_loss(model(inputs), targets);
        return ++n == 6 ? loss * bad : loss;
      });
    };
    EXPECT_ORDO_ERROR(go(false), ValueError, "[Trainer] the loss of step 6 (epoch 2, batch 2) is ");
    EXPECT_TRUE(std::isfinite(line.model.parameters()[0].item()));
    EXPECT_EQ(go(true).steps, 8);
  }
  Line line;
  Trainer trainer({.epochs = 1, .clip_grad_norm = 1, .progress = false});
  const auto steep = [](auto& model, auto& batch) { return sqrt(model(batch[0] * 0).sum() * 0); };
  EXPECT_ORDO_ERROR(trainer.fit(line.model, line.optimizer, line.loader, steep), ValueError,
                    "the gradient's norm of step 1");
}

TEST(Trainer, ctrl_c_finishes_the_step) {
  const auto outer = ::signal(SIGINT, SIG_DFL);  // a shell's background jobs ignore it
  struct sigaction before {
  }, after{};
  ::sigaction(SIGINT, nullptr, &before);
  Line line;
  Trainer trainer({.epochs = 5, .accumulate = 2, .progress = false});
  const TrainResult result =
      trainer.fit(line.model, line.optimizer, line.loader, [n = 0](auto& model, auto& batch) mutable {
        if (++n == 5) {  // the first batch of the third step
          ::raise(SIGINT);
          struct sigaction now {};
          ::sigaction(SIGINT, nullptr, &now);
          EXPECT_EQ(now.sa_handler, SIG_DFL) << "a second one ends the program";
        }
        const auto [inputs, targets] = batch;
        return mse_loss(model(inputs), targets);
      });
  EXPECT_EQ(result.end, TrainEnd::interrupted);
  EXPECT_EQ(name(result.end), "interrupted");
  EXPECT_EQ(result.steps, 3);
  ::sigaction(SIGINT, nullptr, &after);
  ::signal(SIGINT, outer);
  EXPECT_EQ(before.sa_handler, after.sa_handler);
  EXPECT_EQ(trainer.fit(line.model, line.optimizer, line.loader, nn::MSELoss()).end, TrainEnd::finished);
}

/// As nohup and the background jobs of a shell are started.
TEST(Trainer, ctrl_c_stays_ignored) {
  struct sigaction before {
  }, during{}, after{};
  ::sigaction(SIGINT, nullptr, &before);
  ::signal(SIGINT, SIG_IGN);
  Line line;
  Trainer trainer({.epochs = 2, .progress = false});
  const TrainResult result = trainer.fit(line.model, line.optimizer, line.loader, [&](auto& model, auto& batch) {
    ::sigaction(SIGINT, nullptr, &during);
    ::raise(SIGINT);
    const auto [inputs, targets] = batch;
    return mse_loss(model(inputs), targets);
  });
  ::sigaction(SIGINT, nullptr, &after);
  ::sigaction(SIGINT, &before, nullptr);
  EXPECT_EQ(during.sa_handler, SIG_IGN);
  EXPECT_EQ(result.end, TrainEnd::finished);
  EXPECT_EQ(after.sa_handler, SIG_IGN);
}

TEST(Trainer, frozen_modules_stay_frozen) {
  ToyRun run(toy_options(""));
  auto modules = run.model.named_modules();
  modules.at(2).second->eval();  // the batch normalisation
  const auto before = bytes_of(run.model.named_buffers().at(0).tensor);
  run.go();
  EXPECT_EQ(bytes_of(run.model.named_buffers().at(0).tensor), before);
  EXPECT_FALSE(modules.at(2).second->is_training());
  EXPECT_TRUE(modules.at(4).second->is_training());
}

TEST(Trainer, says_what_does_not_fit) {
  Line line;
  EXPECT_ORDO_ERROR(Trainer({}), ValueError, "a number of epochs or of steps");
  EXPECT_ORDO_ERROR(Trainer({.epochs = 1, .steps = -1}), ValueError, "steps of at least 0, not -1");
  EXPECT_ORDO_ERROR(Trainer({.epochs = 1, .accumulate = 0}), ValueError, "accumulate of at least 1, not 0");
  EXPECT_ORDO_ERROR(Trainer({.epochs = 1, .save_every = {.epochs = -2}}), ValueError, "save_every");
  EXPECT_ORDO_ERROR(Trainer({.epochs = 1, .patience = 1}), ValueError, "a metric to monitor");
  EXPECT_ORDO_ERROR(Trainer({.epochs = 1, .resume = true}), ValueError, "the folder of the run to resume");
  const optim::PlateauOptions plateau;
  EXPECT_ORDO_ERROR(Trainer({.epochs = 1, .plateau = plateau, .monitor = "accuracy", .larger_is_better = true}),
                    ValueError, "larger_is_better must be the same");

  Trainer trainer({.epochs = 1, .monitor = "accuracy", .progress = false});
  const auto fit = [&](auto loss) { return trainer.fit(line.model, line.optimizer, line.loader, loss); };
  EXPECT_ORDO_ERROR(fit(nn::MSELoss()), ValueError, "needs validate() before fit()");
  trainer.validate(line.model, line.loader, {{"loss", nn::MSELoss()}});
  EXPECT_ORDO_ERROR(fit(nn::MSELoss()), ValueError, "no metric 'accuracy' to monitor");
  EXPECT_ORDO_ERROR(fit([&](auto& model, auto&) { return model(line.x); }), ShapeError, "one element");
  EXPECT_ORDO_ERROR(fit([](auto&, auto&) { return Tensor(); }), ValueError, "loss");
  EXPECT_ORDO_ERROR(trainer.log("x", 1), ValueError, "log('x') is for losses");
  EXPECT_ORDO_ERROR(trainer.on(On::run_end, {}), ValueError, "empty");
  EXPECT_ORDO_ERROR(trainer.validate({}), ValueError, "empty");
  data::DataLoader none(zeros({0, 1}), zeros({0, 1}), {});
  EXPECT_ORDO_ERROR(trainer.fit(line.model, line.optimizer, none, nn::MSELoss()), ValueError, "no batches");
  struct Other {  // one of the program's own
    std::vector<std::pair<Tensor, Tensor>> batches;
    int64_t claimed;
    int64_t size() const { return claimed; }
    auto begin() const { return batches.begin(); }
    auto end() const { return batches.end(); }
  };
  const auto batches = [&](size_t n) { return std::vector(n, std::pair(line.x, line.y)); };
  Other good{batches(2), 2}, fewer{batches(2), 3}, more{batches(3), 2};
  Trainer twice({.epochs = 2, .progress = false});
  EXPECT_EQ(twice.fit(line.model, line.optimizer, good, nn::MSELoss()).steps, 4);
  EXPECT_ORDO_ERROR(twice.fit(line.model, line.optimizer, fewer, nn::MSELoss()), ValueError, "is 3, but it gave 2");
  EXPECT_ORDO_ERROR(twice.fit(line.model, line.optimizer, more, nn::MSELoss()), ValueError, "is 2, but it gave more");
}

TEST(Trainer, reports_the_seed) {
  Line line;
  Trainer drawn({.epochs = 1, .randomness = RandomnessOptions(), .progress = false});
  EXPECT_EQ(default_generator().state().seed, drawn.randomness().seed);
  EXPECT_EQ(drawn.fit(line.model, line.optimizer, line.loader, nn::MSELoss()).seed, drawn.randomness().seed);
  manual_seed(11);
  Trainer plain({.epochs = 1, .progress = false});
  EXPECT_EQ(plain.fit(line.model, line.optimizer, line.loader, nn::MSELoss()).seed, 11u);
}

TEST(Trainer, memory_stays_flat) {
  TrainerOptions options = toy_options("");
  options.epochs = 0;
  options.steps = 10000;
  ToyRun run(options);
  size_t early = 0, late = 0;
  run.trainer.on(On::step_end, [&](Trainer& t) {
    if (t.status().step == 100) early = memory_stats().allocated_bytes;
    if (t.status().step == 9997) late = memory_stats().allocated_bytes;  // of the same place in its epoch as step 100
  });
  EXPECT_EQ(run.go().steps, options.steps);
  EXPECT_GT(early, 0u);
  EXPECT_EQ(early, late);
}

}  // namespace
}  // namespace ordo::test::trainer_test
