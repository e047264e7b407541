// The loops of comparison.cpp per device. Internal.
#pragma once

#include <ordo/kernels/elementwise/binary.h>

namespace ordo::kernels::cpu {
void eq(const BinaryArgs&);
void ne(const BinaryArgs&);
void lt(const BinaryArgs&);
void le(const BinaryArgs&);
void logical_and(const BinaryArgs&);
void logical_or(const BinaryArgs&);
}  // namespace ordo::kernels::cpu

namespace ordo::kernels::cuda {
void eq(const BinaryArgs&);
void ne(const BinaryArgs&);
void lt(const BinaryArgs&);
void le(const BinaryArgs&);
void logical_and(const BinaryArgs&);
void logical_or(const BinaryArgs&);
}  // namespace ordo::kernels::cuda
