#include <ordo/nn/layers/rotary_embedding.h>

#include <cmath>
#include <mutex>
#include <numbers>

#include <ordo/autograd/grad_mode.h>
#include <ordo/autograd/ops/math/arithmetic.h>
#include <ordo/autograd/ops/math/unary.h>
#include <ordo/autograd/ops/shape/cat.h>
#include <ordo/engine/calls/check.h>
#include <ordo/engine/memory/out_of_memory.h>
#include <ordo/nn/description.h>

namespace ordo::nn {

static double scaled(double frequency, const RotaryScaling& s) {
  if (s.original_positions == 0) return frequency / s.factor;
  const double waves = double(s.original_positions) * frequency / (2 * std::numbers::pi);
  if (waves < s.low_freq_factor) return frequency / s.factor;
  if (waves > s.high_freq_factor) return frequency;
  const double kept = (waves - s.low_freq_factor) / (s.high_freq_factor - s.low_freq_factor);
  return (1 - kept) * frequency / s.factor + kept * frequency;
}

/// [dim / 2], on each device that has asked for them.
struct RotaryEmbedding::Frequencies {
  std::mutex mutex;
  TensorList copies;  // the first on the CPU
  Tensor on(Device device) {
    const std::lock_guard lock(mutex);
    for (const Tensor& copy : copies)
      if (copy.device() == device) return copy;
    return copies.emplace_back(copies[0].to(device));
  }
};

RotaryEmbedding::RotaryEmbedding(int64_t dim, RotaryEmbeddingOptions options) : dim_(dim), base_(options.base) {
  const ordo::detail::LibraryCall call;
  ORDO_CHECK(dim > 0 && dim % 2 == 0, ValueError, "RotaryEmbedding", "needs a positive even dim, not {}", dim);
  ORDO_CHECK(base_ > 0 && options.scaling.factor > 0, ValueError, "RotaryEmbedding",
             "needs a positive base and factor, not {} and {}", base_, options.scaling.factor);
  std::vector<float> frequencies;
  for (int64_t i = 0; i < dim / 2; ++i)
    frequencies.push_back(float(scaled(std::pow(base_, -2.0 * double(i) / double(dim)), options.scaling)));
  frequencies_ = std::make_shared<Frequencies>();
  frequencies_->copies.push_back(from_vector(frequencies, {dim / 2}));
}

Tensor RotaryEmbedding::forward(const Tensor& x, const Tensor& positions) {
  ORDO_CHECK(x.defined() && positions.defined(), ValueError, "RotaryEmbedding", "needs defined tensors");
  ORDO_CHECK(x.dim() >= 2 && x.size(-1) == dim_, ShapeError, "RotaryEmbedding", "takes [..., L, {}], not {}", dim_,
             x.sizes());
  const bool rows = positions.dim() == 2 && x.dim() == 4 && positions.size(0) == x.size(0);
  ORDO_CHECK((positions.dim() == 1 || rows) && positions.size(-1) == x.size(-2), ShapeError, "RotaryEmbedding",
             "positions {} do not fit to {}: they are [L], or [N, L] of [N, heads, L, {}]", positions.sizes(),
             x.sizes(), dim_);
  return at(positions, x)(x);
}

Rotation RotaryEmbedding::at(const Tensor& positions, const Tensor& x) const {
  const NoGrad guard;
  Tensor angles = positions.to(float32).unsqueeze(-1) * frequencies_->on(x.device());
  if (positions.dim() == 2) angles = angles.unsqueeze(1);
  angles = cat({angles, angles}, -1);
  return {cos(angles).to(x.dtype()), sin(angles).to(x.dtype())};
}

Tensor Rotation::operator()(const Tensor& x) const {
  const TensorList halves = x.chunk(2, -1);
  return x * cosines + cat({-halves[1], halves[0]}, -1) * sines;
}

std::string RotaryEmbedding::description() const {
  return Description("RotaryEmbedding", dim_).with("base", base_, 10000.0);
}

}  // namespace ordo::nn
