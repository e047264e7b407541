// Programs whose allocations fail, one after the other. The tests' program has an operator new of its own for it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include <ordo/engine/tensor/tensor.h>

namespace ordo::test {

/// Runs `program`, which gives a number that depends on all that it computed, again and again: each of its allocations
/// fails once, alone and together with all that follow; at most `times`, evenly spread, where it has more. Each run
/// must end with OutOfMemoryError, or with the same number where the library can do without that memory; what the
/// program itself asks for may be a std::bad_alloc. A run after it must give the same number, and leave no more memory
/// in use. Returns what is wrong, or nothing.
std::string fail_each_allocation(const std::function<double()>& program, int64_t times,
                                 const std::function<void()>& before_each_run = {});

/// A sum that depends on each element and its place.
double sum_of(const Tensor& t);

}  // namespace ordo::test
