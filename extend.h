// What an operation outside of the library is made of; samples/own_operation.cpp makes one. Needs fmt (Debian:
// libfmt-dev). The CPU's part; kernels/accumulate/accumulate_cuda.cuh is the accumulate engine on CUDA.
//
//   OpCall                        the door: reports the call to listeners             engine/calls/op_call.h
//   record, Saved, InPlaceChange  the tape                                            autograd/tape.h
//   ORDO_REGISTER_OP              a row in the registry, for `ordo ops` and tests     engine/calls/op_registry.h
//   ORDO_CHECK                    typed errors that name the operation                engine/calls/check.h
//   dispatch_floating, ...        from a dtype to a C++ type                          engine/calls/dispatch.h
//   parallel_for                  CPU threads                                         engine/run/parallel.h
//   kernels::choose_accumulate,   item i adds value v(i) to destination d(i), by the
//   kernels::cpu::accumulate      algorithm of the level in force                     kernels/accumulate/accumulate.h
#pragma once

#include <ordo/autograd/tape.h>
#include <ordo/engine/calls/check.h>
#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/calls/op_call.h>
#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/run/parallel.h>
#include <ordo/kernels/accumulate/accumulate_cpu.h>

namespace ordo::extend {

using ordo::detail::expect_defined;
using ordo::detail::expect_floating;
using ordo::detail::expect_index_dtype;
using ordo::detail::expect_not_bool;
using ordo::detail::expect_same_device;
using ordo::detail::expect_same_dtype;
using ordo::detail::result;
using ordo::detail::result_like;

}  // namespace ordo::extend
