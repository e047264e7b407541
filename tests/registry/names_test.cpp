// Errors name the operation that was called. Every sample of every operation is run with inputs it cannot take, and
// without memory: what it throws is an ordo::Error whose text begins with the operation's name.
#include <ordo/ordo.h>
#include "tests/support/memory_limit.h"
#include "tests/support/registry_test_base.h"
#include "tests/support/schedules.h"

namespace ordo::test {
namespace {

ORDO_REGISTRY_TEST(RegistryNames);

struct Spoiler {
  const char* name;
  Tensor (*spoil)(const Tensor&);
};
const Spoiler kSpoilers[] = {
    {"undefined", [](const Tensor&) { return Tensor(); }},
    {"bool", [](const Tensor& t) { return t.to(boolean); }},
    {"int32", [](const Tensor& t) { return t.to(int32); }},
    {"float64", [](const Tensor& t) { return t.to(float64); }},
    {"no dimensions", [](const Tensor& t) { return t.numel() ? t.flatten()[0] : zeros({}, t.options()); }},
    {"eight dimensions",
     [](const Tensor& t) {
       Tensor many = t;
       while (many.dim() < kMaxDims) many = many.unsqueeze(0);
       return many;
     }},
    {"longer",
     [](const Tensor& t) {
       return t.dim() ? cat({t, t}, -1) : t.expand({3});
     }},
    {"empty", [](const Tensor& t) { return t.dim() ? t.narrow(0, 0, 0) : t.expand({0}); }},
    {"larger numbers", [](const Tensor& t) { return is_floating(t.dtype()) ? t : t.to(int64) * 1000003; }},
};

/// Whether the sample threw that before it called the operation: some look at their inputs, clone what they will
/// overwrite, or lay it out.
bool from_the_sample(const std::string& op, const std::string& text) {
  const auto prepares = [&](const char* by) { return text.starts_with(std::string("[") + by + "]"); };
  return text.starts_with("[tensor] this tensor is undefined") || text == "[clone] self is an undefined tensor" ||
         (op == "reshape" && prepares("transpose")) || (op == "sum" && prepares("expand")) ||
         (op == "view" && prepares("contiguous")) || (op.starts_with("index") && (prepares("size") || prepares("sub")));
}

void expect_named(const std::string& op, const std::function<void()>& run) {
  try {
    run();
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_TRUE(text.starts_with("[" + op) || from_the_sample(op, text)) << text;
  } catch (const std::exception& error) {
    ADD_FAILURE() << "not an ordo::Error: " << error.what();
  }
}

TEST_P(RegistryNames, errors_of_bad_input_name_the_operation) {
  for (const Sample& sample : samples_) {
    for (Device device : devices()) {
      const TensorList good = convert(sample.inputs, floating_dtypes(*op_, sample)[0], device);
      for (size_t i = 0; i < good.size(); ++i) {
        if (!good[i].defined()) continue;
        for (const Spoiler& spoiler : kSpoilers) {
          SCOPED_TRACE(sample.label + ", input " + std::to_string(i) + " " + spoiler.name + ", " + device.str());
          TensorList inputs = good;
          inputs[i] = spoiler.spoil(good[i]);
          const MemoryLimit limit(checked_build() ? size_t(2) << 20 : size_t(64) << 20);
          expect_named(GetParam(), [&] {
            (void)sample.run(inputs);
            if (device.is_cuda()) cuda::synchronize();  // raises what the device found in indices
          });
        }
      }
    }
  }
}

/// Without memory, by whatever an operation allocates first.
TEST_P(RegistryNames, running_out_of_memory_is_an_error_of_that_kind) {
  for (const Sample& sample : samples_) {
    for (Device device : devices()) {
      SCOPED_TRACE(sample.label + " on " + device.str());
      const TensorList inputs = convert(sample.inputs, floating_dtypes(*op_, sample)[0], device);
      const MemoryLimit limit(0);
      try {
        (void)sample.run(inputs);
      } catch (const OutOfMemoryError&) {
      } catch (const std::exception& error) {
        ADD_FAILURE() << "not an OutOfMemoryError: " << error.what();
      }
    }
  }
}

}  // namespace
}  // namespace ordo::test
