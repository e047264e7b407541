// The options that ORDO_TRACE and the variables beside it give. Internal to nn.
#pragma once

#include <optional>

#include <ordo/nn/audit/dump.h>
#include <ordo/nn/audit/recorder.h>

namespace ordo::audit {

/// None without ORDO_TRACE. "%p" in it is the process's number; under mpirun
/// files of ranks above 0 end in ".rank" and the rank. ValueError for variables that say nothing sensible.
std::optional<RecorderOptions> options_of_environment();
/// Of ORDO_TRACE_DUMP and ORDO_TRACE_DUMP_TO. None without the first. ValueError where the second or ORDO_TRACE is
/// missing.
std::optional<Dump> dump_of_environment();

}  // namespace ordo::audit
