// Every operation and its gradients while memory runs out, at each allocation in turn. On the CPU: the emulated device
// takes memory of its own.
#include "tests/support/failing_new.h"
#include "tests/support/registry_test_base.h"
#include "tests/support/schedules.h"

namespace ordo::test::out_of_memory_test {
namespace {

ORDO_REGISTRY_TEST(RegistryMemory);

TEST_P(RegistryMemory, running_out_of_it_is_an_error_that_leaves_everything_as_it_was) {
  set_num_threads(1);  // whose numbers repeat at every level
  const DeterminismGuard level(Determinism::run_to_run);
  for (const Sample& sample : samples_) {
    const DType dtype = tested_dtypes(*op_, sample)[0];
    SCOPED_TRACE(trace(sample, dtype, cpu));
    const TensorList inputs = convert(sample.inputs, dtype, cpu);
    const auto program = [&] {
      double sum = 0;
      for (const Tensor& t : result_and_gradients(*op_, sample, inputs))
        if (t.defined()) sum = sum / 2 + sum_of(t);
      return sum;
    };
    ASSERT_EQ(fail_each_allocation(program, checked_build() ? 10 : 100), "");
  }
}

}  // namespace
}  // namespace ordo::test::out_of_memory_test
