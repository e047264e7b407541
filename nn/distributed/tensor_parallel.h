// Linear layers whose weights are divided among processes.
//
//   nn::Sequential block{nn::ColumnParallelLinear(64, 256, {.group = layer}), nn::GELU(),
//                        nn::RowParallelLinear(256, 64, {.group = layer})};
//
// samples/tensor_parallel.cpp is a whole program, in which some processes share the layers and some the batches.
#pragma once

#include <ordo/engine/distributed/distributed.h>
#include <ordo/nn/module.h>

namespace ordo::nn {

struct ParallelLinearOptions {
  bool bias = true;
  int64_t parts = 8;  ///< which the processes share, and the bits depend on; at least as many as processes
  distributed::Group group = {};
};

/// What the two layers share.
class ParallelLinear : public Module {
 public:
  std::string description() const override;

  Parameter weight, bias;  ///< bias is undefined without one

 protected:
  /// `divided`: the dimension of the weight whose parts the processes share.
  ParallelLinear(const char* name, int64_t in_features, int64_t out_features, int divided,
                 const ParallelLinearOptions& options);
  const int64_t parts_, own_;  ///< of all, and of this process
  const distributed::Group group_;

 private:
  const char* const name_;
  const int divided_;
};

/// y = x W^T + b, where each process has some of the rows of W and gives some of the features of y.
///
/// Shapes: x [..., in_features], the same in all processes; y [..., out_features * own parts / parts].
/// Parameters: this process's rows of "weight" W [out_features, in_features] and of "bias" b [out_features], drawn as
/// those of Linear: all processes draw the same numbers, whatever their number.
/// Throws: ValueError when a size is negative, out_features cannot be divided by parts, or processes cannot share the
/// parts; forward as linear.
/// Determinism: the bits do not depend on the number of processes. y has those of Linear; the gradient of x is the sum
/// of those of the parts, by ordering rule 13.
/// PyTorch: torch.distributed.tensor.parallel.ColwiseParallel, whose bits depend on the number of processes.
struct ColumnParallelLinear : ParallelLinear {
  ColumnParallelLinear(int64_t in_features, int64_t out_features, ParallelLinearOptions options = {});
  Tensor forward(const Tensor& input) override;
};

/// y = x W^T + b, where each process has some of the columns of W and gets some of the features of x.
///
/// Shapes: x [..., in_features * own parts / parts], as a ColumnParallelLinear gives them; y [..., out_features], the
/// same in all processes.
/// Parameters: this process's columns of "weight" W [out_features, in_features], and "bias" b [out_features]; as
/// ColumnParallelLinear.
/// Throws: as ColumnParallelLinear, of in_features.
/// Determinism: the bits do not depend on the number of processes: y is the sum of those of the parts, by ordering rule
/// 13, to which the bias is added.
/// PyTorch: torch.distributed.tensor.parallel.RowwiseParallel, whose bits depend on the number of processes.
struct RowParallelLinear : ParallelLinear {
  RowParallelLinear(int64_t in_features, int64_t out_features, ParallelLinearOptions options = {});
  Tensor forward(const Tensor& input) override;
};

}  // namespace ordo::nn
