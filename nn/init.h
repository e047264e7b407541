// Initialisers, PyTorch's: they change a tensor in place, unrecorded, and return it. Random ones draw from
// default_generator() and give the same numbers on every device.
//
//   nn::init::kaiming_normal_(layer.weight, {.nonlinearity = nn::init::Nonlinearity::relu});
//   nn::init::apply(model, "orthogonal_");
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <ordo/engine/tensor/tensor.h>

namespace ordo::nn {
class ModuleBase;
}

namespace ordo::nn::init {

enum class Fan { fan_in, fan_out };
enum class Nonlinearity { linear, sigmoid, tanh, relu, leaky_relu, selu };

/// How many inputs an output sees, and how many outputs an input reaches.
struct Fans {
  int64_t in, out;
};
/// fan_in = in * prod(spatial), fan_out = out * prod(spatial) of a weight.
///
/// Shapes: [out, in, spatial...].
/// Throws: ShapeError when there are fewer than two dimensions.
/// PyTorch: torch.nn.init._calculate_fan_in_and_fan_out.
Fans fans(const Tensor& weight);

/// The recommended factor: 1, 1, 5/3, sqrt(2), sqrt(2 / (1 + negative_slope^2)), 3/4.
///
/// PyTorch: torch.nn.init.calculate_gain.
double gain(Nonlinearity nonlinearity, double negative_slope = 0.01);

struct KaimingOptions {
  double negative_slope = 0;  ///< of leaky_relu; PyTorch's `a`
  Fan fan = Fan::fan_in;
  Nonlinearity nonlinearity = Nonlinearity::leaky_relu;
};
/// U(-b, b), b = gain sqrt(3 / fan).
///
/// Throws: as fans, which kaiming_normal_, xavier_uniform_ and xavier_normal_ use, too.
/// PyTorch: torch.nn.init.kaiming_uniform_.
/// Source: He et al., "Delving deep into rectifiers", 2015.
Tensor kaiming_uniform_(Tensor t, KaimingOptions options = {});
/// N(0, gain^2 / fan)
Tensor kaiming_normal_(Tensor t, KaimingOptions options = {});
/// U(-b, b), b = gain sqrt(6 / (fan_in + fan_out)).
///
/// PyTorch: torch.nn.init.xavier_uniform_.
/// Source: Glorot, Bengio, "Understanding the difficulty of training deep feedforward neural networks", 2010.
Tensor xavier_uniform_(Tensor t, double gain = 1);
/// N(0, 2 gain^2 / (fan_in + fan_out))
Tensor xavier_normal_(Tensor t, double gain = 1);

/// U(low, high), N(mean, std^2), the same number everywhere, 0, 1.
///
/// PyTorch: torch.nn.init.uniform_ and so on.
Tensor uniform_(Tensor t, double low = 0, double high = 1);
Tensor normal_(Tensor t, double mean = 0, double std = 1);
Tensor constant_(Tensor t, Scalar value);
Tensor zeros_(Tensor t);
Tensor ones_(Tensor t);

/// N(mean, std^2), of which only what lies in [a, b] is drawn.
///
/// Dtypes: floating.
/// Throws: ValueError unless std > 0 and a < b; DTypeError for other dtypes.
/// PyTorch: torch.nn.init.trunc_normal_.
Tensor trunc_normal_(Tensor t, double mean = 0, double std = 1, double a = -2, double b = 2);
/// gain times a matrix whose rows or, where it has more of them, columns are orthonormal; the first dimension is the
/// rows, the others together the columns. Its distribution is uniform (that of Haar).
///
/// Throws: ShapeError when there are fewer than two dimensions.
/// Determinism: that of `qr` of a normal matrix: the same on every device of a machine, and everywhere at
/// device_to_device.
/// PyTorch: torch.nn.init.orthogonal_.
/// Source: Saxe et al., "Exact solutions to the nonlinear dynamics of learning in deep linear neural networks", 2014.
Tensor orthogonal_(Tensor t, double gain = 1);
/// 1 on the diagonal of a matrix, else 0.
///
/// Throws: ShapeError when it is no matrix.
/// PyTorch: torch.nn.init.eye_.
Tensor eye_(Tensor t);
/// The identity of a convolution: in each of `groups` groups of output channels, channel i copies input channel i, as
/// far as there are both; the 1 stands in the middle of its window.
///
/// Shapes: [out, in / groups, spatial...], of 3 to 5 dimensions.
/// Throws: ShapeError for others; ValueError when groups do not divide the output channels.
/// PyTorch: torch.nn.init.dirac_.
Tensor dirac_(Tensor t, int64_t groups = 1);
/// N(0, std^2), but in each column of a matrix ceil(sparsity * rows) elements, drawn anew for each, are 0.
///
/// Throws: ShapeError when it is no matrix; ValueError unless 0 <= sparsity <= 1.
/// PyTorch: torch.nn.init.sparse_.
/// Source: Martens, "Deep learning via Hessian-free optimization", 2010.
Tensor sparse_(Tensor t, double sparsity, double std = 0.01);

/// A function that fills a tensor and returns it, as those above.
using Initialiser = std::function<Tensor(Tensor)>;
/// An initialiser of this header that needs no more than a tensor, by its name, such as "kaiming_normal_".
///
/// Throws: ValueError listing the names when there is none.
Initialiser by_name(std::string_view name);
/// Those names.
std::vector<std::string> names();
/// Draws every parameter of two dimensions or more anew, in the order of named_parameters(), and returns how many these
/// were. Biases, the weights of norms and buffers stay; embeddings are drawn too.
///
/// Throws: as by_name; ShapeError of an initialiser that takes no such tensor, and earlier parameters have changed
/// then.
int64_t apply(ModuleBase& model, std::string_view name);
int64_t apply(ModuleBase& model, const Initialiser& initialiser);

}  // namespace ordo::nn::init
