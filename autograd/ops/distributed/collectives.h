// Collectives: operations that the processes of a group compute together (engine/distributed/distributed.h). Before
// init(), and in a group of one process, they return copies. The arguments stay as they are.
//
// All members call the same collectives, with equal sizes and dtypes, at the same level, in the same order; they
// compare that first, and a member that does otherwise ends the job, or throws DistributedError where processes are
// threads. ValueError for an undefined tensor, and for a process that is not in the group. CUDA tensors travel by NCCL
// where all members can, else by way of the host's memory (docs/distributed.md): the deterministic levels have the same
// bits.
#pragma once

#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/distributed/distributed.h>
#include <ordo/engine/tensor/tensor.h>

namespace ordo::distributed {

/// The tensors of all members, element by element: their sum, mean, product, least or greatest value. The same bits in
/// every member.
///
/// Shapes: any, equal in all members.
/// Dtypes: numeric, kept; means of floating ones. Sums and products of integers wrap; a NaN is the greatest value and
/// the least.
/// Throws: DTypeError when the dtype is bool, not floating for a mean, or none that `library` has; ValueError when the
/// algorithm is another; NondeterministicError when `library` is asked for at a deterministic level; AutogradError when
/// the tensor requires a gradient and `op` is product, min or max.
/// Determinism: `library` is MPI's or NCCL's, whose order it chooses (not_guaranteed; not of half types); `direct` adds
/// by ordering rule 13, in a binary tree over the ranks; the library only moves bytes. The bits depend on the number of
/// members, as the values do; those of a training do not.
/// Gradient: of sum and mean, the all_reduce of the members' gradients by the same.
/// PyTorch: torch.distributed.nn.functional.all_reduce.
Tensor all_reduce(const Tensor& tensor, ReduceOp op = ReduceOp::sum, const Group& group = {},
                  Algorithm algorithm = Algorithm::automatic);

/// The sum of `parts` tensors, of which this member has `own`: those of part_range, in order.
///
/// Shapes, Dtypes: numeric; equal in all parts.
/// Throws: ValueError when `own` are not as many, or as part_range; ShapeError, DTypeError, DeviceError when they differ.
/// Determinism: the same bits at every level and for any number of members: ordering rule 13 over the parts.
/// Gradient: grad, of each part. All members go on with the sum, and have the same gradient of it.
/// PyTorch: no counterpart.
Tensor all_reduce(const TensorList& own, int64_t parts, const Group& group = {});

/// The all_reduce of which member i gets block i.
///
/// Shapes: [world_size * n, ...] -> [n, ...].
/// Dtypes: as all_reduce.
/// Throws: as all_reduce; ShapeError when the first dimension cannot be cut into equal blocks.
/// Determinism: as all_reduce.
/// Gradient: of sum, the all_gather of the members' gradients; of mean, that divided by their number.
/// PyTorch: torch.distributed.nn.functional.reduce_scatter.
Tensor reduce_scatter(const Tensor& tensor, ReduceOp op = ReduceOp::sum, const Group& group = {},
                      Algorithm algorithm = Algorithm::automatic);

/// The tensors of all members as one, in the order of their ranks.
///
/// Shapes: [n, ...] -> [world_size * n, ...].
/// Dtypes: any.
/// Throws: ShapeError when the tensor has no dimensions.
/// Determinism: the same bits at every level; nothing is added. The gradient is, as by all_reduce.
/// Gradient: the reduce_scatter of the members' gradients, by sum.
/// PyTorch: torch.distributed.nn.functional.all_gather.
Tensor all_gather(const Tensor& tensor, const Group& group = {});

/// The tensor of member `src`. Other members give a tensor of its sizes and dtype.
///
/// Shapes, Dtypes: any.
/// Throws: ValueError when there is no rank `src`.
/// Determinism: as all_gather.
/// Gradient: in `src` the sum of the members' gradients, in others 0.
/// PyTorch: torch.distributed.nn.functional.broadcast.
Tensor broadcast(const Tensor& tensor, int64_t src = 0, const Group& group = {});

/// Block i goes to member i; block j of the result is member j's.
///
/// Shapes: [world_size * n, ...]; the result has the same.
/// Dtypes: any.
/// Throws: ShapeError as reduce_scatter.
/// Determinism: the same bits at every level; nothing is added.
/// Gradient: the all_to_all of the gradient.
/// PyTorch: torch.distributed.nn.functional.all_to_all_single.
Tensor all_to_all(const Tensor& tensor, const Group& group = {});

}  // namespace ordo::distributed
