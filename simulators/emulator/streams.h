// The emulator's streams (queues.h), their launches and what those throw. Internal to the emulator.
#pragma once

#include <cstdint>
#include <functional>

#include <ordo/simulators/emulator/runtime.h>

namespace ordo::cuda::emulator {

/// With the checkers of memory, which learn that it is free when the program frees it: queued work may come after.
extern const bool kEagerByDefault;

/// Queues work, with how many bytes of copied arguments it holds. On the null stream it runs at once, after the streams
/// that wait for that one.
void queue_task(cudaStream_t stream, std::function<void()> work, size_t bytes = 0);
/// The stream's later work runs after `ready` has come true: work of another device, or of the host.
void queue_wait(cudaStream_t stream, std::function<bool()> ready);
/// What a call of the runtime returns, which cudaGetLastError repeats.
cudaError_t result(cudaError_t status);
/// Whether all of it is memory that cudaMalloc gave.
bool is_device_memory(const void* data, size_t bytes);
/// So far, by copies that say so.
uint64_t bytes_copied_to_host();
/// So far, by copies from device to device without access of one to the other's memory.
uint64_t bytes_between_devices_by_the_host();
/// Of the calling thread.
int current_device();
/// Throws CudaError when pointers among these bytes lead to memory of other devices and none to that of the current one.
/// A single one may be an old pointer in padding.
void expect_memory_of_current_device(const void* parameters, size_t bytes);
/// Whether the stream captures; waiting for it ends that in failure.
bool fails_capture(cudaStream_t stream);
/// Whether the stream is one of the current device, or null.
bool is_of_current_device(cudaStream_t stream);
/// Runs everything that is queued.
void finish();
/// Runs everything that is queued, and draws the next schedules as a new process would.
void restart();
/// A seed that differs from call to call, as that of launches does.
uint64_t call_seed();
/// cudaErrorLaunchFailure when work of the stream has failed; throw_failure() then throws what it threw.
cudaError_t synchronize(cudaStream_t stream);
/// Throws what the last call of this thread that returned cudaErrorLaunchFailure met with, if anything.
void throw_failure();

}  // namespace ordo::cuda::emulator
