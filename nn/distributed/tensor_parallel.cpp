#include <ordo/nn/distributed/tensor_parallel.h>

#include <ordo/autograd/ops/distributed/collectives.h>
#include <ordo/autograd/ops/linalg/matmul.h>
#include <ordo/autograd/ops/math/arithmetic.h>
#include <ordo/autograd/ops/shape/cat.h>
#include <ordo/autograd/tape.h>
#include <ordo/engine/calls/check.h>
#include <ordo/nn/description.h>
#include <ordo/nn/layers/linear.h>

namespace ordo::nn {

/// As many handles of x as this process has parts. The gradient of x is the sum of those of all parts of all processes.
static TensorList for_parts(const Tensor& x, int64_t own, int64_t parts, const distributed::Group& group) {
  const OpCall call("for_parts", x);
  TensorList handles;
  for (int64_t i = 0; i < own; ++i) handles.push_back(x.detach());
  return record(call, std::move(handles), {x},
                [parts, group, like = zeros({}, x.options()), sizes = x.sizes()](const TensorList& grads) -> Tensor {
                  TensorList all;
                  for (const Tensor& grad : grads) all.push_back(grad.defined() ? grad : like.expand(sizes));
                  return distributed::all_reduce(all, parts, group);
                });
}

ParallelLinear::ParallelLinear(const char* name, int64_t in_features, int64_t out_features, int divided,
                               const ParallelLinearOptions& options)
    : parts_(options.parts),
      own_(distributed::part_range(options.parts, options.group).count()),
      group_(options.group),
      name_(name),
      divided_(divided) {
  const int64_t features = divided == 0 ? out_features : in_features;
  ORDO_CHECK(features >= 0 && features % parts_ == 0, ValueError, name, "cannot divide {} features into {} parts",
             features, parts_);
  const Linear whole(in_features, out_features, {.bias = options.bias});
  const int64_t first = distributed::part_range(parts_, group_).first * (features / parts_),
                count = own_ * (features / parts_);
  const auto own_of = [&](const Tensor& t, bool cut) {
    return (cut ? t.detach().narrow(divided, first, count) : t.detach()).clone();
  };
  weight = add_parameter("weight", own_of(whole.weight, true));
  if (options.bias) bias = add_parameter("bias", own_of(whole.bias, divided == 0));
}

std::string ParallelLinear::description() const {
  const auto whole = [&](int dim) { return dim == divided_ ? weight.size(dim) / own_ * parts_ : weight.size(dim); };
  return Description(name_, whole(1), whole(0)).with("bias", bias.defined(), true).with("parts", parts_, int64_t(8));
}

ColumnParallelLinear::ColumnParallelLinear(int64_t in_features, int64_t out_features, ParallelLinearOptions options)
    : ParallelLinear("ColumnParallelLinear", in_features, out_features, 0, options) {}

Tensor ColumnParallelLinear::forward(const Tensor& input) {
  const TensorList inputs = for_parts(input, own_, parts_, group_), weights = weight.chunk(own_);
  const TensorList biases = bias.defined() ? bias.chunk(own_) : TensorList(size_t(own_));
  TensorList outputs;
  for (size_t i = 0; i < inputs.size(); ++i) outputs.push_back(linear(inputs[i], weights[i], biases[i]));
  return own_ == 1 ? outputs[0] : cat(outputs, -1);
}

RowParallelLinear::RowParallelLinear(int64_t in_features, int64_t out_features, ParallelLinearOptions options)
    : ParallelLinear("RowParallelLinear", in_features, out_features, 1, options) {}

Tensor RowParallelLinear::forward(const Tensor& input) {
  ORDO_CHECK(input.defined() && input.dim() > 0 && input.size(-1) == weight.size(1), ShapeError, "RowParallelLinear",
             "needs the {} features of this process's {} parts in the last dimension", weight.size(1), own_);
  const TensorList inputs = input.chunk(own_, -1), weights = weight.chunk(own_, 1);
  TensorList outputs;
  for (size_t i = 0; i < inputs.size(); ++i) outputs.push_back(linear(inputs[i], weights[i]));
  const Tensor sum = distributed::all_reduce(outputs, parts_, group_);
  return bias.defined() ? sum + bias : sum;
}

}  // namespace ordo::nn
