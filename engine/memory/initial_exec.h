// ORDO_INITIAL_EXEC after a thread_local variable that every operation reads: its place is known when the library is
// loaded, and no function is called to find it. nvcc does not know the attribute, and finds the variable all the same.
#pragma once

#ifdef __CUDACC__
#define ORDO_INITIAL_EXEC
#else
#define ORDO_INITIAL_EXEC __attribute__((tls_model("initial-exec")))
#endif
