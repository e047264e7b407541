#include <ordo/kernels/distributed/collectives.h>

#include <cstring>

#include <ordo/engine/calls/checked.h>
#include <ordo/engine/calls/enumerator.h>
#include <ordo/engine/calls/op_call.h>
#include <ordo/engine/distributed/collectives.h>
#include <ordo/engine/run/determinism.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/distributed/ordered_reduce.h>
#include <ordo/kernels/elementwise/arithmetic.h>

namespace ordo::kernels {

using distributed::CallHeader;
using distributed::DeviceTransport;
using distributed::Group;
using distributed::GroupState;
using distributed::ReduceOp;

static constexpr DTypeSet kLibraryTypes{uint8, int32, int64, float32, float64};

ORDO_REGISTER_OPS({"all_reduce", "reduce_scatter"},
                  {.family = "distributed",
                   .dtypes = kNumericTypes,
                   .algorithms = {{Algorithm::library, Determinism::not_guaranteed, kLibraryTypes},
                                  {Algorithm::direct, Determinism::device_to_device}},
                   .note = "direct: in a binary tree over the ranks"});
ORDO_REGISTER_OPS({"all_gather", "broadcast", "all_to_all"}, {.family = "distributed", .dtypes = kAllTypes});

namespace {

Algorithm chosen(const char* op, Algorithm asked, ReduceOp reduce, DType dtype) {
  ORDO_CHECK(asked == Algorithm::automatic || asked == Algorithm::library || asked == Algorithm::direct, ValueError, op,
             "has the algorithms library and direct, not {}", name(asked));
  detail::expect_enumerator(op, reduce, ReduceOp::max, "a reduction: there are sum, mean, product, min and max");
  ORDO_CHECK(reduce != ReduceOp::mean || is_floating(dtype), DTypeError, op, "means are of floating tensors, not {}",
             dtype);
  ORDO_CHECK(asked != Algorithm::library || kLibraryTypes.has(dtype), DTypeError, op,
             "the library has no reduction of {}; the algorithm direct has", dtype);
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

/// A call's tensors: on their own device where it moves them itself, else in the host's memory.
struct Way {
  DeviceTransport* devices;  ///< null: MPI's
  Tensor in, out;
};
/// Calls f with the way that the members agree on. `in` is contiguous; `out` gets the result, and may be `in`.
template <class F>
void meet_and(GroupState& members, const CallHeader& header, const Tensor& in, const Tensor& out, F&& f) {
  members.run([&] {
    DeviceTransport* const devices = distributed::meet(members, header, in.device());
    if (devices) return f(Way{devices, in, out}), devices->watch(header.op);
    if (in.is_cpu()) return f(Way{nullptr, in, out});
    const Tensor host = to(in, cpu, in.dtype());
    const Way way{nullptr, host, in.is_same(out) ? host : detail::result(out.sizes(), out.dtype(), cpu)};
    f(way);
    copy_(out, way.out);
  });
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

/// all_reduce, or with `scatter` reduce_scatter.
Tensor reduced(const char* name, const Tensor& t, ReduceOp op, const Group& group, Algorithm algorithm, bool scatter) {
  const detail::OperationName named(name);
  detail::expect_defined(name, t, "tensor");
  detail::expect_not_bool(name, t.dtype());
  GroupState& members = distributed::member_state_of(name, group);
  const Dims sizes = scatter ? block_sizes(name, t, members.size()) : t.sizes();
  algorithm = chosen(name, algorithm, op, t.dtype());
  if (members.size() == 1) return clone(t);
  CallHeader header = header_of(name, t);
  const bool library = algorithm == Algorithm::library;
  header.reduce = int(op), header.library = library;
  const Tensor in = scatter && !library ? contiguous(t) : clone(t);
  const Tensor result = scatter ? detail::result(sizes, t.dtype(), t.device()) : in;
  meet_and(members, header, in, result, [&](const Way& way) {
    void *const from = way.in.data(), *const to = way.out.data();
    const size_t count = size_t(way.out.numel());
    if (!library) {
      (scatter ? ordered_reduce_scatter : ordered_all_reduce)(
          members, over_parts(name, t.dtype(), members.size(), members.size(), op), {{from}, !scatter, way.in.device()},
          to, int64_t(count));
    } else if (way.devices) {
      scatter ? way.devices->reduce_scatter(from, to, count, t.dtype(), op)
              : way.devices->all_reduce(to, count, t.dtype(), op);
    } else {
      members.reduce(from, size_t(way.in.numel()), int(t.dtype()), op);
      if (scatter) copy_(way.out, views::narrow(way.in, 0, members.rank * sizes[0], sizes[0]));
    }
  });
  if (op == ReduceOp::mean) copy_(result, div(result, Scalar(double(members.size()))));
  return result;
}

}  // namespace

Tensor all_reduce(const Tensor& t, ReduceOp op, const Group& group, Algorithm algorithm) {
  return reduced("all_reduce", t, op, group, algorithm, false);
}
Tensor reduce_scatter(const Tensor& t, ReduceOp op, const Group& group, Algorithm algorithm) {
  return reduced("reduce_scatter", t, op, group, algorithm, true);
}

Tensor all_reduce(const TensorList& own, int64_t parts, const Group& group) {
  const char* const name = "all_reduce";
  const detail::OperationName named(name);
  const distributed::PartRange range = distributed::part_range(parts, group);
  ORDO_CHECK(int64_t(own.size()) == range.count(), ValueError, name,
             "this member has parts {} to {} of {}, not {} parts", range.first, range.last, parts, own.size());
  GroupState& members = distributed::member_state_of(name, group);
  distributed::TreeFold<Tensor> fold(parts, {range.first, range.last});
  for (size_t i = 0; i < own.size(); ++i) {
    const Tensor &t = own[i], &first = own[0];
    detail::expect_defined(name, t, "part");
    detail::expect_not_bool(name, t.dtype());
    ORDO_CHECK(t.sizes() == first.sizes(), ShapeError, name, "parts have sizes {} and {}", first.sizes(), t.sizes());
    ORDO_CHECK(t.dtype() == first.dtype(), DTypeError, name, "parts are {} and {}", first.dtype(), t.dtype());
    ORDO_CHECK(t.device() == first.device(), DeviceError, name, "parts are on {} and {}", first.device(), t.device());
    fold.push({0, range.first + int64_t(i)}, clone(t),
              [](const Tensor& left, const Tensor& right) { return add_(left, right); });
  }
  OpCall::chose(Algorithm::direct);
  auto& nodes = fold.nodes();
  const Tensor result = nodes[0].second;
  if (members.size() == 1) return result;
  CallHeader header = header_of(name, result);
  header.root = int(parts);
  meet_and(members, header, result, result, [&](const Way& way) {
    nodes[0].second = way.in;
    for (auto& [node, value] : nodes) value = to(value, way.in.device(), value.dtype());
    ordered_all_reduce(members, over_parts(name, result.dtype(), parts, members.size()), scratch_nodes(nodes),
                       way.out.data(), result.numel());
  });
  return result;
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
  const Tensor all = detail::result(sizes, t.dtype(), t.device());
  const size_t bytes = t.nbytes();
  meet_and(members, header_of(name, t), contiguous(t), all, [&](const Way& way) {
    if (way.devices) return way.devices->all_gather(way.in.data(), way.out.data(), bytes);
    std::memcpy(static_cast<char*>(way.out.data()) + size_t(members.rank) * bytes, way.in.data(), bytes);
    distributed::all_gather(members, name, way.out.data(), std::vector<size_t>(size_t(members.size()), bytes));
  });
  return all;
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
  const Tensor result = clone(t);
  meet_and(members, header, result, result, [&](const Way& way) {
    if (way.devices)
      way.devices->broadcast(way.out.data(), t.nbytes(), int(src));
    else
      distributed::broadcast(members, name, way.out.data(), t.nbytes(), int(src));
  });
  return result;
}

Tensor all_to_all(const Tensor& t, const Group& group) {
  const char* const name = "all_to_all";
  const detail::OperationName named(name);
  detail::expect_defined(name, t, "tensor");
  GroupState& members = distributed::member_state_of(name, group);
  (void)block_sizes(name, t, members.size());
  if (members.size() == 1) return clone(t);
  const Tensor result = detail::result(t.sizes(), t.dtype(), t.device());
  const size_t bytes = t.nbytes() / size_t(members.size());
  meet_and(members, header_of(name, t), contiguous(t), result, [&](const Way& way) {
    if (!way.devices) return distributed::all_to_all(members, name, way.in.data(), way.out.data(), bytes);
    std::vector<DeviceTransport::Outgoing> sends;
    std::vector<DeviceTransport::Incoming> receives;
    const auto block = [&](const Tensor& of, int member) {
      return static_cast<char*>(of.data()) + size_t(member) * bytes;
    };
    for (int member = 0; member < members.size(); ++member) {
      if (member == members.rank) continue;
      sends.push_back({block(way.in, member), bytes, member});
      receives.push_back({block(way.out, member), bytes, member});
    }
    detail::copy_bytes(block(way.out, members.rank), t.device(), block(way.in, members.rank), t.device(), bytes);
    way.devices->exchange(sends, receives);
  });
  return result;
}

}  // namespace ordo::kernels
