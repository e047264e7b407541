// ORDO_INDEPENDENT before a loop: no store of one round changes what another reads, so that vectors need no check.
#pragma once

#if defined(__GNUC__) && !defined(__clang__)
#define ORDO_INDEPENDENT _Pragma("GCC ivdep")
#else
#define ORDO_INDEPENDENT
#endif
