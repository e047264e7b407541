#include <ordo/autograd/autocast.h>

#include <algorithm>

#include <ordo/engine/check.h>
#include <ordo/engine/guard_stack.h>
#include <ordo/engine/initial_exec.h>

namespace ordo {

static thread_local DType t_dtype ORDO_INITIAL_EXEC = float32;  // float32: off

namespace amp {

static thread_local detail::GuardStack<DType> guards;

Autocast::Autocast(DType dtype, bool enabled) {
  ORDO_CHECK(dtype == bfloat16 || dtype == float16, DTypeError, "Autocast", "takes bfloat16 or float16, not {}", dtype);
  guards.begin(this, t_dtype, enabled ? dtype : float32);
}
Autocast::~Autocast() { guards.end("Autocast", this, t_dtype); }

bool autocast_enabled() { return t_dtype != float32; }
DType autocast_dtype() { return t_dtype; }

}  // namespace amp

namespace detail {

static bool is_half(const Tensor& t) { return t.defined() && (t.dtype() == bfloat16 || t.dtype() == float16); }

bool lowers_one(const Tensor& t) { return t.defined() && t.dtype() != t_dtype && (t.dtype() == float32 || is_half(t)); }
bool lowers_one(const TensorList& list) {
  return std::any_of(list.begin(), list.end(), [](const Tensor& t) { return lowers_one(t); });
}
bool raises_one(const Tensor& t) { return is_half(t); }

Tensor lower(const Tensor& t) { return lowers_one(t) ? t.to(t_dtype) : t; }
TensorList lower(const TensorList& list) {
  TensorList all;
  for (const Tensor& t : list) all.push_back(lower(t));
  return all;
}
Tensor raise(const Tensor& t) { return raises_one(t) ? t.to(float32) : t; }

}  // namespace detail
}  // namespace ordo
