#include <ordo/engine/calls/check.h>
#include <ordo/kernels/elementwise/operand.h>

namespace ordo::kernels {
namespace {

int kind_of(DType t) { return is_floating(t) ? 2 : t == boolean ? 0 : 1; }

// How strongly an operand takes part: 2 with dimensions, 1 as a 0-d tensor, 0 as a number.
int rank_of(const Operand& o) { return !o.is_tensor() ? 0 : o.impl()->sizes.empty() ? 1 : 2; }

DType dtype_of_operand(const Operand& o) {
  if (o.is_tensor()) return o.impl()->dtype;
  return o.scalar().is_floating() ? float32 : o.scalar().is_boolean() ? boolean : int64;
}

}  // namespace

DType promote_operands(const Operand& a, const Operand& b) {
  const DType x = dtype_of_operand(a), y = dtype_of_operand(b);
  if (x == y) return x;
  const int rx = rank_of(a), ry = rank_of(b);
  if (rx == ry) return promote(x, y);
  const DType strong = rx > ry ? x : y, weak = rx > ry ? y : x;
  return kind_of(weak) > kind_of(strong) ? promote(strong, weak) : strong;
}

void expect_in_place_dtype(const char* op, DType target, DType computed) {
  ORDO_CHECK(
      kind_of(computed) <= kind_of(target), DTypeError, op,
      "the result has dtype {}, which does not fit the {} tensor that is changed in place; use the function that "
      "returns a new tensor",
      computed, target);
}

}  // namespace ordo::kernels
