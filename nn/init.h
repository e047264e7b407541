// Initialisers, PyTorch's: they change a tensor in place, unrecorded, and return it. Random ones draw from
// default_generator() and give the same numbers on every device.
//
//   nn::init::kaiming_normal_(layer.weight, {.nonlinearity = nn::init::Nonlinearity::relu});
#pragma once

#include <cstdint>

#include <ordo/engine/tensor.h>

namespace ordo::nn::init {

enum class Fan { fan_in, fan_out };
enum class Nonlinearity { linear, sigmoid, tanh, relu, leaky_relu };

/// How many inputs an output sees, and how many outputs an input reaches. For weights [out, in, spatial...]:
/// fan_in = in * prod(spatial), fan_out = out * prod(spatial). ShapeError below two dimensions.
struct Fans {
  int64_t in, out;
};
Fans fans(const Tensor& weight);

/// The recommended factor: 1, 1, 5/3, sqrt(2), sqrt(2 / (1 + negative_slope^2)).
double gain(Nonlinearity nonlinearity, double negative_slope = 0.01);

struct KaimingOptions {
  double negative_slope = 0;  ///< of leaky_relu; PyTorch's `a`
  Fan fan = Fan::fan_in;
  Nonlinearity nonlinearity = Nonlinearity::leaky_relu;
};
/// U(-b, b), b = gain sqrt(3 / fan).  He et al., "Delving deep into rectifiers", 2015
Tensor kaiming_uniform_(Tensor t, KaimingOptions options = {});
/// N(0, gain^2 / fan)
Tensor kaiming_normal_(Tensor t, KaimingOptions options = {});
/// U(-b, b), b = gain sqrt(6 / (fan_in + fan_out)).  Glorot, Bengio, "Understanding the difficulty of training ...",
/// 2010
Tensor xavier_uniform_(Tensor t, double gain = 1);
/// N(0, 2 gain^2 / (fan_in + fan_out))
Tensor xavier_normal_(Tensor t, double gain = 1);

Tensor uniform_(Tensor t, double low = 0, double high = 1);
Tensor normal_(Tensor t, double mean = 0, double std = 1);
Tensor constant_(Tensor t, Scalar value);
Tensor zeros_(Tensor t);
Tensor ones_(Tensor t);

}  // namespace ordo::nn::init
