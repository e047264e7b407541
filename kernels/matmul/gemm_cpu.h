// The two halves of cpu::gemm(). Internal.
#pragma once

#include <ordo/kernels/matmul/gemm.h>

namespace ordo::kernels::cpu {

void floating_gemm(const Gemm& g);
void integer_gemm(const Gemm& g);

}  // namespace ordo::kernels::cpu
