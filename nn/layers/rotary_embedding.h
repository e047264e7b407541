// Rotary positions: queries and keys are turned by angles that grow with the position, so that their products depend on
// distances.
//
//   nn::RotaryEmbedding rotary(64, {.base = 500000});
//   q = rotary(q, arange(length)), k = rotary(k, arange(length));   // [N, heads, length, 64]
#pragma once

#include <memory>

#include <ordo/nn/module.h>

namespace ordo::nn {

/// How a model that was trained on short texts turns long ones. Angles of long waves are divided by `factor`; with
/// `original_positions`, waves shorter than original_positions / high_freq_factor keep theirs, and those up to
/// original_positions / low_freq_factor are in between, as in Llama 3.1.
struct RotaryScaling {
  double factor = 1;
  int64_t original_positions = 0;  ///< 0: all angles are divided
  double low_freq_factor = 1, high_freq_factor = 4;
};

struct RotaryEmbeddingOptions {
  double base = 10000;
  RotaryScaling scaling = {};
};

/// Cosines and sines of the angles at some positions, of a dtype and on a device.
struct Rotation {
  Tensor cosines, sines;  ///< [..., L, dim]
  /// What RotaryEmbedding makes of x with them.
  Tensor operator()(const Tensor& x) const;
};

/// The pair (x[i], x[i + dim / 2]) of position p is turned by the angle p / base^(2 i / dim).
///
/// Shapes: x [..., L, dim]; positions [L], or [N, L] for x [N, heads, L, dim]; y as x.
/// Dtypes: floating, kept; positions int64. Angles, cosines and sines are computed in float32.
/// Throws: ValueError when dim is not a positive even number or the base not positive; ShapeError when sizes do not fit.
/// Determinism: the same bits on every device at every level.
/// Source: Su et al., "RoFormer: Enhanced Transformer with Rotary Position Embedding", 2021.
/// PyTorch: no counterpart; transformers.models.llama.modeling_llama.LlamaRotaryEmbedding.
class RotaryEmbedding : public ModuleOf<RotaryEmbedding> {
 public:
  explicit RotaryEmbedding(int64_t dim, RotaryEmbeddingOptions options = {});
  Tensor forward(const Tensor& x, const Tensor& positions);
  /// What forward() computes of positions alone, for tensors with x's dtype and device: queries and keys of all layers
  /// share it.
  Rotation at(const Tensor& positions, const Tensor& x) const;
  std::string description() const override;

 private:
  int64_t dim_;
  double base_;
  struct Frequencies;
  std::shared_ptr<Frequencies> frequencies_;
};

}  // namespace ordo::nn
