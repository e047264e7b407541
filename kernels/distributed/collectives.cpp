#include <ordo/kernels/distributed/collectives.h>

#include <cstring>

#include <ordo/engine/check.h>
#include <ordo/engine/checked.h>
#include <ordo/engine/determinism.h>
#include <ordo/engine/distributed/collectives.h>
#include <ordo/engine/op_call.h>
#include <ordo/engine/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/distributed/ordered_reduce.h>
#include <ordo/kernels/elementwise/arithmetic.h>

namespace ordo::kernels {

using distributed::CallHeader;
using distributed::Group;
using distributed::GroupState;
using distributed::ReduceOp;

namespace {

constexpr DTypeSet kLibraryTypes{uint8, int32, int64, float32, float64};

}  // namespace

ORDO_REGISTER_OP({.name = "all_reduce",
                  .family = "distributed",
                  .dtypes = kNumericTypes,
                  .algorithms = {{Algorithm::library, Determinism::not_guaranteed, kLibraryTypes},
                                 {Algorithm::direct, Determinism::device_to_device}},
                  .note = "direct: in a binary tree over the ranks"});
ORDO_REGISTER_OP({.name = "reduce_scatter",
                  .family = "distributed",
                  .dtypes = kNumericTypes,
                  .algorithms = {{Algorithm::library, Determinism::not_guaranteed, kLibraryTypes},
                                 {Algorithm::direct, Determinism::device_to_device}},
                  .note = "direct: in a binary tree over the ranks"});
ORDO_REGISTER_OP({.name = "all_gather", .family = "distributed", .dtypes = kAllTypes});
ORDO_REGISTER_OP({.name = "broadcast", .family = "distributed", .dtypes = kAllTypes});
ORDO_REGISTER_OP({.name = "all_to_all", .family = "distributed", .dtypes = kAllTypes});

namespace {

Algorithm chosen(const char* op, Algorithm asked, ReduceOp reduce, DType dtype) {
  ORDO_CHECK(asked == Algorithm::automatic || asked == Algorithm::library || asked == Algorithm::direct, ValueError, op,
             "has the algorithms library and direct, not {}", name(asked));
  ORDO_CHECK(reduce != ReduceOp::mean || is_floating(dtype), DTypeError, op, "means are of floating tensors, not {}",
             dtype);
  ORDO_CHECK(asked != Algorithm::library || kLibraryTypes.has(dtype), DTypeError, op,
             "MPI has no reduction of {}; the algorithm direct has", dtype);
  if (asked == Algorithm::automatic)
    asked = deterministic() || !kLibraryTypes.has(dtype) ? Algorithm::direct : Algorithm::library;
  if (asked == Algorithm::library)
    require_determinism(op, Determinism::not_guaranteed, "the algorithm direct adds in a fixed order");
  OpCall::chose(asked);
  return asked;
}

CallHeader header_of(const char* op, const Tensor& t) {
  CallHeader header;
  std::strncpy(header.op, op, sizeof header.op - 1);
  header.element = int(t.dtype());
  header.level = int(determinism());
  header.dims = t.dim();
  for (int d = 0; d < t.dim(); ++d) header.sizes[d] = t.size(d);
  return header;
}

/// In CPU memory, contiguous, and not `t`'s own.
Tensor host_copy(const Tensor& t) { return t.is_cpu() ? clone(t) : to(contiguous(t), cpu, t.dtype()); }
/// The same, or `t` itself.
Tensor on_host(const Tensor& t) { return to(contiguous(t), cpu, t.dtype()); }
Tensor back(const Tensor& result, const Tensor& like) { return to(result, like.device(), result.dtype()); }

/// The sum of all becomes the mean.
void divide(const Tensor& sum, ReduceOp op, const GroupState& group) {
  if (op == ReduceOp::mean) copy_(sum, div(sum, Scalar(double(group.size()))));
}

OrderedReduce over_ranks(const char* op, ReduceOp reduce, DType dtype, const GroupState& group) {
  OrderedReduce what{.op = op, .reduce = reduce, .dtype = dtype, .leaves = group.size()};
  for (int64_t r = 0; r < group.size(); ++r) what.members.push_back({r, r + 1});
  return what;
}

/// `t` in `parts` blocks along its first dimension: the sizes of one.
Dims block_sizes(const char* op, const Tensor& t, int64_t parts) {
  ORDO_CHECK(t.dim() > 0, ShapeError, op, "needs a tensor with a first dimension to cut, given one of no dimensions");
  ORDO_CHECK(t.size(0) % parts == 0, ShapeError, op,
             "cuts the first dimension into {} parts, which {} does not allow (sizes {})", parts, t.size(0), t.sizes());
  Dims sizes = t.sizes();
  sizes[0] /= parts;
  return sizes;
}

}  // namespace

Tensor all_reduce(const Tensor& t, ReduceOp op, const Group& group, Algorithm algorithm) {
  const char* const name = "all_reduce";
  const detail::OperationName named(name);
  detail::expect_defined(name, t, "tensor");
  detail::expect_not_bool(name, t.dtype());
  GroupState& members = distributed::member_state_of(name, group);
  algorithm = chosen(name, algorithm, op, t.dtype());
  if (members.size() == 1) return clone(t);
  CallHeader header = header_of(name, t);
  header.reduce = int(op), header.library = algorithm == Algorithm::library;
  const Tensor result = host_copy(t);
  members.world.run([&] {
    distributed::meet(members, header);
    if (algorithm == Algorithm::library)
      members.world.transport().reduce(result.data(), size_t(result.numel()), int(result.dtype()), op, members.ranks,
                                       members.id);
    else
      ordered_all_reduce(members, over_ranks(name, op, result.dtype(), members),
                         {{{0, members.rank}}, {result.data()}, true}, result.data(), result.numel());
  });
  divide(result, op, members);
  return back(result, t);
}

Tensor reduce_scatter(const Tensor& t, ReduceOp op, const Group& group, Algorithm algorithm) {
  const char* const name = "reduce_scatter";
  const detail::OperationName named(name);
  detail::expect_defined(name, t, "tensor");
  detail::expect_not_bool(name, t.dtype());
  GroupState& members = distributed::member_state_of(name, group);
  const Dims sizes = block_sizes(name, t, members.size());
  algorithm = chosen(name, algorithm, op, t.dtype());
  if (members.size() == 1) return clone(t);
  CallHeader header = header_of(name, t);
  header.reduce = int(op), header.library = algorithm == Algorithm::library;
  Tensor result = detail::result(sizes, t.dtype(), cpu);
  if (algorithm == Algorithm::library) {
    const Tensor whole = host_copy(t);
    members.world.run([&] {
      distributed::meet(members, header);
      members.world.transport().reduce(whole.data(), size_t(whole.numel()), int(whole.dtype()), op, members.ranks,
                                       members.id);
    });
    copy_(result, views::narrow(whole, 0, members.rank * sizes[0], sizes[0]));
  } else {
    const Tensor whole = on_host(t);
    members.world.run([&] {
      distributed::meet(members, header);
      ordered_reduce_scatter(members, over_ranks(name, op, whole.dtype(), members),
                             {{{0, members.rank}}, {whole.data()}}, result.data(), result.numel());
    });
  }
  divide(result, op, members);
  return back(result, t);
}

Tensor all_gather(const Tensor& t, const Group& group) {
  const char* const name = "all_gather";
  const detail::OperationName named(name);
  detail::expect_defined(name, t, "tensor");
  GroupState& members = distributed::member_state_of(name, group);
  ORDO_CHECK(t.dim() > 0, ShapeError, name, "puts tensors together along their first dimension, and this one has none");
  if (members.size() == 1) return clone(t);
  Dims sizes = t.sizes();
  sizes[0] = checked::mul(name, sizes[0], members.size());
  const Tensor mine = on_host(t), all = detail::result(sizes, t.dtype(), cpu);
  char* const bytes = static_cast<char*>(all.data());
  std::memcpy(bytes + size_t(members.rank) * mine.nbytes(), mine.data(), mine.nbytes());
  members.world.run([&] {
    distributed::meet(members, header_of(name, t));
    distributed::all_gather(members, name, bytes, std::vector<size_t>(size_t(members.size()), mine.nbytes()));
  });
  return back(all, t);
}

Tensor broadcast(const Tensor& t, int64_t src, const Group& group) {
  const char* const name = "broadcast";
  const detail::OperationName named(name);
  detail::expect_defined(name, t, "tensor");
  GroupState& members = distributed::member_state_of(name, group);
  ORDO_CHECK(src >= 0 && src < members.size(), ValueError, name, "there is no rank {} of {}", src, members.size());
  if (members.size() == 1) return clone(t);
  CallHeader header = header_of(name, t);
  header.root = int(src);
  const Tensor result = host_copy(t);
  members.world.run([&] {
    distributed::meet(members, header);
    distributed::broadcast(members, name, result.data(), result.nbytes(), int(src));
  });
  return back(result, t);
}

Tensor all_to_all(const Tensor& t, const Group& group) {
  const char* const name = "all_to_all";
  const detail::OperationName named(name);
  detail::expect_defined(name, t, "tensor");
  GroupState& members = distributed::member_state_of(name, group);
  (void)block_sizes(name, t, members.size());
  if (members.size() == 1) return clone(t);
  const Tensor mine = on_host(t), result = detail::result(t.sizes(), t.dtype(), cpu);
  members.world.run([&] {
    distributed::meet(members, header_of(name, t));
    distributed::all_to_all(members, name, mine.data(), result.data(), mine.nbytes() / size_t(members.size()));
  });
  return back(result, t);
}

}  // namespace ordo::kernels
