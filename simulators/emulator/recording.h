// ORDO_EMULATOR_RECORD=FILE: what the threads of launches did, and when, for `ordo show playback`. Internal to the
// emulator.
#pragma once

#include <cstdint>
#include <string>

namespace ordo::cuda::emulator {
struct LaunchCall;
struct Launch;
struct Thread;
struct Where;
}  // namespace ordo::cuda::emulator

namespace ordo::cuda::emulator::recording {

/// Whether events are written down; nothing else is looked at where they are not.
extern bool on;

/// What a file holds at most; later events are left out, and the file says so.
inline constexpr int64_t kMostEvents = 20000;

/// Begins a file of JSON lines; "" ends it. Throws ValueError where it cannot be written.
void to_file(const std::string& file);

void launch(const LaunchCall& call, const Launch& launch);
/// The thread is the one that runs from now on.
void runs(const Thread& thread);
void ends(const Thread& thread);
/// It has come to a barrier of its block, or of lanes of its warp.
void waits(const Thread& thread, const char* at, const Where& where);
/// The last thread of its block has come, and all may go on.
void opens(const Thread& thread);
/// The running thread has changed a number in one step.
void atomic(const void* place, double before, double after);

}  // namespace ordo::cuda::emulator::recording
