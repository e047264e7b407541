// Schedules against values computed by hand, at their first and last steps and beyond.
#include <cmath>

#include "tests/support/op_samples.h"

namespace ordo::test::schedule_test {
namespace {

std::vector<double> values(const optim::Schedule& schedule, int64_t steps) {
  std::vector<double> all;
  for (int64_t step = 0; step < steps; ++step) all.push_back(schedule(step));
  return all;
}

void expect_near(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-15) << i;
}

TEST(Schedule, closed_forms) {
  expect_near(values(optim::constant(0.5), 3), {0.5, 0.5, 0.5});
  expect_near(values(optim::step_decay(2, 0.5), 6), {1, 1, 0.5, 0.5, 0.25, 0.25});
  expect_near(values(optim::multi_step({1, 4}, 0.1), 6), {1, 0.1, 0.1, 0.1, 0.01, 0.01});
  expect_near(values(optim::multi_step({}, 0.1), 2), {1, 1});
  expect_near(values(optim::exponential(0.5), 4), {1, 0.5, 0.25, 0.125});
  const double half = std::sqrt(0.5);
  expect_near(values(optim::cosine(4, 0.2), 7),
              {1, 0.2 + 0.4 * (1 + half), 0.6, 0.2 + 0.4 * (1 - half), 0.2, 0.2, 0.2});
  expect_near(values(optim::cosine_restarts(2, 2, 0.2), 7),
              {1, 0.6, 1, 0.2 + 0.4 * (1 + half), 0.6, 0.2 + 0.4 * (1 - half), 1});
  expect_near(values(optim::cosine_restarts(2), 5), {1, 0.5, 1, 0.5, 1});
  EXPECT_EQ(optim::cosine_restarts(1)(INT64_MAX), 1);
  expect_near(values(optim::polynomial(4), 6), {1, 0.75, 0.5, 0.25, 0, 0});
  expect_near(values(optim::polynomial(4, 2), 5), {1, 0.5625, 0.25, 0.0625, 0});
  expect_near(values(optim::warmup(4, optim::exponential(0.5), 0.2), 7), {0.2, 0.4, 0.6, 0.8, 1, 0.5, 0.25});
  expect_near(values(optim::warmup(0, optim::exponential(0.5)), 2), {1, 0.5});
  // Eleven steps: up to step 3 x 0.3 ... the peak is at 0.4 x 10 - 1 = 3, the last at 9.
  expect_near(values(optim::one_cycle(10, {.rise = 0.4, .first = 0.1, .last = 0}), 12),
              {0.1, 1 - 0.9 * 0.75, 1 - 0.9 * 0.25, 1, (1 + std::cos(M_PI / 6)) / 2, 0.75, 0.5, 0.25,
               (1 - std::cos(M_PI / 6)) / 2, 0, 0, 0});
  EXPECT_EQ(optim::one_cycle(1)(0), optim::OneCycleOptions().last);
}

TEST(Schedule, bits_do_not_depend_on_the_c_library) {
  const Tensor all = from_vector(values(optim::warmup(7, optim::cosine(93, 0.01)), 100), {100});
  EXPECT_EQ(hash_of(all), "6677082a376b8bda");
  EXPECT_EQ(hash_of(from_vector(values(optim::exponential(0.97), 200), {200})), "8a64e856d07a951f");
}

TEST(Schedule, impossible_arguments) {
  EXPECT_ORDO_ERROR(optim::cosine(0), ValueError, "[cosine] needs at least 1 step, not 0");
  EXPECT_ORDO_ERROR(optim::step_decay(0), ValueError, "step_decay");
  EXPECT_ORDO_ERROR(optim::multi_step({3, 2}), ValueError, "ascending");
  EXPECT_ORDO_ERROR(optim::exponential(-1), ValueError, "gamma");
  EXPECT_ORDO_ERROR(optim::cosine_restarts(5, 0), ValueError, "not 5 and 0");
  EXPECT_ORDO_ERROR(optim::polynomial(5, 0), ValueError, "power");
  EXPECT_ORDO_ERROR(optim::constant(NAN), ValueError, "factor");
  EXPECT_ORDO_ERROR(optim::warmup(-1), ValueError, "warmup");
  EXPECT_ORDO_ERROR(optim::warmup(1, nullptr), ValueError, "schedule to go on with");
  EXPECT_ORDO_ERROR(optim::one_cycle(10, {.rise = 1}), ValueError, "rise");
  EXPECT_ORDO_ERROR(optim::cosine(10)(-1), ValueError, "[cosine] needs a step of at least 0, not -1");
}

TEST(Plateau, waits_reduces_cools_down) {
  optim::Plateau plateau({.gamma = 0.5, .patience = 1, .threshold = 0.1, .cooldown = 2, .least = 0.2});
  const double metrics[] = {10, 9.5, 9.2, 8, 8, 8, 8, 8, 8, 8, NAN, NAN, NAN, NAN, NAN};
  // 9.5 and 9.2 are no better than 10 by a tenth: reduced. 8 is better. Then two cooling values, two bad ones.
  const double factors[] = {1, 1, 0.5, 0.5, 0.5, 0.5, 0.25, 0.25, 0.25, 0.25, 0.2, 0.2, 0.2, 0.2, 0.2};
  for (size_t i = 0; i < std::size(metrics); ++i) {
    optim::Plateau resumed({.gamma = 0.5, .patience = 1, .threshold = 0.1, .cooldown = 2, .least = 0.2});
    resumed.load_state_dict(plateau.state_dict());
    EXPECT_EQ(plateau.update(metrics[i]), factors[i]) << i;
    EXPECT_EQ(resumed.update(metrics[i]), factors[i]) << i;
  }
  optim::Plateau up({.patience = 0, .larger_is_better = true});
  EXPECT_EQ(up.update(-5), 1);
  EXPECT_EQ(up.update(-4), 1);
  EXPECT_EQ(up.update(-4), 0.1);
  EXPECT_ORDO_ERROR(optim::Plateau({.gamma = 1}), ValueError, "gamma");
  EXPECT_ORDO_ERROR(optim::Plateau({.patience = -1}), ValueError, "patience");
}

}  // namespace
}  // namespace ordo::test::schedule_test
