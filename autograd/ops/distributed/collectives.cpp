#include <ordo/autograd/ops/distributed/collectives.h>

#include <ordo/autograd/ops/operation.h>
#include <ordo/kernels/distributed/collectives.h>

namespace ordo {
namespace distributed {
static void expect_gradient(const char* op, const Tensor& t, ReduceOp by) {
  ORDO_CHECK(by == ReduceOp::sum || by == ReduceOp::mean || !grad_enabled() || !t.defined() || !t.requires_grad(),
             AutogradError, op, "by {} has no gradient; detach() the tensor, or call it under NoGrad", name(by));
}

/// For OpCall.
static void report(detail::OpArguments& arguments, const Group& group) { arguments.add(world_size(group)); }

Tensor all_reduce(const Tensor& tensor, ReduceOp op, const Group& group, Algorithm algorithm) {
  const OpCall call("all_reduce", tensor, name(op), group, algorithm);
  expect_gradient("all_reduce", tensor, op);
  return record(call, kernels::all_reduce(tensor, op, group, algorithm), {tensor},
                [op, group, algorithm](const Tensor& grad) { return all_reduce(grad, op, group, algorithm); });
}

Tensor all_reduce(const TensorList& own, int64_t parts, const Group& group) {
  const OpCall call("all_reduce", own, parts, group);
  const std::vector<std::reference_wrapper<const Tensor>> inputs(own.begin(), own.end());
  const auto backward = [count = own.size()](const Tensor& grad) { return TensorList(count, grad); };
  return record(call, kernels::all_reduce(own, parts, group), inputs, backward);
}

Tensor reduce_scatter(const Tensor& tensor, ReduceOp op, const Group& group, Algorithm algorithm) {
  const OpCall call("reduce_scatter", tensor, name(op), group, algorithm);
  expect_gradient("reduce_scatter", tensor, op);
  return record(call, kernels::reduce_scatter(tensor, op, group, algorithm), {tensor}, [op, group](const Tensor& grad) {
    const Tensor all = all_gather(grad, group);
    return op == ReduceOp::mean ? all / double(world_size(group)) : all;
  });
}

Tensor all_gather(const Tensor& tensor, const Group& group) {
  const OpCall call("all_gather", tensor, group);
  return record(call, kernels::all_gather(tensor, group), {tensor},
                [group](const Tensor& grad) { return reduce_scatter(grad, ReduceOp::sum, group); });
}

Tensor broadcast(const Tensor& tensor, int64_t src, const Group& group) {
  const OpCall call("broadcast", tensor, src, group);
  return record(call, kernels::broadcast(tensor, src, group), {tensor}, [src, group](const Tensor& grad) {
    const Tensor sum = all_reduce(grad, ReduceOp::sum, group);
    return rank(group) == src ? sum : sum * 0;
  });
}

Tensor all_to_all(const Tensor& tensor, const Group& group) {
  const OpCall call("all_to_all", tensor, group);
  return record(call, kernels::all_to_all(tensor, group), {tensor},
                [group](const Tensor& grad) { return all_to_all(grad, group); });
}

}  // namespace distributed
}  // namespace ordo
