// An operation that is no view gives its result memory of its own, also where it has nothing to do: one repetition, one
// element, one tensor to join. A change of the result would change the input else.
#include <algorithm>

#include <ordo/engine/op_call.h>
#include <ordo/engine/tensor_impl.h>
#include <ordo/ordo.h>
#include "tests/support/integer_arguments.h"
#include "tests/support/registry_test_base.h"

namespace ordo::test {
namespace {

ORDO_REGISTRY_TEST(RegistryMemorySharing);

/// Their headers and rows say so.
bool may_show_its_input(const OpInfo& op) {
  return op.family == "views" || op.name == "contiguous" || op.name == "to" || op.name == "index";
}

/// Fails where a call of `op`, whoever made it, gives what shows an argument's memory, or no memory for each element.
OpListener watch(const OpInfo& op) {
  return OpListener([&op](const OpEvent& e) {
    if (e.name != op.name || e.phase != OpEvent::Phase::forward) return;
    for (const Tensor& out : e.outputs) {
      if (!out.defined() || out.numel() == 0) continue;
      for (const Tensor& in : e.inputs)
        if (in.defined() && in.numel() > 0) {
          EXPECT_NE(out.impl()->storage, in.impl()->storage) << "shows the memory of an argument";
        }
      for (int d = 0; d < out.dim(); ++d)
        EXPECT_TRUE(out.sizes()[d] == 1 || out.strides()[d] != 0) << "several elements lie in one place";
    }
  });
}

/// The same tensor cut to its first element along every dimension.
Tensor one_element(const Tensor& t) {
  Tensor first = t;
  for (int d = 0; d < t.dim(); ++d)
    if (t.sizes()[d] > 1) first = first.narrow(d, 0, 1);
  return first;
}

void run(const Sample& sample, const TensorList& inputs) {
  try {
    (void)sample.run(inputs);
  } catch (const Error&) {  // what the sample cannot take
  }
}

TEST_P(RegistryMemorySharing, results_have_memory_of_their_own) {
  if (may_show_its_input(*op_) || op_->name.ends_with('_')) return;
  std::vector<Sample> samples = samples_;
  for (Sample& s : sized(1)) samples.push_back(std::move(s));
  for (const Sample& sample : samples)
    for (Device device : devices()) {
      const DType dtype = floating_dtypes(*op_, sample)[0];
      SCOPED_TRACE(trace(sample, dtype, device));
      const TensorList inputs = convert(sample.inputs, dtype, device);
      const OpListener listener = watch(*op_);
      run(sample, inputs);
      TensorList ones;
      for (const Tensor& t : inputs) ones.push_back(t.defined() ? one_element(t) : t);
      run(sample, ones);
    }
  if (const auto at = op_integers().find(GetParam()); at != op_integers().end())
    for (const IntegerArgument& argument : at->second())
      for (Device device : devices())
        for (const int64_t v : {-1, 0, 1, 2}) {
          SCOPED_TRACE(argument.name + " = " + std::to_string(v) + " on " + device.str());
          const OpListener listener = watch(*op_);
          try {
            (void)argument.run(v, device);
          } catch (const Error&) {
          }
        }
}

}  // namespace
}  // namespace ordo::test
