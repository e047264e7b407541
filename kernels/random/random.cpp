#include <ordo/kernels/random/random.h>

#include <algorithm>
#include <cmath>

#include <ordo/engine/calls/checked.h>
#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/run/philox.h>
#include <ordo/engine/tensor/fits.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/random/draws.h>

namespace ordo::kernels {

static OpInfo random_row(DTypeSet dtypes, bool differentiable = false) {
  return {.family = "random",
          .dtypes = dtypes,
          .differentiable = differentiable,
          .note = "draws from a Generator",
          .no_rows = "element i gets number i of the stream"};
}
ORDO_REGISTER_OPS({"rand", "randn", "uniform_", "normal_"}, random_row(kFloatingTypes));
ORDO_REGISTER_OPS({"randint", "bernoulli"}, random_row(kAllTypes));
ORDO_REGISTER_OPS({"randperm"}, random_row(kNumericTypes));
ORDO_REGISTER_OPS({"dropout"}, random_row(kFloatingTypes, true));

namespace {

GeneratorState reserve(Generator* generator, int64_t numel, int per_block) {
  return (generator ? *generator : default_generator())
      .reserve((uint64_t(numel) + uint64_t(per_block) - 1) / uint64_t(per_block));
}

/// Fills t by way of contiguous memory, from the generator's state in args.
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

/// Fills t from numbers that it reserves.
const Tensor& draw_(const char* op, const Tensor& t, Generator* generator, int per_block, DrawArgs args) {
  args.state = reserve(generator, t.numel(), per_block);
  return fill_drawn(op, t, args);
}

int floats_per_block(DType t) { return t == float64 ? 2 : 4; }

void expect_probability(const char* op, double p) {
  ORDO_CHECK(p >= 0 && p <= 1, ValueError, op, "p is a probability between 0 and 1, not {}", p);
}

}  // namespace

const Tensor& uniform_(const Tensor& t, double low, double high, Generator* generator) {
  detail::expect_floating("uniform_", t, "self");
  ORDO_CHECK(std::isfinite(low) && std::isfinite(high) && low <= high, ValueError, "uniform_",
             "needs finite low <= high, not {} and {}", low, high);
  detail::expect_fits("uniform_", low, t.dtype());
  detail::expect_fits("uniform_", high, t.dtype());
  return draw_("uniform_", t, generator, floats_per_block(t.dtype()), {.kind = Draw::uniform, .p = low, .q = high});
}

const Tensor& normal_(const Tensor& t, double mean, double std, Generator* generator) {
  detail::expect_floating("normal_", t, "self");
  ORDO_CHECK(std >= 0, ValueError, "normal_", "std must not be negative, but is {}", std);
  detail::expect_fits("normal_", mean, t.dtype());
  detail::expect_fits("normal_", std, t.dtype());
  return draw_("normal_", t, generator, floats_per_block(t.dtype()), {.kind = Draw::normal, .p = mean, .q = std});
}

const Tensor& randint_(const Tensor& t, int64_t low, int64_t high, Generator* generator) {
  detail::expect_defined("randint", t, "self");
  ORDO_CHECK(low < high, ValueError, "randint", "needs low < high, not {} and {}", low, high);
  const DType dtype = t.dtype();
  const auto [least, most] = detail::integer_range(dtype);
  ORDO_CHECK(low >= least && high - 1 <= most, ValueError, "randint", "{} to {} do not all fit dtype {}", low, high - 1,
             dtype);
  const uint64_t range = uint64_t(high) - uint64_t(low);
  return draw_("randint", t, generator, range <= kSmallRange ? 4 : 2,
               {.kind = Draw::integers, .low = low, .range = range});
}

const Tensor& bernoulli_(const Tensor& t, double p, Generator* generator) {
  detail::expect_defined("bernoulli", t, "self");
  expect_probability("bernoulli", p);
  return draw_("bernoulli", t, generator, 4, {.kind = Draw::bernoulli, .p = p});
}

Tensor bernoulli(const Tensor& p, Generator* generator) {
  detail::expect_floating("bernoulli", p, "p");
  const Tensor source = contiguous(p);
  return draw_("bernoulli", detail::result_like(source), generator, 4,
               {.kind = Draw::bernoulli_each, .x = source.data()});
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
    entries[size_t(i)] = {wide(b.v + i % 2 * 2), i};
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.key != b.key ? a.key < b.key : a.index < b.index; });
  Tensor r = detail::result({n}, int64, Device());
  for (int64_t i = 0; i < n; ++i) r.data<int64_t>()[i] = entries[size_t(i)].index;
  return to(r, device, dtype);
}

Tensor dropout(const Tensor& x, double p, const GeneratorState& state) {
  detail::expect_floating("dropout", x, "input");
  expect_probability("dropout", p);
  const Tensor source = contiguous(x);
  const double scale = p < 1 ? 1 / (1 - p) : 0;
  return fill_drawn("dropout", detail::result_like(source),
                    {.kind = Draw::dropout, .x = source.data(), .state = state, .p = p, .q = scale});
}

GeneratorState dropout_state(int64_t numel, Generator* generator) { return reserve(generator, numel, 4); }

}  // namespace ordo::kernels
