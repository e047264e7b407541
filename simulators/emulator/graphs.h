// Graphs of a simulated device: the work of a stream, kept to be queued again. Internal to the emulator and the PTX machine,
// whose runtimes call this with their errors' names.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include <ordo/simulators/emulator/queues.h>

struct CUgraph_st {
  std::shared_ptr<const ordo::cuda::queues::Captured> work;
};
struct CUgraphExec_st {
  std::shared_ptr<const ordo::cuda::queues::Captured> work;
};

namespace ordo::cuda::queues {

/// Of the calling thread: captures that it has begun, and whether it allows calls that captures forbid by default, such as
/// cudaMalloc.
struct CapturingThread {
  std::vector<Stream*> streams;
  bool relaxed = false;
  /// Such a call, in a capture, ends that in failure.
  bool forbids() const {
    if (relaxed) return false;
    for (Stream* stream : streams) stream->capture_failed = true;
    return !streams.empty();
  }
};
inline thread_local CapturingThread capturing_thread;

inline bool begin_capture(Stream* stream) {
  if (!stream || stream->capture) return false;
  stream->capture = std::make_shared<Captured>();
  stream->capture_failed = false;
  capturing_thread.streams.push_back(stream);
  return true;
}
/// Null when it had not begun, or has failed.
inline std::unique_ptr<CUgraph_st> end_capture(Stream* stream) {
  if (!stream || !stream->capture) return nullptr;
  std::erase(capturing_thread.streams, stream);
  auto graph = std::make_unique<CUgraph_st>(CUgraph_st{std::exchange(stream->capture, nullptr)});
  return stream->capture_failed ? nullptr : std::move(graph);
}
/// Whether the stream captures, so that nobody can wait for it: that ends the capture.
inline bool fails_capture(Stream* stream) {
  if (!stream || !stream->capture) return false;
  return stream->capture_failed = true;
}

}  // namespace ordo::cuda::queues
