// Parameters that are computed from others before each call of their module, by recorded operations.
//
//   nn::Linear fc = add("fc", nn::weight_norm(nn::Linear(20, 40)));   // trains fc.weight_g and fc.weight_v
//   nn::Sequential critic{nn::spectral_norm(nn::Conv2d(3, 8, 4)), nn::LeakyReLU(0.2)};
//
// The module no longer lists the parameter; its member `weight` has the value of the last call. All copies of the
// module change, clones have parts of their own. Make optimisers afterwards. One thread at a time may call such a
// module.
#pragma once

#include <optional>
#include <string>

#include <ordo/nn/module.h>

namespace ordo::nn {

namespace parametrizations {
void weight_norm(const ModuleBase& module, const std::string& name, std::optional<int64_t> dim);
void spectral_norm(const ModuleBase& module, const std::string& name, int64_t n_power_iterations, double eps,
                   int64_t dim);
}  // namespace parametrizations

/// weight = g v / norm(v), the norm of each slice along `dim`, or, for std::nullopt, of the whole.
///
/// Parameters: "weight_g" g, of size 1 in all dimensions but `dim`, and "weight_v" v, in place of "weight". They begin
/// as its norm and itself.
/// Throws: ValueError when the module has no such parameter of its own, or it is computed already; IndexError when it
/// has no dimension `dim`.
/// PyTorch: torch.nn.utils.weight_norm, whose names these are.
/// Source: Salimans, Kingma, "Weight normalization", 2016.
template <class M>
M weight_norm(const M& module, const std::string& name = "weight", std::optional<int64_t> dim = 0) {
  parametrizations::weight_norm(module, name, dim);
  return module;
}

/// weight = W / sigma, with sigma = u^T W v, an estimate of the largest singular value of W as a matrix whose rows are
/// the slices along `dim`, that of the outputs: 1 for transposed convolutions. While training, each call first makes
/// `n_power_iterations` times v = W^T u and u = W v, both divided by their norms, or by eps where that is larger. The
/// gradient takes u and v for constants.
///
/// Parameters: "weight_orig" W in place of "weight"; buffers "weight_u" u and "weight_v" v, drawn from N(0, 1) by
/// default_generator() in this order and divided by their norms.
/// Throws: as weight_norm; ValueError when n_power_iterations is below 0 or eps is not above 0.
/// PyTorch: torch.nn.utils.spectral_norm, whose names these are.
/// Source: Miyato et al., "Spectral normalization for generative adversarial networks", 2018.
template <class M>
M spectral_norm(const M& module, const std::string& name = "weight", int64_t n_power_iterations = 1, double eps = 1e-12,
                int64_t dim = 0) {
  parametrizations::spectral_norm(module, name, n_power_iterations, eps, dim);
  return module;
}

}  // namespace ordo::nn
