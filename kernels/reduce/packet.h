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
  friend Packet operator*(Packet a, Packet b) { return {Eigen::internal::pmul(a.v, b.v)}; }
};

}  // namespace ordo::kernels::cpu
