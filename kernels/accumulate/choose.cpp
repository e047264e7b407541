#include <algorithm>

#include <ordo/engine/check.h>
#include <ordo/engine/determinism.h>
#include <ordo/kernels/accumulate/accumulate.h>

namespace ordo::kernels {

namespace {
[[noreturn, gnu::cold]] void fail_unknown(const char* op, Algorithm requested,
                                          std::initializer_list<Algorithm> allowed) {
  std::string names;
  for (Algorithm a : allowed) names += (names.empty() ? "" : ", ") + std::string(name(a));
  ordo::detail::fail<ValueError>(op, "has no algorithm '{}'; choose automatic or one of: {}", name(requested), names);
}
}  // namespace

Algorithm choose_accumulate(const char* op, Algorithm requested, DType dtype,
                            std::initializer_list<Algorithm> allowed) {
  const bool order_free = is_integral(dtype);
  if (requested != Algorithm::automatic) {
    if (std::find(allowed.begin(), allowed.end(), requested) == allowed.end()) fail_unknown(op, requested, allowed);
    if (requested == Algorithm::atomic && !order_free)
      require_determinism(op, Determinism::not_guaranteed, "leave the algorithm to Algorithm::automatic");
    return requested;
  }
  const bool any_order = order_free || !deterministic();
  for (Algorithm a : allowed)
    if ((a == Algorithm::atomic) == any_order) return a;
  return *allowed.begin();
}

}  // namespace ordo::kernels
