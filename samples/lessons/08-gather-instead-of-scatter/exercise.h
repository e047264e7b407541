#pragma once

#include "lesson.h"

inline constexpr int kWindow = 8, kStride = 2, kThreads = 64;

// The gradient of a max pooling with windows of kWindow elements, kStride apart: window o covers inputs kStride * o,
// ..., kStride * o + kWindow - 1, and `largest[o]` is the number of the input that was its maximum.
//   input_gradient[i] = the sum of output_gradient[o] over all windows o < outputs with largest[o] == i
// Arrays of the device, input_gradient of zeros.
void max_pool_backward(const float* output_gradient, const int* largest, int outputs, float* input_gradient,
                       int inputs);
