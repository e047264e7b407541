// One row per operation, an OpInfo. Tests, `ordo ops` and docs/ops.md enumerate these rows.
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include <ordo/engine/run/determinism.h>
#include <ordo/engine/tensor/dtype.h>

namespace ordo {

/// How an operation computes. `automatic` lets the level in force decide; a caller may force one of the others where an
/// operation takes an Algorithm argument, and gets ValueError when the operation does not have it.
enum class Algorithm : unsigned char {
  automatic,
  direct,   ///< every output has one writer and a fixed order: the same at all levels
  atomic,   ///< adds in the order threads arrive
  sorted,   ///< adds by destination, then by item, in the contract's tree
  gather,   ///< as sorted, the items of a destination being computed instead of sorted
  exact,    ///< the true sum, rounded once, in whatever order it is found
  library,  ///< cuBLAS or cuDNN
};
std::string_view name(Algorithm);

/// A set of dtypes.
struct DTypeSet {
  unsigned bits = 0;
  constexpr DTypeSet() = default;
  constexpr DTypeSet(std::initializer_list<DType> types) {
    for (DType t : types) bits |= 1u << unsigned(t);
  }
  constexpr bool has(DType t) const { return bits >> unsigned(t) & 1u; }
};
inline constexpr DTypeSet kFloatingTypes{float16, bfloat16, float32, float64};
inline constexpr DTypeSet kIntegerTypes{uint8, int32, int64};
inline constexpr DTypeSet kIntegralTypes{boolean, uint8, int32, int64};
inline constexpr DTypeSet kNumericTypes{uint8, int32, int64, float16, bfloat16, float32, float64};
inline constexpr DTypeSet kAllTypes{boolean, uint8, int32, int64, float16, bfloat16, float32, float64};
/// What Algorithm::exact takes.
inline constexpr DTypeSet kExactTypes{uint8, int32, int64, float16, bfloat16, float32};

/// An algorithm and the strongest level it meets.
struct AlgorithmLevel {
  Algorithm algorithm;
  Determinism level;
  DTypeSet dtypes = kAllTypes;  ///< which of the operation's it takes
};
using AlgorithmLevels = std::vector<AlgorithmLevel>;

struct OpInfo {
  std::string_view name = {};  ///< the public function's, e.g. "index_add"
  std::string_view family;     ///< the folder under kernels/, e.g. "index_add"
  DTypeSet dtypes;
  bool differentiable = true;
  AlgorithmLevels algorithms = {{Algorithm::direct, Determinism::device_to_device}};
  bool cuda = true;            ///< has a CUDA implementation
  std::string_view note = {};  ///< for the table
  /// Why no part of its inputs makes a part of its result by itself; empty: rows do, and tests/bits/rows.txt says which
  /// dimensions hold them.
  std::string_view no_rows = {};

  /// The weakest level at which the bits of a row depend on that row alone, on every device (docs/rows.md).
  Determinism row_level() const;
};

/// All operations, by name. Rows move only while a library that registers some is loaded.
const std::vector<OpInfo>& ops();
/// The row of that name, or null.
const OpInfo* find_op(std::string_view name);

namespace detail {
struct OpRegistration {
  explicit OpRegistration(OpInfo info);
  OpRegistration(std::initializer_list<std::string_view> names, const OpInfo& info);
};
}  // namespace detail

#define ORDO_OP_CONCAT2(a, b) a##b
#define ORDO_OP_CONCAT(a, b) ORDO_OP_CONCAT2(a, b)
/// At namespace scope in the operation's .cpp: ORDO_REGISTER_OP({.name = "relu", .family = "elementwise", ...});
/// Throws: RuntimeError when there is a row of this name.
#define ORDO_REGISTER_OP(...) \
  static const ::ordo::detail::OpRegistration ORDO_OP_CONCAT(op_registration_, __COUNTER__)(::ordo::OpInfo __VA_ARGS__)
/// Several that differ in their names: ORDO_REGISTER_OPS({"tril", "triu"}, {.family = "copy", .dtypes = kAllTypes});
#define ORDO_REGISTER_OPS(...) \
  static const ::ordo::detail::OpRegistration ORDO_OP_CONCAT(op_registration_, __COUNTER__)(__VA_ARGS__)

}  // namespace ordo
