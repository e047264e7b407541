// Programs of the kinds that people bring from libtorch, each in little: what they train gets better, and two runs give
// equal bits, with any number of threads.
#include "tests/support/threads_scope.h"

namespace ordo::test::ported_programs_test {
namespace {

struct Trained {
  std::vector<double> losses;
  TensorList weights;
};

void expect_trains(const std::function<Trained()>& program) {
  const DeterminismGuard level(Determinism::run_to_run);
  const ThreadsScope scope;
  std::vector<Trained> runs;
  for (int threads : {1, 2, 2}) {
    set_num_threads(threads);
    manual_seed(11);
    runs.push_back(program());
    const Trained &now = runs.back(), &first = runs.front();
    EXPECT_LT(now.losses.back(), 0.8 * now.losses.front());
    EXPECT_EQ(now.losses, first.losses) << threads << " threads";
    ASSERT_EQ(now.weights.size(), first.weights.size());
    for (size_t i = 0; i < now.weights.size(); ++i)
      EXPECT_EQ(bytes_of(now.weights[i]), bytes_of(first.weights[i])) << i;
  }
}

/// Backward pass and step; the loss.
double minimize(optim::Optimizer& optimizer, Tensor loss) {
  optimizer.zero_grad();
  loss.backward();
  optimizer.step();
  return loss.item();
}

TEST(PortedPrograms, gan_of_strided_and_transposed_convolutions) {
  expect_trains([] {
    nn::Sequential generator{nn::ConvTranspose2d(6, 8, 4, {.bias = false}), nn::BatchNorm2d(8), nn::ReLU(),
                             nn::ConvTranspose2d(8, 1, 4, {.stride = 2, .padding = 1}), nn::Tanh()};
    nn::Sequential critic{nn::Conv2d(1, 8, 4, {.stride = 2, .padding = 1}), nn::LeakyReLU(0.2), nn::Conv2d(8, 1, 4),
                          nn::Flatten({.start_dim = 0})};
    optim::Adam of_generator(generator.parameters(), {.lr = 1e-3, .betas = {0.5, 0.999}});
    optim::Adam of_critic(critic.parameters(), {.lr = 2e-3, .betas = {0.5, 0.999}});
    const Tensor left = cat({ones({16, 1, 8, 4}), -ones({16, 1, 8, 4})}, 3);  // bright on the left
    const Tensor yes = ones({16}), no = zeros({16});
    Trained run;
    for (int step = 0; step < 15; ++step) {
      const Tensor fake = generator(randn({16, 6, 1, 1}));
      const Tensor of_real = binary_cross_entropy_with_logits(critic(left + 0.1 * randn({16, 1, 8, 8})), yes);
      const Tensor of_fake = binary_cross_entropy_with_logits(critic(fake.detach()), no);
      run.losses.push_back(minimize(of_critic, of_real + of_fake));
      minimize(of_generator, binary_cross_entropy_with_logits(critic(fake), yes));
    }
    run.weights = generator.parameters();
    for (const Tensor& p : critic.parameters()) run.weights.push_back(p);
    return run;
  });
}

TEST(PortedPrograms, transfer_learning_freezes_and_unfreezes) {
  expect_trains([] {
    nn::Sequential body{nn::Linear(6, 16), nn::Tanh()};
    const Tensor x = randn({64, 6}), labels = (x.sum(1) > 0).to(int64), others = (x.square().sum(1) > 6).to(int64);
    nn::Linear first_head(16, 2), head(16, 2);
    optim::Adam before(nn::Sequential{body, first_head}.parameters(), {.lr = 1e-2});
    for (int step = 0; step < 20; ++step) minimize(before, cross_entropy(first_head(body(x)), labels));

    before.zero_grad();
    for (Tensor p : body.parameters()) p.requires_grad_(false);
    const auto frozen = bytes_of(body.parameters()[0]);
    optim::AdamW optimizer(head.parameters(), {.lr = 3e-2});
    Trained run;
    for (int step = 0; step < 60; ++step) {
      if (step == 20) {
        EXPECT_EQ(bytes_of(body.parameters()[0]), frozen);
        EXPECT_FALSE(body.parameters()[0].grad().defined());
        for (Tensor p : body.parameters()) p.requires_grad_();
        optimizer.add_param_group({body.parameters(), {.lr = 1e-2}});
      }
      run.losses.push_back(minimize(optimizer, cross_entropy(head(body(x)), others)));
    }
    EXPECT_NE(bytes_of(body.parameters()[0]), frozen);
    run.weights = optimizer.parameters();
    return run;
  });
}

struct LanguageModel : nn::ModuleOf<LanguageModel> {
  nn::Embedding tokens = add("tokens", nn::Embedding(12, 16));
  nn::LSTM lstm = add("lstm", nn::LSTM(16, 16));
  nn::Linear head = add("head", nn::Linear(16, 12, {.bias = false}));
  LanguageModel() { head.weight = tokens.weight; }
  std::pair<Tensor, LstmResult> forward(const Tensor& text, const Tensor& h, const Tensor& c) {
    const LstmResult result = lstm(tokens(text), h, c);
    return {head(result.output), result};
  }
};

TEST(PortedPrograms, language_model_with_tied_weights) {
  expect_trains([] {
    LanguageModel model;
    EXPECT_EQ(model.parameters().size(), 5u);
    const Tensor text = (arange(0, 41, int64) * 5 % 12).unsqueeze(1).expand({41, 4}).contiguous();
    optim::SGD optimizer(model.parameters(), {.lr = 0.5, .momentum = 0.9});
    Trained run;
    for (int epoch = 0; epoch < 6; ++epoch) {
      Tensor h, c;  // go on from part to part, without their history
      double sum = 0;
      for (int64_t begin = 0; begin < 40; begin += 10) {
        auto [scores, state] = model(text.narrow(0, begin, 10), h, c);
        const Tensor loss = cross_entropy(scores.flatten(0, 1), text.narrow(0, begin + 1, 10).flatten());
        optimizer.zero_grad();
        loss.backward();
        optim::clip_grad_norm_(model.parameters(), 1.0);
        optimizer.step();
        sum += loss.item();
        h = state.h.detach(), c = state.c.detach();
      }
      run.losses.push_back(sum);
    }
    run.weights = model.parameters();
    return run;
  });
}

/// The sign, with the gradient of a line between -1 and 1.
struct Sign : Function<Sign> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    ctx->save_for_backward({x});
    return x.sign();
  }
  static TensorList backward(AutogradContext* ctx, const TensorList& grads) {
    const Tensor inside = ctx->get_saved_variables()[0].abs() <= 1;
    return {grads[0] * inside.to(grads[0].dtype())};
  }
};

TEST(PortedPrograms, a_network_of_signs_by_a_function_of_its_own) {
  expect_trains([] {
    nn::Sequential model{nn::Linear(4, 32), nn::Functional("sign", [](const Tensor& x) { return Sign::apply(x); }),
                         nn::Linear(32, 1)};
    const Tensor x = rand({128, 4}) * 2 - 1, y = (x.narrow(1, 0, 1) * x.narrow(1, 1, 1) > 0).to(float32);
    optim::RMSprop optimizer(model.parameters(), {.lr = 1e-2});
    Trained run;
    for (int step = 0; step < 60; ++step) run.losses.push_back(minimize(optimizer, mse_loss(model(x), y)));
    run.weights = model.parameters();
    return run;
  });
}

TEST(PortedPrograms, q_learning_with_a_target_network) {
  expect_trains([] {
    nn::Sequential online{nn::Linear(5, 24), nn::ReLU(), nn::Linear(24, 2)};
    nn::Sequential target = nn::clone(online);
    optim::Adam optimizer(online.parameters(), {.lr = 1e-2});
    const Tensor places = eye(5);
    Trained run;
    for (int step = 0; step < 80; ++step) {
      // A corridor of five places: action 1 goes right, 0 left; the right end pays 1 and ends the game.
      const Tensor from = randint(0, 4, {32}), action = randint(0, 2, {32});
      const Tensor to = (from + action * 2 - 1).clamp(0, 4), end = (to == 4).to(float32);
      const Tensor value = online(places.index_select(0, from)).gather(1, action.unsqueeze(1)).squeeze(1);
      const Tensor next = no_grad([&] { return target(places.index_select(0, to)).amax(1); });
      run.losses.push_back(minimize(optimizer, smooth_l1_loss(value, end + 0.9 * (1 - end) * next)));
      if (step % 20 == 19) {
        EXPECT_NE(bytes_of(target.parameters()[0]), bytes_of(online.parameters()[0]));
        target.load_state_dict(online.state_dict());
      }
    }
    EXPECT_TRUE((online(places.narrow(0, 0, 4)).argmax(1) == 1).all().item<bool>()) << "it goes right everywhere";
    run.weights = online.parameters();
    return run;
  });
}

}  // namespace
}  // namespace ordo::test::ported_programs_test
