#include <algorithm>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/calls/op_call.h>
#include <ordo/engine/run/determinism.h>
#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/accumulate/exact/exact_levels.h>

namespace ordo::kernels {

AlgorithmLevels accumulate_levels(DTypeSet exact) {
  AlgorithmLevels levels = {{Algorithm::atomic, Determinism::not_guaranteed},
                            {Algorithm::sorted, Determinism::device_to_device}};
  if (exact.bits != 0) levels.push_back({Algorithm::exact, Determinism::device_to_device, exact});
  return levels;
}

namespace {
[[noreturn, gnu::cold]] void fail_unknown(const char* op, Algorithm requested,
                                          std::initializer_list<Algorithm> allowed) {
  std::string names;
  for (Algorithm a : allowed) names += (names.empty() ? "" : ", ") + std::string(name(a));
  ordo::detail::fail<ValueError>(op, "has no algorithm '{}'; choose automatic or one of: {}", name(requested), names);
}
}  // namespace

static Algorithm choose(const char* op, Algorithm requested, DType dtype, const AccumulateSize& size,
                        std::initializer_list<Algorithm> allowed) {
  const bool order_free = is_integral(dtype);
  const auto has = [&](Algorithm a) { return std::find(allowed.begin(), allowed.end(), a) != allowed.end(); };
  if (requested != Algorithm::automatic) {
    if (!has(requested)) fail_unknown(op, requested, allowed);
    if (requested == Algorithm::atomic && !order_free)
      require_determinism(op, Determinism::not_guaranteed, "leave the algorithm to Algorithm::automatic");
    if (requested != Algorithm::exact) return requested;
    if (order_free) return Algorithm::atomic;
    ORDO_CHECK(dtype != float64, ValueError, op, "has no algorithm 'exact' for float64; choose automatic or sorted");
    ORDO_CHECK(std::max(size.items, size.destinations) <= kExactMost, ValueError, op,
               "by algorithm 'exact' takes up to {} items and destinations, not {} and {}; choose automatic or sorted",
               kExactMost, size.items, size.destinations);
    return requested;
  }
  const bool any_order = order_free || !deterministic();
  const bool suits = size.flat && size.destinations <= size.items && size.items <= kExactMost;
  if (!any_order && suits && dtype != float64 && has(Algorithm::exact)) return Algorithm::exact;
  for (Algorithm a : allowed)
    if ((a == Algorithm::atomic) == any_order) return a;
  return *allowed.begin();
}

Algorithm choose_accumulate(const char* op, Algorithm requested, DType dtype, const AccumulateSize& size,
                            std::initializer_list<Algorithm> allowed) {
  const Algorithm chosen = choose(op, requested, dtype, size, allowed);
  OpCall::chose(chosen);
  return chosen;
}

}  // namespace ordo::kernels
