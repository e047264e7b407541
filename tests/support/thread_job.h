// A job whose processes are threads of this program, connected by mailboxes in memory.
#pragma once

#include <functional>
#include <string>

namespace ordo::test {

struct ThreadJobOptions {
  double timeout_seconds = 60;
  std::function<void(int rank)> at_end = nullptr;  ///< what the transport does when a rank ends
};

/// Calls f(rank) in `ranks` threads, each with a world and a default generator of its own, and rethrows what the lowest
/// rank threw, unless that was only told that another one had failed.
void run_job(int ranks, const std::function<void(int rank)>& f, ThreadJobOptions options = {});

/// What the ranks that ended the last job said, "" when none did.
std::string last_job_message();

}  // namespace ordo::test
