// Memory that nobody has initialised: filled while a deterministic level is on and the setting is, else left as it
// comes.
#include <ordo/engine/memory/poison.h>

#include <algorithm>

#include "tests/support/op_samples.h"

namespace ordo::test::fill_test {
namespace {

// Memory comes as zero bytes here, which is no value that fills.
class UninitializedMemory : public testing::Test {
 protected:
  void SetUp() override { detail::set_poison(detail::Poison::zeros); }
  void TearDown() override {
    detail::set_poison(poison_);
    set_fill_uninitialized_memory(true);
  }

  struct Made {
    const char* function;
    Tensor t;  // all of its storage from first on is new
    int64_t first;
  };
  static std::vector<Made> everything(TensorOptions options) {
    const Tensor resized = zeros({5}, options);
    Tensor(resized).resize_({40});
    return {{"empty", empty({7, 3}, options), 0},
            {"empty_like", empty_like(zeros({4, 2}, options)), 0},
            {"empty_strided", empty_strided({3, 2}, {2, 1}, options), 0},
            {"resize_", resized, 5}};
  }

  // Which values fill is tested beside the tensors; none of them is all zero bytes.
  static void expect(bool filled, const std::string& where) {
    for (Device device : test_devices())
      for (int i = 0; i < kDTypeCount; ++i)
        for (const Made& made : everything({.dtype = DType(i), .device = device})) {
          const Tensor on_cpu = made.t.to(cpu);
          const char* bytes = static_cast<const char*>(on_cpu.data());
          const size_t size = on_cpu.element_size();
          int64_t written = 0;
          for (int64_t k = 0; k < on_cpu.numel(); ++k)
            written += std::any_of(bytes + size_t(k) * size, bytes + size_t(k + 1) * size, [](char c) { return c; });
          EXPECT_EQ(written, filled ? on_cpu.numel() - made.first : 0)
              << where << ": " << made.function << " on " << device.str() << " of " << name(DType(i));
        }
  }

 private:
  detail::Poison poison_ = detail::poison();
};

TEST_F(UninitializedMemory, is_filled_at_the_levels_and_as_the_setting_says) {
  EXPECT_TRUE(fill_uninitialized_memory()) << "on by default";
  for (Determinism level :
       {Determinism::not_guaranteed, Determinism::run_to_run, Determinism::device_to_device, Determinism::run_to_run}) {
    const DeterminismGuard guard(level);
    const std::string at = "at " + std::string(name(level));
    expect(level != Determinism::not_guaranteed, at);
    set_fill_uninitialized_memory(false);
    EXPECT_FALSE(fill_uninitialized_memory());
    expect(false, at + ", switched off");
    set_fill_uninitialized_memory(true);
    EXPECT_TRUE(fill_uninitialized_memory());
    expect(level != Determinism::not_guaranteed, at + ", on again");
  }
}

}  // namespace
}  // namespace ordo::test::fill_test
