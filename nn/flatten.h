// Flatten: merges dimensions start_dim to end_dim into one; by default all but the first (the batch).
// Unflatten: splits dimension dim into several.
//
//   nn::Flatten()(images)   // [N, 16, 7, 7] -> [N, 784]
#pragma once

#include <ordo/autograd/ops/shapes.h>
#include <ordo/nn/layer.h>

namespace ordo::nn {

struct FlattenOptions {
  int64_t start_dim = 1;
  int64_t end_dim = -1;
};

class Flatten : public Module {
 public:
  explicit Flatten(FlattenOptions options = {}) : options_(options) {}
  Tensor forward(const Tensor& input) override { return input.flatten(options_.start_dim, options_.end_dim); }
  std::string description() const override {
    return Description("Flatten").with_options(options_, "start_dim", "end_dim");
  }

 private:
  FlattenOptions options_;
};

class Unflatten : public Layer<unflatten, NoOptions, int64_t, Dims> {
 public:
  Unflatten(int64_t dim, Dims unflattened_size) : Layer(dim, unflattened_size) {}
};

}  // namespace ordo::nn
