// A sum in doubles, rounded to the element type. Internal to exact_cells_cpu.h and interval_cells_cpu.h.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include <ordo/engine/half.h>

namespace ordo::kernels::cpu::accumulate_detail {

/// Rounded once, to nearest: a float on its way to a half is rounded to odd (exact_cells_cpu.cpp says why that may be).
template <class T>
T round_to(double sum) {
  float f = float(sum);
  if constexpr (!std::is_same_v<T, float>) {
    const uint32_t away = std::fabs(double(f)) > std::fabs(sum);
    const uint32_t odd = (ordo::detail::float_bits(f) - away) | 1u;
    f = double(f) == sum ? f : ordo::detail::bits_float(odd);
  }
  return T(f);
}

template <class T>
bool same_bits(T a, T b) {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint16_t>;
  return std::bit_cast<Bits>(a) == std::bit_cast<Bits>(b);
}

}  // namespace ordo::kernels::cpu::accumulate_detail
