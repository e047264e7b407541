// Collectives: operations that the processes of a group compute together (engine/distributed/distributed.h). Before
// init(), and in a group of one process, they return copies. As torch.distributed.nn.functional: the arguments stay
// as they are.
//
// All members call the same collectives, with equal sizes and dtypes, at the same level, in the same order; they
// compare that first, and a member that does otherwise ends the job, or throws DistributedError where processes are
// threads. ValueError for a process that is not in the group. CUDA tensors travel by NCCL where all members can, else
// by way of the host's memory (docs/distributed.md): the deterministic levels have the same bits.
#pragma once

#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/distributed/distributed.h>
#include <ordo/engine/tensor/tensor.h>

namespace ordo::distributed {

/// The tensors of all members, element by element: their sum, mean, product, least or greatest value. The same bits in
/// every member.
///
/// Numeric dtypes (DTypeError); means of floating ones. Sums and products of integers wrap; a NaN is the greatest value
/// and the least.
/// Determinism: `library` is MPI's or NCCL's, whose order it chooses (not_guaranteed; not of half types); `direct` adds
/// in a binary tree over the ranks (docs/distributed.md), each sum rounded to the dtype; the library only moves bytes.
/// The bits depend on the number of members, as the values do; those of a training do not. Gradient: of sum and mean
/// the all_reduce of the members' gradients by the same; AutogradError for others.
Tensor all_reduce(const Tensor& tensor, ReduceOp op = ReduceOp::sum, const Group& group = {},
                  Algorithm algorithm = Algorithm::automatic);

/// The same of a tensor [world_size * n, ...], of which member i gets block i, [n, ...]. ShapeError for a first
/// dimension that cannot be cut into equal blocks. Gradient: of sum the all_gather of the members' gradients, of mean
/// that divided by their number.
Tensor reduce_scatter(const Tensor& tensor, ReduceOp op = ReduceOp::sum, const Group& group = {},
                      Algorithm algorithm = Algorithm::automatic);

/// The tensors [n, ...] of all members as one, [world_size * n, ...], in the order of their ranks. Any dtype.
/// ShapeError for a tensor without dimensions. Gradient: the reduce_scatter of the members' gradients, by sum.
Tensor all_gather(const Tensor& tensor, const Group& group = {});

/// That of member `src`. Other members give a tensor of its sizes and dtype. ValueError for a rank that is not there.
/// Gradient: in `src` the sum of the members' gradients, in others 0.
Tensor broadcast(const Tensor& tensor, int64_t src = 0, const Group& group = {});

/// Of a tensor [world_size * n, ...] block i goes to member i; the result's block j is member j's. ShapeError as in
/// reduce_scatter. Gradient: the all_to_all of the gradient.
Tensor all_to_all(const Tensor& tensor, const Group& group = {});

}  // namespace ordo::distributed
