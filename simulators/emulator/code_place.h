// Lines of source for addresses of code. Internal to the checker.
#pragma once

#include <string>

namespace ordo::cuda::emulator::checker {

/// "index_add.cu:42" for the call that returns to `code`, in the kernel rather than in a header of engine/cuda that was
/// inlined there; "?" when the program has no line numbers or there is no addr2line.
std::string place_of_code(const void* code);
/// Where a function begins.
std::string place_of_function(const void* function);

}  // namespace ordo::cuda::emulator::checker
