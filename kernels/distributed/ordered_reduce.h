// Sums of arrays that the members of a group have, in the order of the tree (engine/distributed/reduction_tree.h),
// element by element: the same bits however many members there are. The library only moves bytes. Internal.
#pragma once

#include <utility>
#include <vector>

#include <ordo/engine/distributed/reduction_tree.h>
#include <ordo/engine/distributed/world.h>
#include <ordo/engine/tensor/dtype.h>
#include <ordo/engine/tensor/tensor.h>

namespace ordo::kernels {

/// One member's share of the tree: where the values of the nodes are that it has added up, in ascending order.
struct OwnNodes {
  std::vector<void*> values;  ///< contiguous, of the whole array each
  bool scratch = false;       ///< they may be overwritten
  Device device{};            ///< where they are, and the result; on a CUDA device they travel by group.devices
};

struct OrderedReduce {
  const char* op;  ///< for messages
  distributed::ReduceOp reduce = distributed::ReduceOp::sum;
  DType dtype = float32;
  int64_t leaves = 0;                             ///< of the tree
  std::vector<distributed::PartRange> members{};  ///< the leaves of each member, in order
};

/// Of `parts` that so many members share.
OrderedReduce over_parts(const char* op, DType dtype, int64_t parts, int64_t members,
                         distributed::ReduceOp reduce = distributed::ReduceOp::sum);
/// These sums, on one device, whose memory may be overwritten.
OwnNodes scratch_nodes(const std::vector<std::pair<distributed::TreeNode, Tensor>>& sums);

/// Each member finishes the tree for its part of the elements, and gives the result to all: 2 (N - 1) / N of the array
/// leave a member that has one node, as in a ring. `result` has room for `count` elements; it may be the memory of the
/// first node. Within World::run(), after meet().
void ordered_all_reduce(distributed::GroupState& group, const OrderedReduce& what, const OwnNodes& own, void* result,
                        int64_t count);
/// Member i gets elements [i count, (i + 1) count) of arrays of size() * count elements.
void ordered_reduce_scatter(distributed::GroupState& group, const OrderedReduce& what, const OwnNodes& own,
                            void* result, int64_t count);

}  // namespace ordo::kernels
