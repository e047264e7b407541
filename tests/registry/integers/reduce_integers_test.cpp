#include "tests/support/integer_arguments.h"

namespace ordo::test {
namespace {

// Reductions take a list of dimensions, alone or after another.
#define ORDO_DIMS(op)                                                               \
  ORDO_OP_INTEGERS(op) {                                                            \
    return {{"dims {v}", [](int64_t v, Device d) { return op(some(d), Dims{v}); }}, \
            {"dims {0, v}", [](int64_t v, Device d) {                               \
               return op(some(d), Dims{0, v});                                      \
             }}};                                                                   \
  }
ORDO_DIMS(sum)
ORDO_DIMS(mean)
ORDO_DIMS(amax)
ORDO_DIMS(amin)
ORDO_DIMS(any)
ORDO_DIMS(all)
ORDO_DIMS(var)
ORDO_DIMS(square_sum)

ORDO_OP_INTEGERS(std) {
  return {{"dims", [](int64_t v, Device d) { return ordo::std(some(d), Dims{v}); }}};
}
ORDO_OP_INTEGERS(var_mean) {
  return {{"dims", [](int64_t v, Device d) { return var_mean(some(d), Dims{v}).first; }}};
}
ORDO_OP_INTEGERS(std_mean) {
  return {{"dims", [](int64_t v, Device d) { return std_mean(some(d), Dims{v}).first; }}};
}
ORDO_OP_INTEGERS(norm) {
  return {{"dims", [](int64_t v, Device d) { return norm(some(d), 2, Dims{v}); }},
          {"p", [](int64_t v, Device d) { return norm(some(d), double(v)); }}};
}

#define ORDO_DIM(op, call)                                      \
  ORDO_OP_INTEGERS(op) {                                        \
    return {{"dim", [](int64_t v, Device d) { return call; }}}; \
  }
ORDO_DIM(max, max(some(d), v).values)
ORDO_DIM(min, min(some(d), v).indices)
ORDO_DIM(argmax, argmax(some(d), v))
ORDO_DIM(argmin, argmin(some(d), v))
ORDO_DIM(softmax, softmax(some(d), v))
ORDO_DIM(log_softmax, log_softmax(some(d), v))
ORDO_DIM(stack, stack({some(d), some(d)}, v))

ORDO_OP_INTEGERS(cat) {
  return {{"dim",
           [](int64_t v, Device d) {
             return cat({some(d), some(d)}, v);
           }},
          {"size of the inputs", [](int64_t v, Device d) {
             if (v < 0) return Tensor();
             const Tensor t = zeros({1}, {.dtype = uint8, .device = d}).expand({v});
             return cat({t, t, t});
           }}};
}

}  // namespace
}  // namespace ordo::test
