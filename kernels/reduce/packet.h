// Vectors of eight floats or four doubles. Each lane is one output of a sum, so that the width does not change a bit.
// Internal; include in few files.
#pragma once

#include <Eigen/Core>

#include <cstdint>

namespace ordo::kernels::cpu {

template <class T>
struct Packet {
  static constexpr int64_t lanes = 32 / sizeof(T);
  using Vector = Eigen::Array<T, lanes, 1>;
  Vector v;

  static Packet load(const T* from) { return {Eigen::Map<const Vector>(from)}; }
  static Packet all(T value) { return {Vector::Constant(value)}; }
  void store(T* to) const { Eigen::Map<Vector>{to} = v; }
  friend Packet operator+(const Packet& a, const Packet& b) { return {a.v + b.v}; }
  friend Packet operator-(const Packet& a, const Packet& b) { return {a.v - b.v}; }
  friend Packet operator*(const Packet& a, const Packet& b) { return {a.v * b.v}; }
};

}  // namespace ordo::kernels::cpu
