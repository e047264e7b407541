#pragma once

#include "lesson.h"

inline constexpr int kWords = 12, kGroup = 64, kThreads = 64;

// The gradient of an embedding of width 1, sorted by word as in lesson 4: word w has the tokens sorted[starts[w]], ...,
// sorted[starts[w + 1] - 1], in ascending order.
//   row_gradient[w] = the sum of token_gradient[t] over the tokens t of word w
// in the order of rule 1: groups of kGroup tokens of a word are added left to right; then the groups' sums, left to
// right. (A word has at most kGroup groups.) Arrays of the device, row_gradient of zeros. No thread adds more than
// kGroup numbers.
void embedding_backward(const float* token_gradient, const int* starts, const int* sorted, int tokens,
                        float* row_gradient);
