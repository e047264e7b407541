#include <ordo/autograd/autocast.h>

#include <algorithm>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/memory/initial_exec.h>
#include <ordo/engine/run/guard_stack.h>

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

bool converts(Cast cast, const Tensor& t) {
  if (!t.defined()) return false;
  const bool half = t.dtype() == bfloat16 || t.dtype() == float16;
  return cast == Cast::raise ? half : t.dtype() != t_dtype && (half || t.dtype() == float32);
}
bool converts(Cast cast, const TensorList& list) {
  return std::any_of(list.begin(), list.end(), [cast](const Tensor& t) { return converts(cast, t); });
}

Tensor converted(Cast cast, const Tensor& t) {
  return converts(cast, t) ? t.to(cast == Cast::raise ? float32 : t_dtype) : t;
}
TensorList converted(Cast cast, const TensorList& list) {
  TensorList all;
  for (const Tensor& t : list) all.push_back(converted(cast, t));
  return all;
}

}  // namespace detail

}  // namespace ordo
