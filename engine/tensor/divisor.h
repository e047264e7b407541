// Division by a number that is known beforehand, as a multiplication: GPUs have no instruction that divides, and
// their code for 64 bits is 70 instructions at every place.
#pragma once

#include <cstdint>

#include <ordo/engine/tensor/host_device.h>

namespace ordo {

/// Divides numbers that are not negative by `value`, which is positive. (Of 0 all quotients are 0 or 1.)
struct Divisor {
  int64_t value;
  uint64_t inverse;  // (2^64 - 1) / value

  Divisor() = default;  // not initialised: arrays of them are made for every reduction of a line
  explicit Divisor(int64_t value) : value(value), inverse(value ? ~uint64_t(0) / uint64_t(value) : 0) {}

  ORDO_HD int64_t quotient(int64_t n) const {
    // The product is short of n 2^64 / value by less than 2^63 + 2^64, so that its high half is the quotient or one
    // less.
    const int64_t q = int64_t(uint64_t((unsigned __int128)(uint64_t(n)) * inverse >> 64));
    return n - q * value >= value ? q + 1 : q;
  }
  ORDO_HD int64_t remainder(int64_t n) const { return n - quotient(n) * value; }
};

}  // namespace ordo
