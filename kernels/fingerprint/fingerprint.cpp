#include <ordo/kernels/fingerprint/fingerprint.h>

#include <ordo/engine/calls/dispatch.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/fingerprint/mix.h>

namespace ordo {

std::string Fingerprint::str() const { return fmt::format("{:016x}{:016x}", high, low); }

namespace kernels {
namespace {

FingerprintArgs args_of(const Tensor& t) {
  const TensorImpl* operands[1] = {t.impl()};
  return {broadcast_layout(t.sizes(), operands), t.data(), size_of(t.dtype()), t.device()};
}

/// Whether each element of a tensor of the CPU would be fetched from a line of its own: a copy, made in tiles, costs
/// less.
bool is_scattered(const FingerprintArgs& args) {
  constexpr int64_t kLong = 64;
  const Layout<1>& l = args.layout;
  return l.rank > 1 && l.sizes[0] >= kLong && l.strides[0][0] > 1 && l.numel < (1 << 24);
}

Fingerprint with_length(const Fingerprint& sums, const FingerprintArgs& args) {
  const uint64_t length = length_term(args.bytes());
  return {sums.high + length, sums.low + length};
}

}  // namespace

Fingerprint fingerprint(const Tensor& t) {
  ordo::detail::expect_defined("fingerprint", t, "the tensor");
  if (!t.is_cpu()) return fingerprints({&t, 1})[0];
  const Tensor source = is_scattered(args_of(t)) ? contiguous(t) : t;
  const FingerprintArgs args = args_of(source);
  Fingerprint found;
  cpu::fingerprints(&args, 1, &found);
  return with_length(found, args);
}

std::vector<Fingerprint> fingerprints(std::span<const Tensor> tensors) {
  std::vector<Fingerprint> all(tensors.size());
  std::vector<FingerprintArgs> args;
  std::vector<size_t> places;
  std::vector<Fingerprint> found;
  std::vector<bool> taken(tensors.size());
  for (size_t first = 0; first < tensors.size(); ++first) {
    if (taken[first] || !tensors[first].defined()) continue;
    const Device device = tensors[first].device();
    if (device.is_cpu()) {
      all[first] = fingerprint(tensors[first]);
      continue;
    }
    args.clear(), places.clear();
    for (size_t i = first; i < tensors.size(); ++i) {  // what is of one GPU goes together
      if (!tensors[i].defined() || tensors[i].device() != device) continue;
      taken[i] = true;
      args.push_back(args_of(tensors[i]));
      places.push_back(i);
    }
    found.assign(args.size(), {});
    ORDO_ON_DEVICE(device, fingerprints, args.data(), int64_t(args.size()), found.data());
    for (size_t k = 0; k < args.size(); ++k) all[places[k]] = with_length(found[k], args[k]);
  }
  return all;
}

}  // namespace kernels
}  // namespace ordo
