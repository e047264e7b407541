// The loops of arithmetic.cpp per device. Internal.
#pragma once

#include <ordo/kernels/elementwise/binary.h>

namespace ordo::kernels::cpu {
void add(const BinaryArgs&);
void add_scaled(const BinaryArgs&);
void sub(const BinaryArgs&);
void mul(const BinaryArgs&);
void div(const BinaryArgs&);
void pow(const BinaryArgs&);
void minimum(const BinaryArgs&);
void maximum(const BinaryArgs&);
}  // namespace ordo::kernels::cpu

namespace ordo::kernels::cuda {
void add(const BinaryArgs&);
void add_scaled(const BinaryArgs&);
void sub(const BinaryArgs&);
void mul(const BinaryArgs&);
void div(const BinaryArgs&);
void pow(const BinaryArgs&);
void minimum(const BinaryArgs&);
void maximum(const BinaryArgs&);
}  // namespace ordo::kernels::cuda
