// Guards that hold for a scope and a thread. Whoever keeps them in optionals, on the heap or in objects ends them in
// any order: the youngest that lives is in force, and none leaves anything behind.
#include <gtest/gtest.h>

#include <memory>
#include <thread>

#include <ordo/ordo.h>

namespace ordo::test::guards_test {
namespace {

/// A guard of a kind, and what is in force.
struct Kind {
  const char* name;
  std::shared_ptr<void> (*begin)(int value);
  int (*now)();
};

/// For each kind of guard two values that are not what is in force without one.
const Kind kKinds[] = {
    {"DeterminismGuard",
     [](int value) -> std::shared_ptr<void> {
       return std::make_shared<DeterminismGuard>(value == 1 ? Determinism::run_to_run : Determinism::device_to_device);
     },
     [] {
       return determinism() == Determinism::not_guaranteed ? 0 : determinism() == Determinism::run_to_run ? 1 : 2;
     }},
    {"GradMode", [](int value) -> std::shared_ptr<void> { return std::make_shared<GradMode>(value != 1); },
     [] { return grad_enabled() ? 2 : 1; }},
    {"Autocast",
     [](int value) -> std::shared_ptr<void> {
       return std::make_shared<amp::Autocast>(value == 1 ? bfloat16 : float16);
     },
     [] { return !amp::autocast_enabled()            ? 0
                 : amp::autocast_dtype() == bfloat16 ? 1
                                                     : 2; }},
};

void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

class Guards : public testing::TestWithParam<Kind> {
  void SetUp() override { set_determinism(Determinism::not_guaranteed); }
  void TearDown() override { set_determinism(before_); }
  const Determinism before_ = determinism();
};
INSTANTIATE_TEST_SUITE_P(, Guards, testing::ValuesIn(kKinds), [](const auto& info) { return info.param.name; });

TEST_P(Guards, end_in_the_order_of_scopes) {
  const Kind& kind = GetParam();
  const int without = kind.now();
  {
    const auto outer = kind.begin(1);
    EXPECT_EQ(kind.now(), 1);
    {
      const auto inner = kind.begin(2);
      EXPECT_EQ(kind.now(), 2);
    }
    EXPECT_EQ(kind.now(), 1);
  }
  EXPECT_EQ(kind.now(), without);
}

TEST_P(Guards, end_in_any_order) {
  const Kind& kind = GetParam();
  const int without = kind.now();
  for (int order = 0; order < 6; ++order) {
    std::shared_ptr<void> guards[] = {kind.begin(1), kind.begin(2), kind.begin(1)};
    const int values[] = {1, 2, 1};
    int places[] = {order / 2, 0, 0};  // a permutation of 0, 1 and 2
    places[1] = (places[0] + 1 + order % 2) % 3;
    places[2] = 3 - places[0] - places[1];
    for (int place : places) {
      guards[place].reset();
      int expected = without;
      for (int i = 0; i < 3; ++i)
        if (guards[i]) expected = values[i];
      EXPECT_EQ(kind.now(), expected) << "order " << order << ", after the end of guard " << place;
    }
  }
}

TEST_P(Guards, of_other_threads_are_their_own) {
  const Kind& kind = GetParam();
  const auto outer = kind.begin(1);
  std::thread([&] {
    const int without = kind.now();
    auto first = kind.begin(1), second = kind.begin(2);
    first.reset();
    EXPECT_EQ(kind.now(), 2);
    second.reset();
    EXPECT_EQ(kind.now(), without);
  }).join();
  EXPECT_EQ(kind.now(), 1);
}

// A thread's settings are its own: another one cannot change them, and says that it tried.
TEST_P(Guards, that_end_on_another_thread_are_noticed) {
  const Kind& kind = GetParam();
  testing::internal::CaptureStderr();
  std::thread([&] {
    const int without = kind.now();
    auto strange = kind.begin(1);
    std::thread([&] {
      const auto own = kind.begin(2);
      strange.reset();
      EXPECT_EQ(kind.now(), 2) << "a guard of another thread changes nothing here";
    }).join();
    {
      auto first = kind.begin(1), second = kind.begin(2);
      first.reset();
      EXPECT_EQ(kind.now(), 2);
    }
    EXPECT_TRUE(kind.now() == 1 || kind.now() == without);
  }).join();
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find(std::string("ordo: warning: a ") + kind.name + " ended on another thread"), std::string::npos)
      << text;
}

}  // namespace
}  // namespace ordo::test::guards_test
