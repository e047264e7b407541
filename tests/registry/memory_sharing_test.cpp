// An operation that is no view gives its result memory of its own, also where it has nothing to do: one repetition, one
// element, one tensor to join. A change of the result would change the input else.
#include <algorithm>

#include <ordo/engine/tensor/tensor_impl.h>
#include "tests/support/integer_arguments.h"
#include "tests/support/registry_test_base.h"

namespace ordo::test::memory_sharing_test {
namespace {

ORDO_REGISTRY_TEST(RegistryMemorySharing);

/// Their headers and rows say so.
bool may_show_its_input(const OpInfo& op) {
  constexpr std::string_view others[] = {"contiguous", "to", "index", "to_sparse", "coalesce"};
  return op.family == "views" || op.name.ends_with('_') ||
         std::find(std::begin(others), std::end(others), op.name) != std::end(others);
}

uint32_t version(const Tensor& t) { return t.defined() ? t.impl()->storage->version() : 0; }

/// Of a call of `op`: nothing shows an argument's memory, unless the call changed that argument, and each element has
/// memory of its own.
void expect_own_memory(const OpEvent& e, const std::vector<uint32_t>& versions) {
  for (const Tensor& out : e.outputs) {
    if (!out.defined() || out.numel() == 0) continue;
    for (size_t i = 0; i < e.inputs.size(); ++i)
      if (e.inputs[i].defined() && version(e.inputs[i]) == versions[i]) {
        EXPECT_NE(out.impl()->storage, e.inputs[i].impl()->storage) << "shows the memory of argument " << i;
      }
    for (int d = 0; d < out.dim(); ++d)
      EXPECT_TRUE(out.sizes()[d] == 1 || out.strides()[d] != 0) << "several elements lie in one place";
  }
}

/// Looks at all calls of an operation, whoever makes them.
class Watch {
 public:
  explicit Watch(const OpInfo& op)
      : listener_(
            [&op, this](const OpEvent& e) {
              if (e.name == op.name && e.phase == OpEvent::Phase::forward) expect_own_memory(e, before_.back());
              before_.pop_back();
            },
            [this](const OpEvent& e) {
              auto& versions = before_.emplace_back();
              for (const Tensor& t : e.inputs) versions.push_back(version(t));
            }) {}

 private:
  std::vector<std::vector<uint32_t>> before_;  // of the calls that are open
  OpListener listener_;
};

/// A tensor cut to its first element along every dimension.
Tensor one_element(const Tensor& t) {
  Tensor first = t;
  for (int d = 0; d < t.dim(); ++d)
    if (t.sizes()[d] > 1) first = first.narrow(d, 0, 1);
  return first;
}

void watch(const OpInfo& op, Device device, const std::function<void()>& run) {
  const Watch watch(op);
  try {
    run();
    if (device.is_cuda()) cuda::synchronize();  // raises what the device found in indices
  } catch (const Error&) {                      // what the operation cannot take
  }
}

TEST_P(RegistryMemorySharing, results_have_memory_of_their_own) {
  if (may_show_its_input(*op_)) return;
  std::vector<Sample> samples = samples_;
  for (Sample& s : sized(1)) samples.push_back(std::move(s));
  for (const Sample& sample : samples)
    for (Device device : devices()) {
      const DType dtype = floating_dtypes(*op_, sample)[0];
      SCOPED_TRACE(trace(sample, dtype, device));
      const TensorList inputs = convert(sample.inputs, dtype, device);
      watch(*op_, device, [&] { (void)sample.run(inputs); });
      TensorList ones;
      for (const Tensor& t : inputs) ones.push_back(t.defined() ? one_element(t) : t);
      watch(*op_, device, [&] { (void)sample.run(ones); });
    }
  if (const auto at = op_integers().find(GetParam()); at != op_integers().end())
    for (const IntegerArgument& argument : at->second)
      for (Device device : devices())
        for (const int64_t v : {-1, 0, 1, 2}) {
          SCOPED_TRACE(argument.name + " = " + std::to_string(v) + " on " + device.str());
          watch(*op_, device, [&] { (void)argument.run(v, device); });
        }
}

}  // namespace
}  // namespace ordo::test::memory_sharing_test
