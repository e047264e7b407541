// The bits of every operation, written down. tests/bits/bits.txt has a line for each sample of each operation
// (ORDO_OP_SAMPLES, and ORDO_OP_SIZES at a few sizes):
//
//   index_add "dim1": float32 1f0c2a337b9d0e55, float64 90d1c4e2a66b7f10/5a5b00c1d2e3f405
//
// A hash is that of the result (eight digits) and that of its first and second gradients (the others; none where it has
// no gradient). It holds at both deterministic levels and on every device: what Ordo's own kernels compute has one
// order. At run_to_run a library may choose another (cuBLAS, cuDNN); such results are not compared.
#pragma once

#include "tests/support/op_samples.h"

namespace ordo::test {

/// By sample and dtype, as "\"dim1\" float32".
using Bits = std::map<std::string, std::string>;

enum class Cases : unsigned char {
  all,
  few  ///< two dtypes of each sample, and no large sizes: for devices that are simulated, and for checked builds
};

/// The hashes of an operation's samples. Those that the operation refuses are left out. A hash is empty where a library
/// may have added at run_to_run.
Bits bits_of(const OpInfo& op, Device device, Determinism level, Cases cases);

/// The operation's ORDO_OP_SAMPLES. Equal labels get numbers.
std::vector<Sample> labelled_samples(const OpInfo& op);

/// What the file says of an operation.
Bits bits_written(const OpInfo& op);

/// Where `got` is not what `want` says: a text for each, such as "\"dim1\" float32: the gradients". An empty hash
/// agrees with every other. What only `want` has counts where all cases were computed.
std::vector<std::string> differences(const Bits& got, const Bits& want, Cases cases);

/// `ordo_tests bits`: compares this machine with the file, or writes the file. Returns the exit status.
int bits_command(const std::vector<std::string>& arguments);

}  // namespace ordo::test
