// The emulated device's schedules during the demo.
#pragma once

#include <string>

namespace ordo::demo {

/// Repeat i, from 0, runs under the seed i places after the one the program was started with, as it would in a process
/// of its own with that seed. Nothing in other builds.
void use_schedule(int repeat);

/// The environment variables that choose the schedules of repeat `i`.
std::string schedule_variables(int repeat);

}  // namespace ordo::demo
