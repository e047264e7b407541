// Vectors of the machine's own width, by Eigen's packets. Each lane is one output of a sum, so that the width does not
// change a bit. Internal; include in few files.
#pragma once

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"  // GCC's own AVX-512 header, inlined (GCC bug 105593)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wignored-attributes"  // of vectors as template arguments
#endif

#include <Eigen/Core>

#include <cstdint>

namespace ordo::kernels::cpu {

#if defined(__AVX512F__)
inline constexpr bool kManyRegisters = true;
#else
inline constexpr bool kManyRegisters = false;
#endif

template <class T>
struct Packet {
  using Vector = typename Eigen::internal::packet_traits<T>::type;
  static constexpr int64_t lanes = Eigen::internal::packet_traits<T>::size;
  Vector v;

  static Packet load(const T* from) { return {Eigen::internal::ploadu<Vector>(from)}; }
  static Packet all(T value) { return {Eigen::internal::pset1<Vector>(value)}; }
  void store(T* to) const { Eigen::internal::pstoreu(to, v); }
  friend Packet operator+(Packet a, Packet b) { return {Eigen::internal::padd(a.v, b.v)}; }
  friend Packet operator-(Packet a, Packet b) { return {Eigen::internal::psub(a.v, b.v)}; }
  /// sum + a b: rounded once where Fused and the machine can, else the product rounded first.
  template <bool Fused>
  static Packet add_product(Packet a, Packet b, Packet sum) {
    if constexpr (Fused)
      return {Eigen::internal::pmadd(a.v, b.v, sum.v)};
    else
      return {Eigen::internal::padd(sum.v, Eigen::internal::pmul(a.v, b.v))};
  }
};

/// to[c][r] = from[r][c] for a rows x cols matrix; rows of `to` are `stride` long, zeros after the first `rows`.
template <class T>
void transpose_padded(const T* from, int64_t rows, int64_t cols, int64_t stride, T* to) {
  using Vector = typename Packet<T>::Vector;
  constexpr int64_t kLanes = Packet<T>::lanes;
  const int64_t whole_rows = rows / kLanes * kLanes, whole_cols = cols / kLanes * kLanes;
  for (int64_t c = 0; c < whole_cols; c += kLanes)
    for (int64_t r = 0; r < whole_rows; r += kLanes) {
      Eigen::internal::PacketBlock<Vector, int(kLanes)> block;
      for (int64_t i = 0; i < kLanes; ++i) block.packet[i] = Eigen::internal::ploadu<Vector>(from + (r + i) * cols + c);
      Eigen::internal::ptranspose(block);
      for (int64_t i = 0; i < kLanes; ++i) Eigen::internal::pstoreu(to + (c + i) * stride + r, block.packet[i]);
    }
  for (int64_t c = 0; c < cols; ++c) {
    for (int64_t r = c < whole_cols ? whole_rows : 0; r < rows; ++r) to[c * stride + r] = from[r * cols + c];
    for (int64_t r = rows; r < stride; ++r) to[c * stride + r] = T(0);
  }
}

}  // namespace ordo::kernels::cpu
