#include <ordo/kernels/random/random.h>

#include <algorithm>
#include <cmath>

#include <ordo/engine/checked.h>
#include <ordo/engine/dispatch.h>
#include <ordo/engine/fits.h>
#include <ordo/engine/op_registry.h>
#include <ordo/engine/philox.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/random/random_loops.h>

namespace ordo::kernels {

#define ORDO_REGISTER_RANDOM(op, types) \
  ORDO_REGISTER_OP(                     \
      {.name = op, .family = "random", .dtypes = types, .differentiable = false, .note = "draws from a Generator"})
ORDO_REGISTER_RANDOM("rand", kFloatingTypes);
ORDO_REGISTER_RANDOM("randn", kFloatingTypes);
ORDO_REGISTER_RANDOM("randint", kAllTypes);
ORDO_REGISTER_RANDOM("randperm", kNumericTypes);
ORDO_REGISTER_RANDOM("bernoulli", kAllTypes);
ORDO_REGISTER_RANDOM("uniform_", kFloatingTypes);
ORDO_REGISTER_RANDOM("normal_", kFloatingTypes);
ORDO_REGISTER_OP({.name = "dropout", .family = "random", .dtypes = kFloatingTypes, .note = "draws from a Generator"});

namespace {

GeneratorState reserve(Generator* generator, int64_t numel, int per_block) {
  return (generator ? *generator : default_generator())
      .reserve((uint64_t(numel) + uint64_t(per_block) - 1) / uint64_t(per_block));
}

/// Fills t by way of contiguous memory.
const Tensor& fill_drawn(const char* op, const Tensor& t, DrawArgs args) {
  expect_writable(op, t);
  if (t.numel() == 0) return t;
  const Tensor target = t.is_contiguous() ? t : detail::result_like(t);
  args.numel = t.numel();
  args.out = target.data();
  args.dtype = t.dtype();
  args.device = t.device();
  ORDO_ON_DEVICE(args.device, draw, args);
  if (!target.is_same(t)) copy_(t, target);
  return t;
}

int floats_per_block(DType t) { return t == float64 ? 2 : 4; }

void expect_probability(const char* op, double p) {
  ORDO_CHECK(p >= 0 && p <= 1, ValueError, op, "p is a probability between 0 and 1, not {}", p);
}

}  // namespace

const Tensor& uniform_(const Tensor& t, double low, double high, Generator* generator) {
  detail::expect_defined("uniform_", t, "self");
  detail::expect_floating("uniform_", t);
  ORDO_CHECK(std::isfinite(low) && std::isfinite(high) && low <= high, ValueError, "uniform_",
             "needs finite low <= high, not {} and {}", low, high);
  detail::expect_fits("uniform_", low, t.dtype());
  detail::expect_fits("uniform_", high, t.dtype());
  DrawArgs args{.kind = Draw::uniform};
  args.state = reserve(generator, t.numel(), floats_per_block(t.dtype()));
  args.p = low;
  args.q = high;
  return fill_drawn("uniform_", t, args);
}

const Tensor& normal_(const Tensor& t, double mean, double std, Generator* generator) {
  detail::expect_defined("normal_", t, "self");
  detail::expect_floating("normal_", t);
  ORDO_CHECK(std >= 0, ValueError, "normal_", "std must not be negative, but is {}", std);
  detail::expect_fits("normal_", mean, t.dtype());
  detail::expect_fits("normal_", std, t.dtype());
  DrawArgs args{.kind = Draw::normal};
  args.state = reserve(generator, t.numel(), floats_per_block(t.dtype()));
  args.p = mean;
  args.q = std;
  return fill_drawn("normal_", t, args);
}

const Tensor& randint_(const Tensor& t, int64_t low, int64_t high, Generator* generator) {
  detail::expect_defined("randint", t, "self");
  ORDO_CHECK(low < high, ValueError, "randint", "needs low < high, not {} and {}", low, high);
  const DType dtype = t.dtype();
  const auto [least, most] = detail::integer_range(dtype);
  ORDO_CHECK(low >= least && high - 1 <= most, ValueError, "randint", "{} to {} do not all fit dtype {}", low, high - 1,
             dtype);
  DrawArgs args{.kind = Draw::integers};
  args.low = low;
  args.range = uint64_t(high) - uint64_t(low);
  args.state = reserve(generator, t.numel(), args.range <= kSmallRange ? 4 : 2);
  return fill_drawn("randint", t, args);
}

const Tensor& bernoulli_(const Tensor& t, double p, Generator* generator) {
  detail::expect_defined("bernoulli", t, "self");
  expect_probability("bernoulli", p);
  DrawArgs args{.kind = Draw::bernoulli};
  args.state = reserve(generator, t.numel(), 4);
  args.p = p;
  return fill_drawn("bernoulli", t, args);
}

Tensor bernoulli(const Tensor& p, Generator* generator) {
  detail::expect_defined("bernoulli", p, "p");
  detail::expect_floating("bernoulli", p);
  const Tensor source = contiguous(p);
  Tensor r = detail::result_like(source);
  DrawArgs args{.kind = Draw::bernoulli_each};
  args.state = reserve(generator, p.numel(), 4);
  args.x = source.data();
  fill_drawn("bernoulli", r, args);
  return r;
}

Tensor randperm(int64_t n, DType dtype, Device device, Generator* generator) {
  ORDO_CHECK(n >= 0, ValueError, "randperm", "n must not be negative, but is {}", n);
  ORDO_CHECK(dtype != boolean, DTypeError, "randperm", "bool cannot number {} elements", n);
  ORDO_CHECK(n == 0 || n - 1 <= detail::exact_up_to(dtype), ValueError, "randperm",
             "the numbers up to {} do not fit dtype {}, which holds all whole numbers up to {}; use int64", n - 1,
             dtype, detail::exact_up_to(dtype));
  struct Entry {
    uint64_t key;
    int64_t index;
  };
  auto entries = checked::vector<Entry>("randperm", n);
  const GeneratorState s = reserve(generator, n, 2);
  for (int64_t i = 0; i < n; ++i) {
    const PhiloxBlock b = philox(s.seed, s.stream, s.offset + uint64_t(i / 2));
    entries[size_t(i)] = {uint64_t(b.v[i % 2 * 2]) << 32 | b.v[i % 2 * 2 + 1], i};
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.key != b.key ? a.key < b.key : a.index < b.index; });
  Tensor r = detail::result({n}, int64, Device());
  for (int64_t i = 0; i < n; ++i) r.data<int64_t>()[i] = entries[size_t(i)].index;
  return to(r, device, dtype);
}

Tensor dropout(const Tensor& x, double p, const GeneratorState& state) {
  detail::expect_defined("dropout", x, "input");
  detail::expect_floating("dropout", x);
  expect_probability("dropout", p);
  const Tensor source = contiguous(x);
  Tensor r = detail::result_like(source);
  DrawArgs args{.kind = Draw::dropout};
  args.state = state;
  args.x = source.data();
  args.p = p;
  args.q = p < 1 ? 1 / (1 - p) : 0;
  fill_drawn("dropout", r, args);
  return r;
}

GeneratorState dropout_state(int64_t numel, Generator* generator) { return reserve(generator, numel, 4); }

}  // namespace ordo::kernels
