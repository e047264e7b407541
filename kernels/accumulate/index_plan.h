// An index that is sorted once and used many times.
#pragma once

#include <memory>

#include <ordo/engine/calls/op_call.h>

namespace ordo {
namespace kernels {
/// The order of an index's entries, per device. Internal.
struct IndexOrder {
  virtual ~IndexOrder() = default;
};
}  // namespace kernels

/// What algorithm `sorted` finds out about an index: which entries name the same destination, in which order. Sorting
/// them is a good part of a deterministic index_add or gradient of embedding or embedding_bag; a plan does it once for
/// all that use the same index. A plan adds by `sorted` at every level, so its results have the bits that index_add
/// gives with that algorithm.
///
///   const IndexPlan plan(tokens, table.size(0));
///   Tensor rows = embedding(plan, table);              // and its gradient
///   Tensor sums = index_add(zeros({n, 64}), 0, plan, source);
///
/// Keeps a copy of the index, and 8 bytes an entry (CUDA: 8.3; twice that from 2^31 entries or destinations on). Copies
/// share them. On CUDA: made on the calling thread's stream; wait (cuda::synchronize()) before another stream uses it.
class IndexPlan {
 public:
  /// index: of any shape. size: of the dimension that the index is for.
  /// Throws: IndexError when an entry is not in [0, size) (on CUDA: at the next call that waits; such entries are
  /// skipped); DTypeError when index is not int32 or int64; ValueError when index is undefined or size is negative.
  IndexPlan(const Tensor& index, int64_t size);

  const Tensor& index() const { return index_; }
  int64_t size() const { return size_; }
  const kernels::IndexOrder& order() const { return *order_; }

 private:
  Tensor index_;
  int64_t size_;
  std::shared_ptr<const kernels::IndexOrder> order_;
};

/// For listeners: a plan among the arguments of an operation counts as its index tensor.
inline void report(detail::OpArguments& arguments, const IndexPlan& plan) { arguments.add(plan.index()); }

}  // namespace ordo
